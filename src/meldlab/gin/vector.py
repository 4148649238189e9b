"""The vector environment: tables of gin as arrays, for training.

Every table has an observation, the features of the seat to move, and a mask of its legal actions; a step takes one action for each table.
When a game ends, the next one starts in the same step. Every game is that of the Table for the same deal, action by action, except that
showing melds is not an action: after a knock both hands are arranged and laid off as the built-in players do it.

>>> env = GinVector(3, seed=7)
>>> observed = env.observe()
>>> observed.features.shape, observed.mask.shape, observed.to_move.tolist()
((3, 432), (3, 108), [0, 0, 0])
>>> env.step([PASS, PASS, TAKE]).done.tolist()
[False, False, False]
>>> env.step([0, 0, 0])
Traceback (most recent call last):
    ...
meldlab.errors.NotLegalHere: table 2: no action 0 (pass) now; there are 3 drop AC, 5 drop 3C, 9 drop 7C and 7 more
"""

from collections.abc import Sequence
from copy import copy
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from meldlab.chance import check_seed
from meldlab.errors import NoSuchThing, NotLegalHere, whole_number
from meldlab.gin import players
from meldlab.gin.batch import kernel_parameters
from meldlab.gin.kernel_state import (
    BIG_GIN,
    DISCARD,
    DRAW,
    KNOCK,
    NUM_ACTIONS,
    PASS,
    PRIOR,
    STATE,
    TAKE,
    NetworkParameters,
    SimpleParameters,
    ValueWeights,
)
from meldlab.gin.kernel_vector import MASK_WORDS, NUM_FEATURES, Outputs, StepSettings, VectorState
from meldlab.gin.observation import PLANES, SCALARS, action_of, action_text, move_of
from meldlab.gin.rules import ONLY_SIMPLE, Rules, kernel_rules
from meldlab.gin.vector_devices import Cores, Gpu
from meldlab.gpu import on_host
from meldlab.play.batch import Observations

__all__ = [
    "ACTIONS",
    "BIG_GIN",
    "DISCARD",
    "DRAW",
    "FEATURES",
    "KNOCK",
    "PASS",
    "PLANES",
    "SCALARS",
    "TAKE",
    "GinVector",
    "Observations",
    "StepResult",
    "action_of",
    "action_text",
    "move_of",
]

ACTIONS, FEATURES = NUM_ACTIONS, NUM_FEATURES
REWARDS = ("win", "points")
MAX_TABLES = 1 << 24


class StepResult(NamedTuple):
    """Results of a step; the arrays belong to the environment, which writes the next step into them."""

    rewards: NDArray[np.float32]
    """[n, 2] by seat; a row sums to zero."""
    done: NDArray[np.bool_]
    """[n], whether a game has ended, and the next one started."""
    points: NDArray[np.int32]
    """[n, 2], of rounds that ended in this step."""
    scores: NDArray[np.int32]
    """[n, 2], of the match; of one that ended, its last ones, without the bonuses of a match."""
    over: NDArray[np.bool_]
    """[n], whether a round has ended, void ones included."""
    winner: NDArray[np.int8]
    """[n], the winner of a game that ended, -1 without an end or a winner."""


class LoadedPrior(NamedTuple):
    """A value network whose prior logits were requested."""

    weights: ValueWeights
    on_device: ValueWeights
    """The weights where the kernels read them."""
    logits: Any
    """[n, PRIOR] float32, the array that every call with this network writes into."""
    names: set[str]
    """The names by which it was requested."""


class GinVector:
    """``n`` tables of gin at which games follow one another.

    ``seed`` is one number, of which table i plays games i, i + n, i + 2n and so on, or a number for each table, of which it plays games
    0, 1, 2. With an ``opponent``, a player of the kernels or its name, that player acts inside the step; the own seat is i % 2 in the first
    game of table i (0 where each has a seed of its own), and changes with every game. The reward of a match is 1 for winning it and -1 for
    losing it, ``reward="points"`` gives (own - other's) / 100 for each round; by default a single round is rewarded by points.
    ``seats``, one number or one for each table, keeps the own seat the same in all games. With ``final_observations`` the array
    ``env.final_observations``, [n, 2, FEATURES], holds the last observation of each seat of a game that ended in a step.

    >>> env = GinVector(1000, Rules(match_points=0), seed=1, opponent="simple")
    >>> points = 0
    >>> for _ in range(100):
    ...     points += env.step(env.random_actions()).points.sum()
    >>> bool(points > 0), env.observe().to_move[:4].tolist(), env.games[:4].tolist()
    (True, [1, 1, 1, 0], [5000, 6001, 5002, 7003])
    """

    def __init__(
        self,
        n: int,
        rules: Rules = Rules(),  # noqa: B008  # frozen, so sharing it is harmless
        seed: int | ArrayLike = 0,
        opponent: Any = None,
        device: str = "cpu",
        *,
        reward: Literal["win", "points"] | None = None,
        threads: int = 0,
        seats: int | ArrayLike | None = None,
        final_observations: bool = False,
    ) -> None:
        self.n = whole_number(n, "number of tables", 1, MAX_TABLES)
        if not isinstance(rules, Rules):
            raise NotLegalHere(f"expected Rules, such as Rules.preset('eaai'), got a {type(rules).__name__}")
        self.rules = rules
        self.reward = reward or ("win" if rules.match_points else "points")
        if self.reward not in REWARDS:
            raise NoSuchThing("reward", str(self.reward), REWARDS)
        chosen = players.parse(opponent) if isinstance(opponent, str) else opponent
        self._player = None if chosen is None else kernel_parameters(chosen)
        self.opponent = None if chosen is None else getattr(chosen, "name", "opponent")
        """The name of the player inside, if there is one."""
        if device not in ("cpu", "cuda"):
            raise NoSuchThing("device", str(device), ("cpu", "cuda"))
        cores = whole_number(threads, "number of threads")
        self._engine: Any = Gpu() if device == "cuda" else Cores(cores)
        if rules.small and self._player is not None and not isinstance(self._player, SimpleParameters):
            raise NotLegalHere(ONLY_SIMPLE)
        self._stride = 1
        self._seats = self._checked_seats(seats)
        self._build(final_observations)
        self.reset(0 if seed is None else seed)

    def _checked_seats(self, seats: int | ArrayLike | None) -> NDArray[np.int64]:
        """Return [n], the own seat at each table, -1 where it changes."""
        if seats is None:
            return np.full(self.n, -1)
        given = np.asarray(seats)
        if self.opponent is None:
            raise NotLegalHere("expected an opponent with seats, got seats only")
        if given.shape not in ((), (self.n,)) or given.dtype.kind not in "iu" or not np.isin(given, (0, 1)).all():
            raise NotLegalHere(f"expected seats 0 or 1, one number or {self.n}")
        rules = self.rules
        at_once = rules.max_draws == 1 or (rules.stock_floor >= 30 and not rules.wall_knock)
        if given.any() and at_once and rules.first_starter == "first" and not rules.offer_upcard:
            raise NotLegalHere("under these rules seat 1 is never asked: seat 0 starts, and a round is over after its first turn")
        return np.broadcast_to(given, (self.n,)).astype(np.int64)

    def _build(self, final_observations: bool) -> None:
        """Allocate all arrays on the device."""
        n, zeros, width = self.n, self._engine.zeros, 0 if self._player is None else 1
        self._tables = VectorState(zeros(n, STATE), zeros((n, 2, 52 * width), np.int64), zeros((n, 2, 54 * width), np.float64))
        # Written four bytes at a time, so they are aligned to words.
        feature_words, mask_words = zeros((n, FEATURES // 4), np.uint32), zeros((n, MASK_WORDS), np.uint32)
        self._observations = Observations(feature_words.view(np.uint8), mask_words.view(np.int8), zeros(n, np.int8))
        numbers = zeros((n, 2), np.float32), zeros(n, np.bool_), zeros((n, 2), np.int32), zeros((n, 2), np.int32)
        self._result = StepResult(*numbers, zeros(n, np.bool_), zeros(n, np.int8))
        self.final_observations = zeros((n, 2, FEATURES if final_observations else 0), np.uint8)
        observations = self._observations.features, feature_words, mask_words, self._observations.to_move
        self._outputs = Outputs(*observations, *self._result, self.final_observations)
        self._random, self._hidden = zeros(n, np.int64), zeros((n, 52), np.uint8)
        self._priors: list[LoadedPrior] = []
        self._engine.bind(self._tables, self._outputs, kernel_rules(self.rules), self._player)

    @property
    def device(self) -> str:
        """Return the name of the device that holds the arrays."""
        return str(self._engine.name)

    @property
    def seeds(self) -> NDArray[np.int64]:
        """Return [n], the seed of the game in progress at each table."""
        return self._states()["seed"].copy()

    @property
    def games(self) -> NDArray[np.int64]:
        """Return [n], the number of the game in progress at each table: that of ``Deal(seed, game)``."""
        return self._states()["game"].copy()

    @property
    def max_loss(self) -> float:
        """Return the maximum loss of a seat from here on, and so the loss of a truncated game.

        >>> GinVector(1).max_loss, GinVector(1, Rules(match_points=0)).max_loss
        (1.0, 1.23)
        """
        if self.reward == "win":
            return 1.0
        return (self.rules.max_round_points + max(0, self.rules.match_points - 1)) / 100

    def reset(self, seed: int | ArrayLike | None = None, *, first: int = 0) -> Observations:
        """Stop all games and start those of a seed, or of a seed for each table, from game ``first`` on; without a seed the next ones."""
        states = self._states().copy()
        if seed is None:
            states["game"] += self._stride
        elif np.ndim(seed) == 0:
            states["seed"], self._stride = check_seed(seed), self.n  # type: ignore[arg-type]
            states["game"] = whole_number(first, "number of the first game") + np.arange(self.n)
        else:
            seeds = np.asarray(seed)
            if seeds.shape != (self.n,) or seeds.dtype.kind not in "iu":
                raise NotLegalHere(f"expected one seed or {self.n}, whole numbers, got {_kind(seeds)}")
            states["seed"], self._stride = [check_seed(number) for number in seeds], 1
            states["game"] = whole_number(first, "number of the first game")
        states["own_seat"] = self._seats
        put = self._engine.put
        put(self._tables.states, states)
        self._engine.start(self._settings)
        # An opponent may have ended a game before the first observation; that is not reported.
        for array in self._result:
            put(array, np.zeros(array.shape, array.dtype))
        put(self._result.scores, self._states()["scores"].astype(np.int32))
        put(self._result.winner, np.full(self.n, -1, np.int8))
        return self._observations

    @property
    def _settings(self) -> StepSettings:
        return StepSettings(by_points=int(self.reward == "points"), stride=self._stride)

    def _states(self) -> NDArray[Any]:
        states: NDArray[Any] = on_host(self._tables.states)
        return states

    def observe(self) -> Observations:
        """Return the observations of the seats to move, in arrays that the next step writes into."""
        return self._observations

    def hidden(self) -> NDArray[np.uint8]:
        """Return [n, 52], the hand of the other seat, for centralised critics; no player may see it.

        The next call writes into the same array.
        """
        self._engine.run("write_hidden", self._tables.states, self._hidden)
        return self._hidden  # type: ignore[no-any-return]

    def observe_both(self) -> NDArray[np.uint8]:
        """Return [n, 2, FEATURES], the observation of each seat, to move or not, in a new array."""
        rows: NDArray[np.uint8] = self._engine.zeros((self.n, 2, FEATURES), np.uint8)
        self._engine.run("write_both", self._tables.states, kernel_rules(self.rules), rows)
        return rows

    def random_actions(self) -> NDArray[np.int64]:
        """Return [n], a legal action for each table, each equally likely; the same for the same decision.

        The next call writes into the same array.
        """
        self._engine.run("choose_at_random", self._tables.states, self._random)
        return self._random  # type: ignore[no-any-return]

    def prior(self, player: Any) -> NDArray[np.float32]:
        """Return [n, PRIOR], the prior logits of a light player for the actions of each seat to move, the input of a policy.

        A logit is 0 for the best action and negative for others, in tens of points; indices 0, 1 and 2 are the stock, the upcard and the
        value of the best, then come discards and knocks as in the actions. The next call with that player writes into the same array. The
        file of a name is read once.

        >>> env = GinVector(2, seed=7)
        >>> (env.prior("network:light")[:, :2] == 0).tolist()  # the first seat had better draw, the second take
        [[True, False], [False, True]]
        """
        prior = self._loaded_prior(player)
        self._engine.run("write_priors", self._tables.states, prior.on_device, kernel_rules(self.rules), prior.logits)
        return prior.logits  # type: ignore[no-any-return]

    def _loaded_prior(self, player: Any) -> LoadedPrior:
        """Return the stored prior of a light player; players with equal networks share it."""
        for prior in self._priors:
            if isinstance(player, str) and player in prior.names:
                return prior
        chosen = players.parse(player) if isinstance(player, str) else player
        parameters = kernel_parameters(chosen)
        if not isinstance(parameters, NetworkParameters):
            raise NotLegalHere(f"{getattr(chosen, 'name', chosen)} has no prior logits; a light player has, such as network:light")
        weights = parameters.weights
        # Identity first: comparing weights takes longer.
        same = [prior for prior in self._priors if prior.weights is weights] or [
            prior for prior in self._priors if all(map(np.array_equal, map(on_host, prior.weights), map(on_host, weights)))
        ]
        if same:
            prior = same[0]
        else:
            on_device = ValueWeights(*map(self._engine.up, weights))
            prior = LoadedPrior(weights, on_device, self._engine.zeros((self.n, PRIOR), np.float32), set())
            self._priors.append(prior)
        if isinstance(player, str):
            prior.names.add(player)
        return prior

    def step(self, actions: Sequence[int] | NDArray[np.integer[Any]]) -> StepResult:
        """Apply one action at each table; if one of them is not legal, none is applied.

        On a GPU a step does not wait for its result: after an illegal action no table moves until ``check`` is called.

        With an opponent inside, several rounds may end within one step; rewards and points are sums then. Results of a
        next game are not reported before the own seat is to move in it, even if rounds of it have ended.
        """
        given = self._engine.actions_of(actions)
        if given.shape != (self.n,) or given.dtype.kind not in "iu":
            raise NotLegalHere(f"expected {self.n} whole numbers as actions, one for each table, got {_kind(given)}")
        illegal = self._engine.step(given)
        if illegal >= 0:
            raise NotLegalHere(self._illegal_text(illegal, int(on_host(given)[illegal])))
        return self._result

    def check(self) -> None:
        """Raise if a step on a GPU was given an action that is not legal; it waits until all steps are done."""
        illegal = self._engine.find_illegal()
        if illegal is not None:
            raise NotLegalHere(self._illegal_text(*illegal))

    def _illegal_text(self, table: int, action: int) -> str:
        low, high = self._states()["legal"][table].tolist()
        legal = [i for i in range(ACTIONS) if (low >> i if i < 64 else high >> i - 64) & 1]
        listed = ", ".join(f"{i} {action_text(i)}" for i in legal[:3])
        more = f" and {len(legal) - 3} more" if len(legal) > 3 else ""
        what = f"{action} ({action_text(action)}) now" if 0 <= action < ACTIONS else f"{action}"
        return f"table {table}: no action {what}; there {'is' if len(legal) == 1 else 'are'} {listed}{more}"

    def copy(self) -> "GinVector":
        """Return a copy of the tables, which continues in the same way."""
        other = copy(self)
        other._engine = copy(self._engine)
        other._build(self.final_observations.size > 0)
        for mine, theirs in zip(self._arrays(), other._arrays(), strict=True):
            other._engine.put(theirs, on_host(mine))
        other._engine.resume(self._settings)
        return other

    def _arrays(self) -> list[Any]:
        """Return the arrays of the tables, and the last observations and results."""
        return [*self._tables, *self._observations, *self._result, self.final_observations]

    def __repr__(self) -> str:
        against = "" if self.opponent is None else f", opponent={self.opponent!r}"
        return f"GinVector({self.n}, {self.rules!r}{against}, device={self.device!r}, reward={self.reward!r})"


def _kind(array: NDArray[Any]) -> str:
    return f"{' x '.join(map(str, array.shape)) or 'one'} of {array.dtype}"

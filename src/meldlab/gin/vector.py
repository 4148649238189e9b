"""Many gin tables at once, as arrays: what learning programs step through.

At every table the seat to move sees its features and a mask of legal actions; one action for each table goes in, and whoever is to move
next is seen. A game that is over makes room for the next one in the same step. Every game is that of the Table for the same deal, action by
action; only showing melds is no action here: when somebody knocks, both hands are arranged and laid off as the built-in players do it.

>>> env = GinVector(3, seed=7)
>>> seen = env.observe()
>>> seen.features.shape, seen.mask.shape, seen.to_move.tolist()
((3, 432), (3, 108), [0, 0, 0])
>>> env.step([PASS, PASS, TAKE]).done.tolist()
[False, False, False]
>>> env.step([0, 0, 0])
Traceback (most recent call last):
    ...
meldlab.errors.NotLegalHere: table 2: no action 0 (pass) now; there are 3 drop AC, 5 drop 3C, 9 drop 7C and 7 more
"""

import json
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numba
import numpy as np
from numpy.typing import ArrayLike, NDArray

from meldlab.cache import replace_file
from meldlab.cards import CARDS
from meldlab.chance import verified
from meldlab.errors import NoSuchThing, NotLegalHere, NotPossible, whole_number
from meldlab.gin import kernel_vector
from meldlab.gin.batch import every_rule
from meldlab.gin.kernel_layout import PARAMETERS
from meldlab.gin.kernel_vector import ACTIONS, FEATURES, GAME, NEW, SEED, STRIDE, Tables, Told
from meldlab.gin.move import DRAW as DRAW_MOVE
from meldlab.gin.move import DROPS, TAKES, Move, Verb
from meldlab.gin.move import PASS as PASS_MOVE
from meldlab.gin.rules import Rules
from meldlab.gin.view import View, best_melds
from meldlab.play import Chance

__all__ = [
    "ACTIONS",
    "BIG_GIN",
    "DRAW",
    "DROP",
    "FEATURES",
    "KNOCK",
    "PASS",
    "PLANES",
    "SCALARS",
    "TAKE",
    "GinVector",
    "Observed",
    "Stepped",
    "action_of",
    "action_text",
    "move_of",
]

# Actions: DROP and KNOCK are followed by one for each card.
PASS, DRAW, TAKE = kernel_vector.DO_PASS, kernel_vector.DO_DRAW, kernel_vector.DO_TAKE
DROP, KNOCK, BIG_GIN = kernel_vector.DO_DROP, kernel_vector.DO_KNOCK, kernel_vector.DO_BIG

_PLANES = ("own", "known", "dropped", "declined", "own_dropped", "pile", "upcard", "order")
PLANES = {name: slice(52 * at, 52 * at + 52) for at, name in enumerate(_PLANES)}
"""Where each plane lies in a row of features; a card's place within a plane is its bit number."""
_SCALARS = (
    *("phase", "turn", "other_turn", "stock", "upcard_draws", "own_score", "other_score"),
    *("knock_limit", "points_wanted", "round", "is_starter", "taken", "deadwood"),
)
SCALARS = {name: 52 * len(_PLANES) + at for at, name in enumerate(_SCALARS)}
"""Where each number lies in a row of features; numbers above 255 are 255."""

REWARDS = ("win", "points")
MOST_TABLES = 1 << 24
WORTH_A_CORE = 256  # tables; stepping fewer takes less time than waking another core
FORMAT = "meldlab gin tables 1"


class Observed(NamedTuple):
    """What the seats to move see; the arrays belong to the environment, which writes the next step into them."""

    features: NDArray[np.uint8]
    """[n, FEATURES], see PLANES and SCALARS."""
    mask: NDArray[np.int8]
    """[n, ACTIONS], 1 for an action that is legal."""
    to_move: NDArray[np.int8]
    """[n], the seat that sees this and is to act."""


class Stepped(NamedTuple):
    """What came of a step; the arrays belong to the environment, which writes the next step into them."""

    rewards: NDArray[np.float32]
    """[n, 2] by seat; a row sums to zero."""
    done: NDArray[np.bool_]
    """[n], whether a game has ended, and the next one begun."""
    points: NDArray[np.int32]
    """[n, 2], of rounds that ended in this step."""
    scores: NDArray[np.int32]
    """[n, 2], of the match; of one that ended, its last ones, without the bonuses of a match."""


class GinVector:
    """``n`` tables of gin at which games follow one another.

    ``seed`` is one number, of which table i plays games i, i + n, i + 2n and so on, or a number for each table, of which it plays games
    0, 1, 2. The reward of a match is 1 for winning it and -1 for losing it, ``reward="points"`` gives (own - other's) / 100 for each
    round; by default a single round is rewarded by points.

    >>> env = GinVector(1000, Rules(match_points=0), seed=1)
    >>> points = 0
    >>> for _ in range(100):
    ...     points += env.step(env.random_actions()).points.sum()
    >>> bool(points > 0), int(env.observe().features[:, SCALARS["points_wanted"]].max())
    (True, 0)
    """

    def __init__(
        self,
        n: int,
        rules: Rules = Rules(),  # noqa: B008  # frozen, so sharing it is harmless
        seed: int | ArrayLike = 0,
        *,
        reward: Literal["win", "points"] | None = None,
        threads: int = 0,
    ) -> None:
        self.n = whole_number(n, "number of tables", 1, MOST_TABLES)
        self.rules = rules
        self.reward = reward or ("win" if rules.match_points else "points")
        if self.reward not in REWARDS:
            raise NoSuchThing("reward", str(self.reward), REWARDS)
        most = int(numba.config.NUMBA_NUM_THREADS)
        if whole_number(threads, "number of threads") > most:
            raise NotPossible(f"{threads} threads asked for, this machine has {most}")
        self._cores = min(threads or most, -(-self.n // WORTH_A_CORE))
        self._pool: ThreadPoolExecutor | None = None
        self._settings = np.array([*every_rule(rules), REWARDS.index(self.reward), 1], np.int64)
        self._players = np.zeros((2, PARAMETERS))
        self._tables = Tables(
            np.zeros((self.n, kernel_vector.NOTED), np.int64),
            np.zeros((self.n, 52), np.uint8),
            np.zeros((self.n, kernel_vector.PILE_CARDS), np.uint8),
            np.zeros((self.n, 52), np.uint8),
            np.zeros((self.n, 2, 0), np.int64),
            np.zeros((self.n, 2, 12), np.int64),
            np.zeros((self.n, 2, 0), np.float64),
        )
        features, mask = np.zeros((self.n, FEATURES), np.uint8), np.zeros((self.n, ACTIONS), np.int8)
        self._observed = Observed(features, mask, np.zeros(self.n, np.int8))
        self._stepped = Stepped(
            np.zeros((self.n, 2), np.float32), np.zeros(self.n, np.bool_), np.zeros((self.n, 2), np.int32), np.zeros((self.n, 2), np.int32)
        )
        self._told = Told(features, features.view(np.uint32), mask.view(np.uint32), self._observed.to_move, *self._stepped)
        self._actions = np.zeros(self.n, np.int64)
        self.reset(seed)

    @property
    def seeds(self) -> NDArray[np.int64]:
        """Return [n], the seed of the game in progress at each table."""
        return self._tables.notes[:, SEED].copy()  # type: ignore[no-any-return]

    @property
    def games(self) -> NDArray[np.int64]:
        """Return [n], the number of the game in progress at each table: that of ``Deal(seed, game)``."""
        return self._tables.notes[:, GAME].copy()  # type: ignore[no-any-return]

    def reset(self, seed: int | ArrayLike = 0) -> Observed:
        """Break off all games and begin with the first ones of a seed, or of a seed for each table."""
        seeds = np.asarray(seed)
        notes = self._tables.notes
        if seeds.ndim == 0:
            notes[:, SEED], notes[:, GAME], self._settings[STRIDE] = verified(seed), np.arange(self.n), self.n  # type: ignore[arg-type]
        else:
            if seeds.shape != (self.n,) or seeds.dtype.kind not in "iu":
                raise NotLegalHere(f"seeds are one whole number or {self.n}, not {_kind(seeds)}")
            notes[:, SEED], notes[:, GAME], self._settings[STRIDE] = [verified(each) for each in seeds], 0, 1
        self._actions[:] = NEW
        self._run()
        return self._observed

    def observe(self) -> Observed:
        """Return what the seat to move sees at each table, in arrays that the next step writes into."""
        return self._observed

    def hidden(self) -> NDArray[np.uint8]:
        """Return [n, 52], the hand of the other seat, for critics that look on while others learn; no player may see it."""
        cards = np.zeros((self.n, 52), np.uint8)
        kernel_vector.tell_hidden(self._tables.notes, cards)
        return cards

    def random_actions(self) -> NDArray[np.int64]:
        """Return [n], a legal action for each table, each equally likely; the same whenever it is asked for the same decision."""
        actions = np.zeros(self.n, np.int64)
        kernel_vector.choose_at_random(self._tables.notes, actions)
        return actions

    def step(self, actions: Sequence[int] | NDArray[np.integer[Any]]) -> Stepped:
        """Apply one action at each table; if one of them is not legal, none is applied."""
        given = np.asarray(actions)
        if given.shape != (self.n,) or given.dtype.kind not in "iu":
            raise NotLegalHere(f"actions are {self.n} whole numbers, one for each table, not {_kind(given)}")
        self._actions[:] = given
        if self._cores > 1:
            wrong = kernel_vector.first_illegal(self._tables.notes, self._actions)
            if wrong < 0:
                self._run()
        else:
            wrong = kernel_vector.step_all(self._tables, self._actions, self._players, self._settings, self._told)
        if wrong >= 0:
            raise NotLegalHere(self._refusal(int(wrong), int(given[wrong])))
        return self._stepped

    def _run(self) -> None:
        """Step all tables, on as many cores as are worth waking; what has begun is waited for, whoever interrupts."""
        if self._cores == 1:
            self._run_some(0, self.n)
            return
        if self._pool is None:
            self._run_some(0, 0)  # loads or compiles the kernel, before several threads ask for it at once
            self._pool = ThreadPoolExecutor(self._cores - 1)
        cuts = [self.n * core // self._cores for core in range(self._cores + 1)]
        others: list[Future[None]] = []
        try:
            others += [self._pool.submit(self._run_some, cuts[core], cuts[core + 1] - cuts[core]) for core in range(1, self._cores)]
            self._run_some(0, cuts[1])
        finally:
            wait(others)
        for other in others:
            other.result()

    def _run_some(self, first: int, many: int) -> None:
        kernel_vector.step_some(self._tables, self._actions, self._players, self._settings, self._told, first, many)

    def _refusal(self, table: int, action: int) -> str:
        legal = np.flatnonzero(self._observed.mask[table]).tolist()
        told = ", ".join(f"{each} {action_text(each)}" for each in legal[:3])
        more = f" and {len(legal) - 3} more" if len(legal) > 3 else ""
        what = f"{action} ({action_text(action)}) now" if 0 <= action < ACTIONS else f"{action}"
        return f"table {table}: no action {what}; there {'is' if len(legal) == 1 else 'are'} {told}{more}"

    def copy(self) -> "GinVector":
        """Return tables of their own that go on in the same way."""
        other = GinVector(self.n, self.rules, reward=self.reward)
        other._cores = self._cores
        for name, array in self._state().items():
            other._state()[name][:] = array
        return other

    def save(self, path: str | Path) -> None:
        """Write everything into a file, from which ``load`` goes on in the same way."""
        facts = {"format": FORMAT, "rules": self.rules.as_record(), "reward": self.reward}
        with replace_file(Path(path)) as file:
            arrays: dict[str, Any] = {"facts": np.array(json.dumps(facts)), **self._state()}
            np.savez(file, **arrays)

    @classmethod
    def load(cls, path: str | Path, *, threads: int = 0) -> "GinVector":
        """Return the tables of a file."""
        try:
            with np.load(path, allow_pickle=False) as file:
                saved = {name: file[name] for name in file.files}
            facts = json.loads(str(saved.pop("facts")))
            if facts["format"] != FORMAT:
                raise KeyError("format")
            env = cls(len(saved["notes"]), Rules.read(facts["rules"]), reward=facts["reward"], threads=threads)
            for name, array in env._state().items():
                if saved[name].shape != array.shape or saved[name].dtype != array.dtype:
                    raise KeyError(name)
                array[:] = saved[name]
        except OSError as problem:
            raise NotPossible(f"{path} cannot be read: {problem.strerror or problem}") from None
        except (KeyError, TypeError, ValueError):
            raise NotPossible(f"{path} holds no saved gin tables") from None
        return env

    def _state(self) -> dict[str, NDArray[Any]]:
        """Return every array that says where the tables stand, and what was last told about them."""
        told = {**self._observed._asdict(), **self._stepped._asdict()}
        return {**self._tables._asdict(), **told, "settings": self._settings}

    def __repr__(self) -> str:
        return f"GinVector({self.n}, {self.rules!r}, reward={self.reward!r})"


def action_text(action: int) -> str:
    """Return an action in words.

    >>> [action_text(action) for action in (PASS, DRAW, TAKE, DROP, KNOCK + 51, BIG_GIN)]
    ['pass', 'draw stock', 'take', 'drop AC', 'knock KS', 'big gin']
    """
    if DROP <= action < BIG_GIN:
        verb, card = (Verb.DROP, action - DROP) if action < KNOCK else (Verb.KNOCK, action - KNOCK)
        return f"{verb} {CARDS[card]}"
    return str({PASS: Verb.PASS, DRAW: Verb.DRAW, TAKE: Verb.TAKE, BIG_GIN: Verb.BIG_GIN}[action])


def action_of(move: Move) -> int:
    """Return the number of a move; of a knock only the discard counts, and showing has none.

    >>> action_of(Move.parse("knock 2C | 5H 6H 7H"))
    56
    """
    if move.verb is Verb.SHOW:
        raise NotLegalHere("showing melds is no action of the vector environment: it shows by itself")
    cards = {Verb.DROP: DROP, Verb.KNOCK: KNOCK}
    if move.verb in cards:
        return cards[move.verb] + move.index
    return {Verb.PASS: PASS, Verb.DRAW: DRAW, Verb.TAKE: TAKE, Verb.BIG_GIN: BIG_GIN}[move.verb]


def move_of(view: View, action: int, chance: Chance | None = None) -> Move:
    """Return the move at the table that an action means; ``chance`` draws the melds that a knock shows, as the built-in players do.

    Without it a knock shows the first of the arrangements with the least deadwood.

    >>> from meldlab.gin import Gin
    >>> from meldlab.play import Deal
    >>> move_of(Gin().start(2, Deal(seed=7)).view(0), TAKE)
    Move.parse('take 4D')
    """
    if action in (PASS, DRAW):
        return PASS_MOVE if action == PASS else DRAW_MOVE
    if action == TAKE and view.pile_indices:
        return TAKES[view.pile_indices[-1]]
    if DROP <= action < KNOCK:
        return DROPS[action - DROP]
    if not KNOCK <= action <= BIG_GIN:
        raise NotLegalHere(f"actions are 0 to {ACTIONS - 1}, not {action}")
    verb, card = (Verb.BIG_GIN, -1) if action == BIG_GIN else (Verb.KNOCK, action - KNOCK)
    rest = view.mask if verb is Verb.BIG_GIN else view.mask & ~(1 << card)
    if chance is None:
        return Move(verb, card, best_melds(rest)[0])
    from meldlab.cards import Hand
    from meldlab.gin.players.player import GinPlayer

    return Move(verb, card, GinPlayer().melds(view, Hand.from_mask(rest), chance))


def _kind(array: NDArray[Any]) -> str:
    return f"{' x '.join(map(str, array.shape)) or 'one'} of {array.dtype}"

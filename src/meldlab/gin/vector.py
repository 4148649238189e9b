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
from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any, Literal, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import ArrayLike, NDArray

from meldlab.cache import replace_file
from meldlab.cards import CARDS
from meldlab.chance import verified
from meldlab.errors import NoSuchThing, NotLegalHere, NotPossible, whole_number
from meldlab.gin import kernel_vector, players
from meldlab.gin.batch import every_rule, pair_of, seat
from meldlab.gin.book import on_host
from meldlab.gin.kernel_layout import ADVICE, ENSEMBLE, KIND, LIGHT, SCORED, SIMPLE
from meldlab.gin.kernel_vector import ACTIONS, FEATURES, GAME, SEED, STRIDE, Tables, Told
from meldlab.gin.move import DRAW as DRAW_MOVE
from meldlab.gin.move import DROPS, TAKES, Move, Verb
from meldlab.gin.move import PASS as PASS_MOVE
from meldlab.gin.rules import ONLY_SIMPLE, Rules
from meldlab.gin.saved_tables import check_tables
from meldlab.gin.stepping import Cores, put
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
    over: NDArray[np.bool_]
    """[n], whether a round has ended, void ones included."""
    winner: NDArray[np.int8]
    """[n], the seat that has won a game that ended, -1 where none did or nobody has."""


class GinVector:
    """``n`` tables of gin at which games follow one another.

    ``seed`` is one number, of which table i plays games i, i + n, i + 2n and so on, or a number for each table, of which it plays games
    0, 1, 2. With an ``opponent``, a player of the kernels or its name, that one answers inside the step; the own seat is i % 2 in the first
    game of table i (0 where each has a seed of its own), and changes with every game. The reward of a match is 1 for winning it and -1 for
    losing it, ``reward="points"`` gives (own - other's) / 100 for each round; by default a single round is rewarded by points.
    ``seats``, one number or one for each table, keeps the own seat the same in all games. With ``finals`` the array ``env.finals``,
    [n, 2, FEATURES], holds what each seat saw last of a game that ended in a step, since ``observe`` shows the next one.

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
        finals: bool = False,
    ) -> None:
        self.n = whole_number(n, "number of tables", 1, MOST_TABLES)
        if not isinstance(rules, Rules):
            raise NotLegalHere(f"rules are a Rules, such as Rules.preset('eaai'), not a {type(rules).__name__}")
        self.rules = rules
        self.reward = reward or ("win" if rules.match_points else "points")
        if self.reward not in REWARDS:
            raise NoSuchThing("reward", str(self.reward), REWARDS)
        self.opponent = None if opponent is None else seat(players.parse(opponent) if isinstance(opponent, str) else opponent)
        self._engine = _engine(device, whole_number(threads, "number of threads"))
        if rules.small and self.opponent is not None and self.opponent.vector[KIND] != SIMPLE:
            raise NotLegalHere(ONLY_SIMPLE)
        self._settings = np.array([*every_rule(rules), REWARDS.index(self.reward), 1], np.int64)
        self._seats = self._checked_seats(seats)
        self._build(finals)
        self.reset(seed)

    def _checked_seats(self, seats: int | ArrayLike | None) -> NDArray[np.int64]:
        """Return [n], the own seat at each table, -1 where it changes."""
        if seats is None:
            return np.full(self.n, -1)
        given = np.asarray(seats)
        if self.opponent is None:
            raise NotLegalHere("seats are those that an opponent inside leaves free, and there is no opponent")
        if given.shape not in ((), (self.n,)) or given.dtype.kind not in "iu" or not np.isin(given, (0, 1)).all():
            raise NotLegalHere(f"seats are 0 or 1, one number or {self.n}")
        rules = self.rules
        at_once = rules.most_draws == 1 or (rules.stock_floor >= 30 and not rules.wall_knock)
        if given.any() and at_once and rules.first_starter == "first" and not rules.offer_upcard:
            raise NotLegalHere("under these rules seat 1 is never asked: seat 0 begins, and a round is over after its first turn")
        return np.broadcast_to(given, (self.n,)).astype(np.int64)

    def _build(self, finals: bool) -> None:
        """Lay out all arrays where they are to be."""
        n, array, words = self.n, self._engine.array, kernel_vector.FEATURES // 4
        kind = None if self.opponent is None else self.opponent.vector[KIND]
        self._tables = Tables(
            array((n, kernel_vector.NOTED), np.int64),
            array((n, 52), np.uint8),
            array((n, kernel_vector.PILE_CARDS), np.uint8),
            array((n, 52), np.uint8),
            array((n, 2, 52 if kind == SIMPLE else 0), np.int64),
            array((n, 2, 12), np.int64),
            array((n, 2, 54 if kind == ENSEMBLE else 0), np.float64),
        )
        # Written four bytes at a time, so they begin where a word does.
        feature_words, mask_words = array((n, words), np.uint32), array((n, kernel_vector.MASK_WORDS), np.uint32)
        self._observed = Observed(feature_words.view(np.uint8), mask_words.view(np.int8), array(n, np.int8))
        numbers = array((n, 2), np.float32), array(n, np.bool_), array((n, 2), np.int32), array((n, 2), np.int32)
        self._stepped = Stepped(*numbers, array(n, np.bool_), array(n, np.int8))
        self.finals = array((n, 2, FEATURES if finals else 0), np.uint8)
        self._told = Told(self._observed.features, feature_words, mask_words, self._observed.to_move, *self._stepped, self.finals)
        self._random, self._hidden = array(n, np.int64), array((n, 52), np.uint8)
        self._advisers: dict[int, tuple[Any, Any, Any]] = {}
        self._engine.sit(self._tables, self._told, None if self.opponent is None else pair_of(self.opponent, self.opponent))

    @property
    def device(self) -> str:
        """Return where the arrays are."""
        return str(self._engine.device)

    @property
    def seeds(self) -> NDArray[np.int64]:
        """Return [n], the seed of the game in progress at each table."""
        return on_host(self._tables.notes)[:, SEED].copy()

    @property
    def games(self) -> NDArray[np.int64]:
        """Return [n], the number of the game in progress at each table: that of ``Deal(seed, game)``."""
        return on_host(self._tables.notes)[:, GAME].copy()

    @property
    def worst(self) -> float:
        """Return what a seat loses at most from here on, and so by breaking a game off.

        >>> GinVector(1).worst, GinVector(1, Rules(match_points=0)).worst
        (1.0, 1.23)
        """
        if self.reward == "win":
            return 1.0
        return (self.rules.most_of_a_round + max(0, self.rules.match_points - 1)) / 100

    def reset(self, seed: int | ArrayLike | None = None, *, first: int = 0) -> Observed:
        """Break off all games and begin with the first ones of a seed, or of a seed for each table, at ``first``; or go on to the next."""
        notes = on_host(self._tables.notes).copy()
        if seed is None:
            notes[:, GAME] += self._settings[STRIDE]
        elif np.ndim(seed) == 0:
            notes[:, SEED], self._settings[STRIDE] = verified(seed), self.n  # type: ignore[arg-type]
            notes[:, GAME] = whole_number(first, "number of the first game") + np.arange(self.n)
        else:
            seeds = np.asarray(seed)
            if seeds.shape != (self.n,) or seeds.dtype.kind not in "iu":
                raise NotLegalHere(f"seeds are one whole number or {self.n}, not {_kind(seeds)}")
            notes[:, SEED], self._settings[STRIDE] = [verified(each) for each in seeds], 1
            notes[:, GAME] = whole_number(first, "number of the first game")
        notes[:, kernel_vector.OWN] = self._seats
        put(self._tables.notes, notes)
        self._engine.rule(self._settings)
        self._engine.begin()
        # An opponent may have ended a game before anybody was asked; that is nothing to tell of.
        for array in self._stepped:
            put(array, np.zeros(array.shape, array.dtype))
        put(self._stepped.scores, on_host(self._tables.notes)[:, SCORED : SCORED + 2].astype(np.int32))
        put(self._stepped.winner, np.full(self.n, -1, np.int8))
        return self._observed

    def observe(self) -> Observed:
        """Return what the seat to move sees at each table, in arrays that the next step writes into."""
        return self._observed

    def hidden(self) -> NDArray[np.uint8]:
        """Return [n, 52], the hand of the other seat, for critics that look on while others learn; no player may see it.

        The next call writes into the same array.
        """
        self._engine.run("tell_hidden", self._tables.notes, self._hidden)
        return self._hidden  # type: ignore[no-any-return]

    def seen(self) -> NDArray[np.uint8]:
        """Return [n, 2, FEATURES], what each seat sees, whoever is to move, in an array of the caller's own."""
        rows: NDArray[np.uint8] = self._engine.array((self.n, 2, FEATURES), np.uint8)
        self._engine.run("tell_both", self._tables, self._engine.settings, rows)
        return rows

    def random_actions(self) -> NDArray[np.int64]:
        """Return [n], a legal action for each table, each equally likely; the same whenever it is asked for the same decision.

        The next call writes into the same array.
        """
        self._engine.run("choose_at_random", self._tables.notes, self._random)
        return self._random  # type: ignore[no-any-return]

    def advice(self, player: Any) -> NDArray[np.float32]:
        """Return [n, ADVICE], what a light player thinks of the actions of each seat to move, for policies that read it.

        It is 0 for the best and below for others, in tens of points; places 0, 1 and 2 are the stock, the upcard and what the best is
        worth, then come drops and knocks as in the actions. The next call with that player writes into the same array.

        >>> env = GinVector(2, seed=7)
        >>> (env.advice("computed:light")[:, :2] == 0).tolist()  # the first seat had better draw, the second take
        [[True, False], [False, True]]
        """
        adviser = seat(players.parse(player) if isinstance(player, str) else player)
        if adviser.vector[KIND] != LIGHT:
            raise NotLegalHere(f"{adviser.name} gives no advice; a light player does, such as computed:light")
        network = adviser.book.network
        if id(network) not in self._advisers:
            self._advisers[id(network)] = network, self._engine.lend(network), self._engine.array((self.n, ADVICE), np.float32)
        _, lent, advice = self._advisers[id(network)]
        self._engine.run("advise_all", self._tables, lent, self._engine.settings, advice)
        return advice  # type: ignore[no-any-return]

    def step(self, actions: Sequence[int] | NDArray[np.integer[Any]]) -> Stepped:
        """Apply one action at each table; if one of them is not legal, none is applied.

        On a GPU a step does not wait, so it cannot say so: from that step on nothing moves until ``check`` is asked.

        With an opponent inside, several rounds may end within one step; rewards and points are sums then. Of a next game nothing is told
        before the own seat is asked in it, even if rounds of it have gone by.
        """
        given = self._engine.given(actions)
        if given.shape != (self.n,) or given.dtype.kind not in "iu":
            raise NotLegalHere(f"actions are {self.n} whole numbers, one for each table, not {_kind(given)}")
        wrong = self._engine.step(given)
        if wrong >= 0:
            raise NotLegalHere(self._refusal(wrong, int(on_host(given)[wrong])))
        return self._stepped

    def check(self) -> None:
        """Raise if a step on a GPU was given an action that is not legal; it waits until all steps are done."""
        wrong = self._engine.wrong()
        if wrong is not None:
            raise NotLegalHere(self._refusal(*wrong))

    def _refusal(self, table: int, action: int) -> str:
        low, high = on_host(self._tables.notes)[table, kernel_vector.LEGAL : kernel_vector.LEGAL + 2].tolist()
        legal = [each for each in range(ACTIONS) if (low >> each if each < 64 else high >> each - 64) & 1]
        told = ", ".join(f"{each} {action_text(each)}" for each in legal[:3])
        more = f" and {len(legal) - 3} more" if len(legal) > 3 else ""
        what = f"{action} ({action_text(action)}) now" if 0 <= action < ACTIONS else f"{action}"
        return f"table {table}: no action {what}; there {'is' if len(legal) == 1 else 'are'} {told}{more}"

    def copy(self) -> "GinVector":
        """Return tables of their own that go on in the same way."""
        other = copy(self)
        other._engine, other._settings = copy(self._engine), self._settings.copy()
        other._build(self.finals.size > 0)
        other._restore({name: on_host(array) for name, array in self._state().items()})
        return other

    def save(self, path: str | Path) -> None:
        """Write everything into a file, from which ``load`` goes on in the same way."""
        facts = {"format": FORMAT, "rules": self.rules.as_record(), "reward": self.reward, "opponent": self.opponent and self.opponent.name}
        facts["finals"] = self.finals.size > 0
        arrays: dict[str, Any] = {name: on_host(array) for name, array in self._state().items()}
        with replace_file(Path(path)) as file:
            np.savez(file, facts=np.array(json.dumps(facts)), player=self._vector(), **arrays)

    @classmethod
    def load(cls, path: str | Path, opponent: Any = None, device: str = "cpu", *, threads: int = 0) -> "GinVector":
        """Return the tables of a file; an opponent that has no name to be found by must be given again."""
        try:
            with np.load(path, allow_pickle=False) as file:
                saved = {name: file[name] for name in file.files}
            facts = json.loads(str(saved["facts"]))
            if facts["format"] != FORMAT:
                raise KeyError(facts["format"])
            rules, player = Rules.read(facts["rules"]), opponent or facts["opponent"]
            tables, reward, finals, numbers = len(saved["notes"]), facts["reward"], facts["finals"], saved["player"]
        except OSError as problem:
            raise NotPossible(f"{path} cannot be read: {problem.strerror or problem}") from None
        except (KeyError, TypeError, ValueError, EOFError, BadZipFile):
            raise NotPossible(f"{path} holds no saved gin tables") from None
        env = cls(tables, rules, 0, player, device, reward=reward, threads=threads, finals=finals)
        if not np.array_equal(numbers, env._vector()):
            raise NotPossible(f"{path} was played against another {facts['opponent'] or 'opponent'}: give it by opponent=")
        try:
            env._restore(saved)
        except (KeyError, ValueError):
            raise NotPossible(f"{path} holds no saved gin tables") from None
        return env

    def _vector(self) -> NDArray[np.float64]:
        """Return the numbers of the opponent, as far as there is one."""
        return np.zeros(0) if self.opponent is None else self.opponent.vector

    def _state(self) -> dict[str, Any]:
        """Return every array that says where the tables stand, and what was last told about them."""
        told = {**self._observed._asdict(), **self._stepped._asdict()}
        return {**self._tables._asdict(), **told, "finals": self.finals, "settings": self._settings}

    def _restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Set all arrays, or none if they do not fit; what is legal is worked out, not believed."""
        state = self._state()
        if any(saved[name].shape != array.shape or saved[name].dtype != array.dtype for name, array in state.items()):
            raise KeyError("arrays of another shape")
        check_tables(saved)
        believed = self._settings.copy()
        believed[STRIDE] = saved["settings"][STRIDE]
        if not np.array_equal(believed, saved["settings"]) or believed[STRIDE] not in (1, self.n):
            raise KeyError("other settings")
        notes = saved["notes"].copy()
        kernel_vector.note_all(notes, saved["pile"], believed)
        if not notes[:, kernel_vector.LEGAL : kernel_vector.LEGAL + 2].any(1).all():
            raise KeyError("a seat with nothing to do")
        for name, array in state.items():
            put(array, notes if name == "notes" else saved[name])
        self._seats = on_host(self._tables.notes)[:, kernel_vector.OWN].copy()
        self._engine.rule(self._settings)

    def __repr__(self) -> str:
        against = "" if self.opponent is None else f", opponent={self.opponent.name!r}"
        return f"GinVector({self.n}, {self.rules!r}{against}, device={self.device!r}, reward={self.reward!r})"


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


def _engine(device: str, threads: int) -> Any:
    """Return what steps the tables: cores of this machine, or its GPU."""
    if device == "cuda":
        from meldlab.gin.stepping_cuda import Gpu

        return Gpu()
    if device != "cpu":
        raise NoSuchThing("device", str(device), ("cpu", "cuda"))
    return Cores(threads)


def _kind(array: NDArray[Any]) -> str:
    return f"{' x '.join(map(str, array.shape)) or 'one'} of {array.dtype}"

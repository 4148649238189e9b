"""Many tables of a described game at once, as arrays: what learning programs step through.

At every table the seat to move sees its features and a mask of its options; one option for each table goes in, by its number from 0 as
``legal_actions()`` lists them, and whoever is to move next is seen. A game that is over makes room for the next one in the same step.
Every game is that of the Table for the same deal, action by action.

>>> env = RecycleVector("kuhn_poker", 3, seed=7)
>>> seen = env.observe()
>>> seen.features.shape, seen.mask[:, :4].tolist(), seen.to_move.tolist()
((3, 31), [[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0]], [0, 0, 0])
>>> env.step([0, 1, 1]).done.tolist(), env.step([0, 0, 1]).done.tolist()
([False, False, False], [True, True, True])
>>> env.step([0, 0, 2])
Traceback (most recent call last):
    ...
meldlab.errors.NotLegalHere: table 2: no option 2; there are 0 to 1
"""

import copy
import hashlib
import json
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from threading import Event
from typing import Any, Literal, NamedTuple, get_args
from zipfile import BadZipFile

import numpy as np
from numpy.typing import ArrayLike, NDArray

from meldlab.cache import replace_file
from meldlab.chance import check_seed
from meldlab.errors import MeldlabError, NoSuchThing, NotLegalHere, NotPossible, whole_number
from meldlab.parallel import core_count
from meldlab.recycle.describe import Describer
from meldlab.recycle.features import Features
from meldlab.recycle.game import Described, State
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine import kernel_vector as v
from meldlab.recycle.machine.kernel import StepUnderway
from meldlab.recycle.machine.position import Position, Words

__all__ = ["Observed", "RecycleVector", "Stepped"]

Reward = Literal["place", "score"]
Beyond = Literal["refuse", "cut"]
MOST_TABLES = 1 << 24
MOST_OPTIONS = 1 << 20
WORTH_A_CORE = 64  # tables; stepping fewer takes less time than waking another core
ROOM = 64  # words of a row for what a game may make in play, to begin with
FORMAT = "meldlab described tables 1"


class Observed(NamedTuple):
    """What the seats to move see; the arrays belong to the environment, which writes the next step into them."""

    features: NDArray[np.uint8]
    """[n, width], see ``RecycleVector.features``."""
    mask: NDArray[np.int8]
    """[n, options], 1 for an option that there is."""
    to_move: NDArray[np.int8]
    """[n], the seat that sees this and is to decide."""


class Stepped(NamedTuple):
    """What came of a step; the arrays belong to the environment, which writes the next step into them."""

    rewards: NDArray[np.float32]
    """[n, seats]; a row sums to zero, but for a game of one seat."""
    done: NDArray[np.bool_]
    """[n], whether a game has ended, and the next one begun."""
    capped: NDArray[np.bool_]
    """[n], whether it ended because it took as many decisions as allowed; it is scored as it stood."""
    failed: NDArray[np.bool_]
    """[n], whether it ended because the description led nowhere; nobody scores, and ``trouble`` says why."""
    scores: NDArray[np.int64]
    """[n, seats], of games that ended."""


class RecycleVector:
    """``n`` tables of a described game at which games follow one another.

    ``game`` is a game, or the name of one in the library or of a file. ``seed`` is one number, of which table i plays games i, i + n,
    i + 2n and so on, or a number for each table, of which it plays games 0, 1, 2. Games that end before anybody decides are passed over.

    Rewards come at the end of a game. By "place" a seat has, for each opponent, 1 if it stands before him and -1 if behind, divided by the
    number of opponents; by "score" it has its score less the mean of all seats, turned round where the lowest score wins. A team stands
    by its mean score. Where one plays alone the reward is the score.

    A mask has room for ``options``. What happens where a position offers more is for ``beyond`` to say: "refuse" raises NotPossible with
    the number that is needed (the tables stand as they are, and a ``copy`` with more options goes on), "cut" offers the first ones only.

    Options are numbered anew at every decision. ``effects`` has in addition a number for what each of them does, for learners that are to
    know an action again; finding it takes a little longer.

    >>> env = RecycleVector("block_rummy", 100, seed=1)
    >>> done = sum(int(env.step(env.random_actions()).done.sum()) for _ in range(300))
    >>> done > 50, bool(env.games.max() >= 100)
    (True, True)
    """

    def __init__(
        self,
        game: Described | str,
        n: int,
        seed: int | ArrayLike = 0,
        *,
        options: int = 64,
        indexes: int = 8,
        reward: Reward = "place",
        beyond: Beyond = "refuse",
        effects: bool = False,
        threads: int = 0,
    ) -> None:
        self.game = Described.named(game) if isinstance(game, str) else game
        if not isinstance(self.game, Described):
            raise NotLegalHere(f"a described game, or the name of one, is wanted, not {game!r}")
        self.n = whole_number(n, "number of tables", 1, MOST_TABLES)
        self.options = whole_number(options, "number of options", 1, MOST_OPTIONS)
        for value, known, what in ((reward, get_args(Reward), "reward"), (beyond, get_args(Beyond), "way with options beyond the mask")):
            if value not in known:
                raise NoSuchThing(what, str(value), known)
        self.reward, self.beyond, self._telling = reward, beyond, bool(effects)
        self._machine = self.game.machine
        self.seats = self._machine.players
        self.features = Features(self._machine, whole_number(indexes, "number of indexes", 1, 1000))
        """What each feature says: by its names, planes and scalars."""
        cores = core_count()
        self._cores = min(whole_number(threads, "number of threads") or cores, cores, -(-self.n // WORTH_A_CORE))
        self._pool: ThreadPoolExecutor | None = None
        self._parts: list[StepUnderway] = []  # one for each core, once it is needed
        self._broken, self._stride = False, self.n  # how far on the next game of a table is
        try:
            self._furnish(self._new_hall())
        except MemoryError:
            raise NotPossible(f"{self.n:,} tables with {self.features.width:,} features take too much memory") from None
        self.reset(check_seed(seed) if np.ndim(seed) == 0 else seed)  # type: ignore[arg-type]

    def _new_hall(self) -> v.Hall:
        n, seats, plan = self.n, self.seats, self._machine.plan
        shapes = {
            "now": (np.int64, v.STEP_NOW),
            "places": (np.int64, 0),
            "rows": (np.int64, (n, plan.fixed + ROOM)),
            **dict.fromkeys(("seeds", "games", "actions", "ends", "errors", "offered"), (np.int64, n)),
            "known": (np.uint8, (n, seats + 1, plan.card_limit)),
            "scores": (np.int64, (n, seats)),
            "rewards": (np.float32, (n, seats)),
            "features": (np.uint8, (n, self.features.width)),
            "mask": (np.int8, (n, self.options)),
            "to_move": (np.int8, n),
            "effects": (np.int64, (n, self.options if self._telling else 0)),
        }
        return v.Hall(**{name: np.zeros(shape, kind) for name, (kind, shape) in shapes.items()}, seen=self.features.seen)

    def _furnish(self, hall: v.Hall) -> None:
        """Work on these arrays from now on."""
        self._hall, self._parts = hall, []
        done, capped, failed = np.zeros((3, self.n), np.bool_)
        self._observed = Observed(hall.features, hall.mask, hall.to_move)
        self._stepped = Stepped(hall.rewards, done, capped, failed, hall.scores)

    def __repr__(self) -> str:
        return f"RecycleVector({self.game.name!r}, {self.n}, options={self.options}, reward={self.reward!r}, beyond={self.beyond!r})"

    # --- where the tables stand

    @property
    def seeds(self) -> NDArray[np.int64]:
        """Return [n], the seed of the game in progress at each table."""
        return self._hall.seeds.copy()

    @property
    def games(self) -> NDArray[np.int64]:
        """Return [n], the number of the game in progress at each table: that of ``Deal(seed, game)``."""
        return self._hall.games.copy()

    @property
    def offered(self) -> NDArray[np.int64]:
        """Return [n], how many options there are at each table, also those beyond the mask."""
        return self._hall.offered.copy()

    @property
    def effects(self) -> NDArray[np.int64]:
        """Return [n, options], a number for what each option does as far as its seat knows, in an array that the next step writes into.

        The number of an option depends on what else there is to choose; that of its effect is the same whenever a seat can do the same.
        """
        if not self._telling:
            raise NotLegalHere("nobody asked for effects: make the tables with effects=True")
        return self._hall.effects

    def observe(self) -> Observed:
        """Return what the seat to move sees at each table, in arrays that the next step writes into."""
        self._verify_whole()
        return self._observed

    def state(self, table: int) -> State:
        """Return the state of a table, with all that the protocol has: views, options in words, what follows from them."""
        self._verify_whole()
        at = whole_number(table, "table", 0, self.n - 1)
        row = self._hall.rows[at]
        words = row[: row[k.TOP]].copy()
        # Whoever asks the position for its options finds them once more.
        words[k.GAME_WORK] -= words[k.WORK]
        return State(Position.of(self._machine, words), self._hall.known[at].copy(), Describer(self._machine))

    def trouble(self, table: int) -> str:
        """Return what went wrong in the game that ended at a table in the last step; nothing if it did not fail."""
        at = whole_number(table, "table", 0, self.n - 1)
        status, where = int(self._hall.ends[at]), int(self._hall.errors[at])
        return self._machine.failure(status, where).problem if status > k.CAPPED else ""

    def random_actions(self) -> NDArray[np.int64]:
        """Return [n], for each table the option that a random player chooses; the same whenever it is asked for the same decision."""
        self._verify_whole()
        actions = np.zeros(self.n, np.int64)
        v.choose_at_random(self._hall, actions)
        return actions

    # --- what changes them

    def reset(self, seed: int | ArrayLike | None = None, *, first: int = 0) -> Observed:
        """Break off all games and begin with the first ones of a seed, or of a seed for each table, at ``first``; or go on to the next."""
        hall, begin = self._hall, whole_number(first, "number of the first game", maximum=2**62)
        if seed is None:
            hall.games[:] += self._stride
        elif np.ndim(seed) == 0:
            hall.seeds[:], hall.games[:], self._stride = check_seed(seed), begin + np.arange(self.n), self.n  # type: ignore[arg-type]
        else:
            seeds = np.asarray(seed)
            if seeds.shape != (self.n,):
                raise NotLegalHere(f"seeds are one whole number or {self.n}, not {_kind(seeds)}")
            hall.seeds[:], hall.games[:], self._stride = [check_seed(each) for each in seeds.tolist()], begin, 1
        self._broken = False
        hall.actions[:] = v.BEGIN
        self._run()
        return self._observed

    def step(self, actions: Sequence[int] | NDArray[np.integer[Any]]) -> Stepped:
        """Carry out one option at each table; if one of them is not there, none is carried out."""
        self._verify_whole()
        hall, given = self._hall, np.asarray(actions)
        if given.shape != (self.n,) or given.dtype.kind not in "iu":
            raise NotLegalHere(f"actions are {self.n} whole numbers, one for each table, not {_kind(given)}")
        hall.actions[:] = given
        wrong = (hall.actions < 0) | (hall.actions >= np.minimum(hall.offered, self.options))
        if wrong.any():
            table = int(wrong.argmax())
            last = min(int(hall.offered[table]), self.options) - 1
            raise NotLegalHere(f"table {table}: no option {given[table]}; there {f'are 0 to {last}' if last else 'is 0 only'}")
        self._run()
        return self._stepped

    def place(self, table: int, state: State) -> None:
        """Let a table go on from a state of the same game, as if it had come to it; the next game there is what it would have been."""
        self._verify_whole()
        at = whole_number(table, "table", 0, self.n - 1)
        if state.position.machine != self._machine:
            raise NotLegalHere(f"this is no state of {self.game.name}")
        if state.position.over:
            raise NotLegalHere("the game is over: nobody decides")
        words = state.position.words
        self._widen(len(words))
        self._hall.rows[at, : len(words)] = words
        self._hall.rows[at, k.WORK] = 0
        self._hall.known[at] = state.known
        self._hall.actions[:] = v.REST
        self._hall.actions[at] = v.LOOK
        self._run()

    def copy(self, options: int | None = None) -> "RecycleVector":
        """Return tables of their own that go on in the same way, with room for as many options or another number."""
        self._verify_whole()
        other = copy.copy(self)
        other._pool = None
        arrays = {name: array.copy() for name, array in self._hall._asdict().items() if name != "seen"}
        other.options = self.options if options is None else whole_number(options, "number of options", 1, MOST_OPTIONS)
        if other.options != self.options:
            arrays |= {"mask": np.zeros((self.n, other.options), np.int8)}
            arrays |= {"effects": np.zeros((self.n, other.options if self._telling else 0), np.int64)}
        other._furnish(v.Hall(**arrays, seen=self._hall.seen))
        if other.options != self.options:
            other._hall.actions[:] = v.LOOK
            other._run()
        for name, array in other._stepped._asdict().items():
            array[:] = getattr(self._stepped, name)
        return other

    # --- files

    def save(self, path: str | Path) -> None:
        """Write everything into a file, from which ``load`` goes on in the same way."""
        self._verify_whole()
        settings = {
            "options": self.options,
            "indexes": self.features.indexes,
            "reward": self.reward,
            "beyond": self.beyond,
            "effects": self._telling,
        }
        facts = {"format": FORMAT, "code": self._code(), "rules": self.game.rules(), "stride": self._stride, "settings": settings}
        with replace_file(Path(path)) as file:
            arrays: dict[str, Any] = self._kept()
            np.savez(file, facts=np.array(json.dumps(facts)), **arrays)

    @classmethod
    def load(cls, path: str | Path, *, threads: int = 0) -> "RecycleVector":
        """Return the tables of a file that ``save`` wrote; only from whom one trusts, since the words of a game are not checked."""
        try:
            with np.load(path, allow_pickle=False) as file:
                saved = {name: file[name] for name in file.files}
            facts = json.loads(str(saved.pop("facts")))
            if facts["format"] != FORMAT:
                raise KeyError("format")
            rules = facts["rules"]
            game = Described(rules["name"], rules["description"], rules["dialect"], Limits(**rules["limits"]))
            env = cls(game, len(saved["rows"]), threads=threads, **facts["settings"])
            if env._code() != facts["code"]:
                raise NotPossible(f"{path} was written by another version, whose machine counts otherwise")
            env._widen(saved["rows"].shape[1])
            env._stride = whole_number(facts["stride"], "stride")
            for name, array in env._kept().items():
                if saved[name].shape != array.shape or saved[name].dtype != array.dtype:
                    raise KeyError(name)
                array[:] = saved[name]
        except OSError as problem:
            raise NotPossible(f"{path} cannot be read: {problem.strerror or problem}") from None
        except NotPossible:
            raise
        except (BadZipFile, EOFError, KeyError, RecursionError, TypeError, ValueError, MeldlabError):
            raise NotPossible(f"{path} holds no saved tables of a described game") from None
        return env

    def _kept(self) -> dict[str, NDArray[Any]]:
        """Return every array that says where the tables stand, and what was last told about them."""
        hall = {name: array for name, array in self._hall._asdict().items() if name not in ("now", "places", "actions", "seen")}
        return hall | self._stepped._asdict()

    def _code(self) -> str:
        """Return a digest of what the words of a game depend on."""
        digest = hashlib.sha256(str(self.features.names).encode())
        for part in (*self._machine.program, self._machine.initial):
            digest.update(part.tobytes())
        return digest.hexdigest()[:16]

    # --- the machine

    def _verify_whole(self) -> None:
        if self._broken:
            raise NotPossible("a step was broken off in the middle: reset the tables, or load them")

    def _widen(self, words: int) -> None:
        """Make the rows at least so wide."""
        rows = self._hall.rows
        if words > rows.shape[1]:
            wider = np.zeros((self.n, words), np.int64)
            wider[:, : rows.shape[1]] = rows
            self._hall = self._hall._replace(rows=wider)
            self._parts = [part.with_rows(wider) for part in self._parts]

    def _new_part(self, room: Words) -> StepUnderway:
        now = np.zeros(v.STEP_NOW, np.int64)
        now[v.V_SIGN] = 1 if self._machine.best == "max" else -1
        now[v.V_REWARD] = v.BY_PLACE if self.reward == "place" else v.BY_SCORE
        places = np.zeros(self._machine.plan.dynamic_end, np.int64)
        return StepUnderway.of(room, self._hall._replace(now=now, places=places), self._machine.limits.decisions)

    def _run(self) -> None:
        """Take every table that has something to do a step further, on as many cores as are worth waking."""
        hall, told = self._hall, self._stepped
        for array in (hall.ends, hall.rewards, hall.scores):
            array.fill(0)
        self._parts = self._parts or [self._new_part(room) for room in self._machine.rooms(self._cores)]
        for core, part in enumerate(self._parts):
            part.begin(self.n * core // self._cores, self.n * (core + 1) // self._cores, self._stride)
        self._broken = True
        unfinished = list(range(self._cores))
        while unfinished:
            needed = self._go([self._parts[core] for core in unfinished])
            unfinished = [core for core, words in zip(unfinished, needed, strict=True) if words]
            if unfinished:
                self._widen(max(*needed, 5 * self._hall.rows.shape[1] // 4))
        if any(part.hall.now[v.V_STUCK] for part in self._parts):
            raise NotPossible(f"of {v.MOST_PASSED:,} games of {self.game.name} none comes to a decision")
        self._broken = False
        np.not_equal(hall.ends, 0, out=told.done)
        np.equal(hall.ends, k.CAPPED, out=told.capped)
        np.greater(hall.ends, k.CAPPED, out=told.failed)
        if self.beyond == "refuse" and (most := int(hall.offered.max())) > self.options:
            raise NotPossible(
                f"table {int(hall.offered.argmax())} of {self.game.name} offers {most:,} options, its mask has room for {self.options:,}:"
                f" ask for options={most} or more, or beyond='cut'"
            )

    def _go(self, parts: list[StepUnderway]) -> list[int]:
        """Go on with a step, each part on a core of its own; return the words that the rows need for each, 0 where it is done."""
        program, initial = self._machine.program, self._machine.initial
        if len(parts) == 1:
            return [parts[0].go(program, initial)]
        self._pool = self._pool or ThreadPoolExecutor(self._cores - 1)
        stopped, others = Event(), list[Future[int]]()
        try:
            others += [self._pool.submit(part.go, program, initial, stopped) for part in parts[1:]]
            return [parts[0].go(program, initial, stopped), *(other.result() for other in others)]
        finally:
            stopped.set()
            wait(others)


def _kind(array: NDArray[Any]) -> str:
    return f"{' x '.join(map(str, array.shape)) or 'one'} of {array.dtype}"

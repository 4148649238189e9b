"""Many tables of a RECYCLE game at once, as arrays, for learning programs.

At every table the seat to move observes its features and a mask of its options; a step takes the index of one option for each table, as
``legal_actions()`` lists them, and the observation is then that of the next seat to move. After the end of a game the next one starts in
the same step. Every game is that of the Table for the same deal, action by action.

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
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Event
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from meldlab.chance import check_seed
from meldlab.errors import NoSuchThing, NotLegalHere, NotPossible, whole_number
from meldlab.parallel import core_count
from meldlab.play.batch import Observations
from meldlab.recycle.features import Features
from meldlab.recycle.game import RecycleGame
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine import kernel_tables as kt
from meldlab.recycle.machine.kernel_drive import NO_RESULTS, Bytecode, new_job, run_job
from meldlab.recycle.machine.position import IntArray, Position
from meldlab.recycle.narration import Narrator
from meldlab.recycle.state import State

Reward = Literal["place", "score"]
Overflow = Literal["error", "truncate"]
MAX_TABLES = 1 << 24
MAX_OPTIONS = 1 << 20
TABLES_PER_CORE = 64  # stepping fewer takes less time than waking another core
SPARE_WORDS = 64  # of a row at first, for locations and memories made in play


class StepResult(NamedTuple):
    """Results of a step; the arrays belong to the environment, which writes the next step into them."""

    rewards: NDArray[np.float32]
    """[n, seats]; a row sums to zero, except in a game of one seat."""
    done: NDArray[np.bool_]
    """[n], whether a game has ended, and the next one started."""
    capped: NDArray[np.bool_]
    """[n], whether it ended because it took as many decisions as allowed; it is scored as it was."""
    failed: NDArray[np.bool_]
    """[n], whether it ended because the description led nowhere; no seat scores, and ``failure`` has the reason."""
    scores: NDArray[np.int64]
    """[n, seats], of games that ended."""


class StepJob(NamedTuple):
    """The step of some tables, and the state of the machine that they are played on."""

    stack: IntArray  # [1, words]
    job: NDArray[Any]  # [1] JOB
    tables: kt.Tables

    def start(self, first: int, end: int, stride: int) -> None:
        """Start a step of the tables ``first`` .. ``end`` - 1; the next game of each has a number that is higher by ``stride``."""
        self.job["task"], self.job["player"], self.job["paused"] = k.LOAD_TABLE, 1, 0
        step = self.tables.step
        step["table"], step["end"], step["stride"], step["stuck"] = first, end, stride, 0

    def run(self, program: Bytecode, stopped: Event | None = None) -> int:
        """Continue to the end of the step; return the width that the rows need before it can continue, or 0."""
        answer = run_job(program, self.stack, self.job, NO_RESULTS, None, self.tables, stopped)
        return int(self.tables.step["needed"][0]) if answer == k.ROWS_TOO_NARROW else 0


class RecycleVector:
    """``n`` tables of a RECYCLE game at which games follow one another.

    ``game`` is a game, or the name of one in the library or of a file. ``seed`` is one number, of which table i plays games i, i + n,
    i + 2n and so on, or a number for each table, of which it plays games 0, 1, 2. Games that end before any decision are passed over.

    Rewards come at the end of a game. By "place" a seat has, for each opponent, 1 if it is ahead of it and -1 if behind, divided by the
    number of opponents; by "score" it has its score less the mean of all seats, negated where the lowest score wins. A team has its mean
    score. In a game of one seat the reward is the score.

    A mask has ``options`` columns. ``overflow`` says what happens where a position has more options: "error" raises NotPossible with the
    number that is needed (the tables stay as they are, and a ``copy`` with more options continues), "truncate" offers the first ones only.

    Options are numbered anew at every decision. With ``action_keys`` each has in addition a key of its effects, for learners that must
    recognise an action; finding it takes a little longer.

    >>> env = RecycleVector("block_rummy", 100, seed=1)
    >>> done = sum(int(env.step(env.random_actions()).done.sum()) for _ in range(300))
    >>> done > 50, bool(env.games.max() >= 100)
    (True, True)
    """

    def __init__(
        self,
        game: RecycleGame | str,
        n: int,
        seed: int | ArrayLike = 0,
        *,
        options: int = 64,
        indexes: int = 8,
        reward: Reward = "place",
        overflow: Overflow = "error",
        action_keys: bool = False,
        threads: int = 0,
    ) -> None:
        self.game = RecycleGame.load(game) if isinstance(game, str) else game
        if not isinstance(self.game, RecycleGame):
            raise NotLegalHere(f"expected a RECYCLE game or the name of one, got {game!r}")
        self.n = whole_number(n, "number of tables", 1, MAX_TABLES)
        self.options = whole_number(options, "number of options", 1, MAX_OPTIONS)
        for value, known, what in ((reward, get_args(Reward), "reward"), (overflow, get_args(Overflow), "overflow of options")):
            if value not in known:
                raise NoSuchThing(what, str(value), known)
        self.reward, self.overflow, self._with_keys = reward, overflow, bool(action_keys)
        self._machine = self.game.machine
        self.seats = self._machine.players
        self.features = Features(self._machine, whole_number(indexes, "number of indexes", 1, 1000))
        """The features by their names, planes and scalars."""
        cores = core_count()
        self._cores = min(whole_number(threads, "number of threads") or cores, cores, -(-self.n // TABLES_PER_CORE))
        self._pool: ThreadPoolExecutor | None = None
        self._jobs: list[StepJob] = []  # one for each core, made for the first step
        self._interrupted, self._stride = False, self.n  # whether in the middle of a step; the distance to the next game of a table
        try:
            self._use(self._new_tables())
        except MemoryError:
            raise NotPossible(f"{self.n:,} tables with {self.features.width:,} features take too much memory") from None
        self.reset(check_seed(seed) if np.ndim(seed) == 0 else seed)  # type: ignore[arg-type]

    def _new_tables(self) -> kt.Tables:
        n, seats, storage = self.n, self.seats, self._machine.storage
        shapes: dict[str, tuple[Any, Any]] = {
            "step": (kt.STEP_JOB, 1),
            "blocks": (np.int64, 0),
            "rows": (np.int64, (n, storage.fixed + SPARE_WORDS)),
            **dict.fromkeys(("seeds", "games", "actions", "ends", "errors", "option_counts"), (np.int64, n)),
            "known": (np.uint8, (n, seats, storage.card_limit)),
            "scores": (np.int64, (n, seats)),
            "rewards": (np.float32, (n, seats)),
            "features": (np.uint8, (n, self.features.width)),
            "mask": (np.int8, (n, self.options)),
            "to_move": (np.int8, n),
            "action_keys": (np.int64, (n, self.options if self._with_keys else 0)),
        }
        return kt.Tables(**{name: np.zeros(shape, kind) for name, (kind, shape) in shapes.items()}, layout=self.features.layout)

    def _use(self, tables: kt.Tables) -> None:
        """Work on these arrays from now on."""
        self._tables, self._jobs = tables, []
        done, capped, failed = np.zeros((3, self.n), np.bool_)
        self._observations = Observations(tables.features, tables.mask, tables.to_move)
        self._result = StepResult(tables.rewards, done, capped, failed, tables.scores)

    def __repr__(self) -> str:
        return f"RecycleVector({self.game.name!r}, {self.n}, options={self.options}, reward={self.reward!r}, overflow={self.overflow!r})"

    # --- the tables

    @property
    def seeds(self) -> NDArray[np.int64]:
        """Return [n], the seed of the game in progress at each table."""
        return self._tables.seeds.copy()

    @property
    def games(self) -> NDArray[np.int64]:
        """Return [n], the number of the game in progress at each table: that of ``Deal(seed, game)``."""
        return self._tables.games.copy()

    @property
    def option_counts(self) -> NDArray[np.int64]:
        """Return [n], the number of options at each table, including those that the mask leaves out."""
        return self._tables.option_counts.copy()

    @property
    def action_keys(self) -> NDArray[np.int64]:
        """Return [n, options], a key of what each option does as far as its seat knows, in an array that the next step writes into.

        The index of an option depends on the other options; the key is the same whenever a seat can do the same.
        """
        if not self._with_keys:
            raise NotLegalHere("the tables were made without keys: make them with action_keys=True")
        return self._tables.action_keys

    def observe(self) -> Observations:
        """Return the observation of the seat to move at each table, in arrays that the next step writes into."""
        self._verify_whole()
        return self._observations

    def state(self, table: int) -> State:
        """Return the state of a table, as the protocol has it: with views, options as text, and what follows from them."""
        self._verify_whole()
        row = self._tables.rows[whole_number(table, "table", 0, self.n - 1)]
        words = row[: row[k.TOP]].copy()
        # The position lists its options once more.
        words[k.GAME_WORK] -= words[k.WORK]
        return State(Position(self._machine, words), self._tables.known[table].copy(), Narrator(self._machine))

    def failure(self, table: int) -> str:
        """Return the error of the game that ended at a table in the last step; an empty text if it did not fail."""
        index = whole_number(table, "table", 0, self.n - 1)
        status, instruction = int(self._tables.ends[index]), int(self._tables.errors[index])
        return self._machine.error(status, instruction).problem if status > k.CAPPED else ""

    def random_actions(self) -> NDArray[np.int64]:
        """Return [n], the choice of a random player at each table; the same for the same decision."""
        self._verify_whole()
        actions = np.zeros(self.n, np.int64)
        kt.choose_at_random(self._tables, actions)
        return actions

    # --- changes

    def reset(self, seed: int | ArrayLike | None = None, *, first: int = 0) -> Observations:
        """Stop all games and start the first ones of a seed, or of a seed for each table, at ``first``; without a seed, the next ones."""
        tables, start = self._tables, whole_number(first, "number of the first game", maximum=2**62)
        if seed is None:
            tables.games[:] += self._stride
        elif np.ndim(seed) == 0:
            tables.seeds[:], tables.games[:], self._stride = check_seed(seed), start + np.arange(self.n), self.n  # type: ignore[arg-type]
        else:
            seeds = np.asarray(seed)
            if seeds.shape != (self.n,):
                raise NotLegalHere(f"seeds are one whole number or {self.n}, not {_kind(seeds)}")
            tables.seeds[:], tables.games[:], self._stride = [check_seed(number) for number in seeds.tolist()], start, 1
        self._interrupted = False
        tables.actions[:] = kt.START_NEXT
        self._run()
        return self._observations

    def step(self, actions: Sequence[int] | NDArray[np.integer[Any]]) -> StepResult:
        """Carry out one option at each table; if one of them does not exist, none is carried out."""
        self._verify_whole()
        tables, given = self._tables, np.asarray(actions)
        if given.shape != (self.n,) or given.dtype.kind not in "iu":
            raise NotLegalHere(f"actions are {self.n} whole numbers, one for each table, not {_kind(given)}")
        tables.actions[:] = given
        wrong = (tables.actions < 0) | (tables.actions >= np.minimum(tables.option_counts, self.options))
        if wrong.any():
            table = int(wrong.argmax())
            last = min(int(tables.option_counts[table]), self.options) - 1
            raise NotLegalHere(f"table {table}: no option {given[table]}; there {f'are 0 to {last}' if last else 'is 0 only'}")
        self._run()
        return self._result

    def set_state(self, table: int, state: State) -> None:
        """Continue a table from a state of the same game; the next game there stays what it would have been."""
        self._verify_whole()
        index = whole_number(table, "table", 0, self.n - 1)
        if state.position.machine != self._machine:
            raise NotLegalHere(f"this is not a state of {self.game.name}")
        if state.position.over:
            raise NotLegalHere("the game is over: there is no decision")
        words = state.position.words
        self._widen(len(words))
        self._tables.rows[index, : len(words)] = words
        self._tables.rows[index, k.WORK] = 0
        self._tables.known[index] = state.known
        self._tables.actions[:] = kt.REST
        self._tables.actions[index] = kt.LOOK
        self._run()

    def copy(self, options: int | None = None) -> "RecycleVector":
        """Return independent tables that continue in the same way, with as many options in the mask or another number."""
        self._verify_whole()
        other = copy.copy(self)
        other._pool = None
        arrays = {name: array.copy() for name, array in self._tables._asdict().items() if name != "layout"}
        other.options = self.options if options is None else whole_number(options, "number of options", 1, MAX_OPTIONS)
        if other.options != self.options:
            arrays |= {"mask": np.zeros((self.n, other.options), np.int8)}
            arrays |= {"action_keys": np.zeros((self.n, other.options if self._with_keys else 0), np.int64)}
        other._use(kt.Tables(**arrays, layout=self._tables.layout))
        if other.options != self.options:
            other._tables.actions[:] = kt.LOOK
            other._run()
        for name, array in other._result._asdict().items():
            array[:] = getattr(self._result, name)
        return other

    # --- the machine

    def _verify_whole(self) -> None:
        if self._interrupted:
            raise NotPossible("a step was interrupted: reset the tables")

    def _widen(self, words: int) -> None:
        """Make the rows at least this wide."""
        rows = self._tables.rows
        if words > rows.shape[1]:
            wider = np.zeros((self.n, words), np.int64)
            wider[:, : rows.shape[1]] = rows
            self._tables = self._tables._replace(rows=wider)
            self._jobs = [job._replace(tables=job.tables._replace(rows=wider)) for job in self._jobs]

    def _new_job(self, words: IntArray) -> StepJob:
        step = np.zeros(1, kt.STEP_JOB)
        step["sign"] = 1 if self._machine.scoring == "max" else -1
        step["reward"] = kt.BY_PLACE if self.reward == "place" else kt.BY_SCORE
        blocks = np.zeros(self._machine.storage.dynamic_end, np.int64)
        job = new_job(k.STEP_TABLES, limit=self._machine.limits.decisions)
        return StepJob(words.reshape(1, -1), job, self._tables._replace(step=step, blocks=blocks))

    def _run(self) -> None:
        """Take every table that has something to do a step further, on as many cores as are worth waking."""
        tables, result = self._tables, self._result
        for array in (tables.ends, tables.rewards, tables.scores):
            array.fill(0)
        self._jobs = self._jobs or [self._new_job(words) for words in self._machine.workspaces(self._cores)]
        for core, job in enumerate(self._jobs):
            job.start(self.n * core // self._cores, self.n * (core + 1) // self._cores, self._stride)
        self._interrupted = True
        unfinished = list(range(self._cores))
        while unfinished:
            needed = self._run_jobs([self._jobs[core] for core in unfinished])
            unfinished = [core for core, words in zip(unfinished, needed, strict=True) if words]
            if unfinished:
                self._widen(max(*needed, 5 * self._tables.rows.shape[1] // 4))
        if any(job.tables.step["stuck"][0] for job in self._jobs):
            raise NotPossible(f"{kt.MAX_PASSED:,} games of {self.game.name} in a row end without a decision")
        self._interrupted = False
        np.not_equal(tables.ends, 0, out=result.done)
        np.equal(tables.ends, k.CAPPED, out=result.capped)
        np.greater(tables.ends, k.CAPPED, out=result.failed)
        if self.overflow == "error" and (largest := int(tables.option_counts.max())) > self.options:
            raise NotPossible(
                f"table {int(tables.option_counts.argmax())} of {self.game.name} has {largest:,} options, its mask {self.options:,}:"
                f" ask for options={largest} or more, or overflow='truncate'"
            )

    def _run_jobs(self, jobs: list[StepJob]) -> list[int]:
        """Continue a step, each job on a core of its own; return the width that the rows need for each, 0 where it is done."""
        program = self._machine.program
        if len(jobs) == 1:
            return [jobs[0].run(program)]
        self._pool = self._pool or ThreadPoolExecutor(self._cores - 1)
        stopped, others = Event(), list[Future[int]]()
        try:
            others += [self._pool.submit(job.run, program, stopped) for job in jobs[1:]]
            return [jobs[0].run(program, stopped), *(other.result() for other in others)]
        finally:
            stopped.set()
            wait(others)


def _kind(array: NDArray[Any]) -> str:
    return f"{' x '.join(map(str, array.shape)) or 'one'} of {array.dtype}"

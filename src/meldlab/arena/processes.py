"""Games at the table, one after the other: in this process, or in others, which can be killed when a player does not end.

A player is made once in every process and plays all games of that process, so what it keeps between games it keeps there. Which deals
a process plays depends on how many there are, never on how fast they are; a player that learns is measured in one.
"""

import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import connection, get_context
from traceback import format_exc
from typing import Any, NamedTuple

import numpy as np

from meldlab.errors import NotLegalHere, NotPossible
from meldlab.games import player_of, stand_in
from meldlab.parallel import core_count
from meldlab.play import Batch, Chance, Deal, FinishedGame, Game, Player, Record, Result, Table, TimeLimit, win_shares
from meldlab.play.clock import MAX_WALL_RATIO

__all__ = ["Keep", "Series", "warm_up"]

GRACE = 1.0  # seconds that a process has to stop a player by itself
OUT_OF_TIME = 75  # status of a process that could only end
MOST_PROCESSES = 256
FEW = 100  # games in whose time a process starts
CHOOSING, BEGAN, CPU_BEGAN, LATE = range(4)  # in shared memory: the seat that is asked, from 1, since when, and a seat stopped for time
Players = Sequence[Player[Any, Any]]


class Keep(NamedTuple):
    """Who wants the records of the first games of a series, and of how many."""

    games: int
    take: Callable[[Record], None]


class Ended(NamedTuple):
    """A game that is over: how it ended, what the game counted, what went wrong, and its record where that is kept."""

    result: Result
    counts: dict[str, Any]
    trouble: str = ""
    record: Record | None = None


@dataclass(frozen=True)
class Series:
    """Some players, by name or as they are, and the games between them: of each deal one for each way to seat them."""

    game: Game[Any]
    players: tuple[str | Player[Any, Any], ...]
    ways: tuple[tuple[int, ...], ...]
    seed: int = 0
    time: TimeLimit = TimeLimit()  # noqa: RUF009  # frozen, so sharing it is harmless
    kept: int = 0
    """Of so many games, the first ones, the record comes with the end."""

    def batches(
        self, found: Players, deals: int, threads: int, take: Callable[[Record], None], *, raise_errors: bool = False
    ) -> Iterator[tuple[int, list[Batch]]]:
        """Give for each deal a batch of one game for each way; ``take`` gets the records that are kept."""
        if threads > MOST_PROCESSES:
            raise NotPossible(f"{threads} processes asked for (at most {MOST_PROCESSES})")
        ways = len(self.ways)
        ended = self.games(found, deals, threads or min(core_count(), deals * ways // FEW), raise_errors=raise_errors)
        for deal in range(deals):
            games = [next(ended) for _ in self.ways]
            for game in games:
                if game.record is not None:
                    take(game.record)
            yield deal, [self._batch(deal, game) for game in games]

    def _batch(self, deal: int, ended: Ended) -> Batch:
        counts = {name: np.array([number], np.int64) for name, number in ended.counts.items()}
        scores, wins = np.array([ended.result.scores], np.int64), np.array([win_shares(ended.result)])
        return Batch(scores, wins, counts, {deal: ended.trouble} if ended.trouble else {})

    def seat(self) -> Players:
        """Return the players."""
        return [player_of(self.game, one) if isinstance(one, str) else one for one in self.players]

    def tables(self, found: Players, *, raise_errors: bool = False, seen: Any = None) -> list[Table[Any]]:
        """Return a table for each way to sit; ``seen`` lets others see whose turn it is."""
        return [
            Table(
                self.game,
                [Watched(found[player], seat, seen) if seen is not None else found[player] for seat, player in enumerate(way)],
                self.time,
                raise_errors=raise_errors,
            )
            for way in self.ways
        ]

    def play(self, tables: Sequence[Table[Any]], number: int) -> Ended:
        """Play one game."""
        deal, way = divmod(number, len(self.ways))
        played = tables[way].play(Deal(self.seed, deal))
        # A described game that its program cannot go on with ends without a winner, and says so.
        failed = played.result.reason if played.result.reason.startswith("failed: ") else ""
        record = played.record if number < self.kept else None
        return Ended(played.result, counted(self.game, played), played.abnormal_end or failed, record)

    def games(self, found: Players, deals: int, processes: int, *, raise_errors: bool = False) -> Iterator[Ended]:
        """Give the games in order; a time limit that nobody can sleep through takes a process of its own."""
        ways, many = len(self.ways), deals * len(self.ways)
        named = all(isinstance(one, str) for one in self.players)
        if raise_errors or not named or (processes <= 1 and not self.time):
            tables = self.tables(found, raise_errors=raise_errors)
            yield from (self.play(tables, number) for number in range(many))
            return
        processes = max(1, min(processes, deals))
        names = [one.name for one in found]
        workers = [PlayingProcess(self, names, [n for n in range(many) if n // ways % processes == one]) for one in range(processes)]
        done: dict[int, Ended] = {}
        try:
            for number in range(many):
                while number not in done:
                    connection.wait([worker.receiver for worker in workers if worker.left], timeout=0.1)
                    for worker in workers:
                        worker.collect(done)
                yield done.pop(number)
        finally:
            for worker in workers:
                worker.stop()


class PlayingProcess:
    """A process that plays some games of a series, and is started again when a player takes it down."""

    def __init__(self, series: Series, names: Sequence[str], numbers: list[int]) -> None:
        self.series, self.names, self.left = series, names, deque(numbers)
        self._start()

    def _start(self) -> None:
        # A new process, not a copy of this one: compiled kernels may hold threads that a copy would lack.
        context = get_context("spawn")
        self.seen: Any = context.RawArray("d", 4)
        self.receiver, sender = context.Pipe(duplex=False)
        self.process = context.Process(target=_work, args=(self.series, tuple(self.left), self.seen, sender), daemon=True)
        self.process.start()
        sender.close()

    def collect(self, done: dict[int, Ended]) -> None:
        """Take the games that are finished; of one that cannot be finished, the player that was asked forfeits it."""
        late = 0
        try:
            self._receive(done)
            # Which seat of which game is late is read before the process is killed: until then the game may continue.
            late, number = self._late_seat(), self.left[0] if self.left else -1
            if late:
                self.process.kill()
                self._receive(done, until_closed=True)
        except (EOFError, OSError):
            self.process.join()
            seat = late or int(self.seen[LATE] or self.seen[CHOOSING])
            if not late or self.left[0] == number:
                number = self.left.popleft()
                done[number] = self._forfeit(number, seat - 1, late > 0 or self.process.exitcode == OUT_OF_TIME)
            self.stop()
            if self.left:
                self._start()

    def _receive(self, done: dict[int, Ended], *, until_closed: bool = False) -> None:
        while self.left and (until_closed or self.receiver.poll()):
            answer = self.receiver.recv()
            if isinstance(answer, BaseException):
                raise answer
            done[self.left.popleft()] = answer

    def _late_seat(self) -> int:
        """Return the seat, from 1, that is over its time, or 0."""
        seat = int(self.seen[CHOOSING])
        if not self.left or not self.series.time or not seat:
            return 0
        return seat if time.monotonic() - self.seen[BEGAN] > MAX_WALL_RATIO * self.series.time.longest_move + GRACE else 0

    def _forfeit(self, number: int, seat: int, late: bool) -> Ended:
        if seat < 0:
            status = self.process.exitcode
            raise NotPossible(f"a process of the arena ended with status {status}; in a script, call it below if __name__ == '__main__'")
        deal, turn = divmod(number, len(self.series.ways))
        way = self.series.ways[turn]
        why = f"ran out of time ({self.series.time})" if late else "ended the process it played in"
        line = f"p{seat + 1} forfeits: {self.names[way[seat]]} {why}"
        # How far the game was went down with the process; from its start nobody can have had more.
        broken = Table(self.series.game, [stand_in(self.series.game)] * len(way), max_actions=0).play(Deal(self.series.seed, deal))
        return Ended(broken.first.forfeit(seat, line), counted(self.series.game, broken), line)

    def stop(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.join()
        self.receiver.close()


class Watched:
    """A player whose turn can be seen from outside its process."""

    def __init__(self, player: Player[Any, Any], seat: int, seen: Any) -> None:
        self.__wrapped__, self.name, self.seat, self.seen = player, player.name, seat, seen

    def choose(self, view: Any, chance: Chance) -> Any:
        """Ask the player."""
        self.seen[BEGAN], self.seen[CPU_BEGAN] = time.monotonic(), time.process_time()
        self.seen[CHOOSING] = self.seat + 1
        try:
            return self.__wrapped__.choose(view, chance)
        finally:
            self.seen[CHOOSING] = 0


def counted(game: Game[Any], played: FinishedGame[Any]) -> dict[str, Any]:
    """Return what a game counts of itself, if it does."""
    found: dict[str, Any] = game.counted(played) if hasattr(game, "counted") else {}
    return found


def warm_up(game: Game[Any], players: Players) -> None:
    """Play a game that does not count, so that no player's time goes by while a kernel is loaded; one from elsewhere is not asked."""
    known = [one if type(one).__module__.startswith("meldlab.") else stand_in(game) for one in players]
    Table(game, known).play(Deal())


def _work(series: Series, numbers: tuple[int, ...], seen: Any, sender: Any) -> None:
    # Ctrl-C is for the process that started this one and will stop it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        found = series.seat()
        if series.time:
            warm_up(series.game, [found[player] for player in series.ways[0]])
            threading.Thread(target=_end_in_time, args=(series.time, seen), daemon=True).start()
        tables = series.tables(found, seen=seen)
        for number in numbers:
            sender.send(series.play(tables, number))
    except BrokenPipeError:
        return  # nobody wants the rest
    except BaseException as problem:
        sender.send(_carried(problem))


def _end_in_time(limit: TimeLimit, seen: Any) -> None:
    """End the process when a player has used far more than its time, and so does not listen to the clock."""
    while True:
        time.sleep(0.1)
        seat = seen[CHOOSING]
        if seat and time.process_time() - seen[CPU_BEGAN] > limit.longest_move + GRACE:
            seen[LATE] = seat  # the game may continue until the process has ended
            os._exit(OUT_OF_TIME)


def _carried(problem: BaseException) -> BaseException:
    """Return a mistake of ours as it can be sent, with the place where it happened."""
    if isinstance(problem, NotLegalHere):
        return NotLegalHere(str(problem))
    return RuntimeError(f"in a process of the arena:\n{format_exc()}")

"""Games of gin at the table, one after the other: in this process, or in others, which can be killed when a player does not end.

A player is made once in every process and plays all games of that process, so what it keeps between games it keeps there. Which games
a process plays depends on how many there are, never on how fast they are; a player that learns is measured in one.
"""

import os
import signal
import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing import connection, get_context
from traceback import format_exc
from typing import Any

import numpy as np

from meldlab.errors import NotLegalHere
from meldlab.gin import Gin, Match, Move, Rules, View, kernel_layout, players
from meldlab.gin.batch import swapped
from meldlab.play import Chance, Deal, Played, Player, Table, TimeLimit
from meldlab.play.clock import PATIENCE

__all__ = ["Game", "Seats", "Series", "warm_up"]

Game = tuple[list[int], str]  # [COUNTS] as the kernel counts them, and what went wrong
Seats = tuple[Player[View, Move], Player[View, Move]]
GRACE = 1.0  # seconds that a process has to stop a player by itself
OUT_OF_TIME = 75  # status of a process that could only end
CHOOSING, BEGAN, CPU_BEGAN = range(3)  # what a process lets others see: the seat that is asked, from 1, and since when


@dataclass(frozen=True)
class Series:
    """Two players by name, and the games between them."""

    first: str
    second: str
    rules: Rules
    seed: int = 0
    mirror: bool = True
    time: TimeLimit = TimeLimit()  # noqa: RUF009  # frozen, so sharing it is harmless

    def seat(self) -> Seats:
        """Return the players."""
        return players.parse(self.first), players.parse(self.second)

    def tables(self, seated: Seats, *, raising: bool = False) -> list[Table[Match]]:
        """Return the tables at which they sit, each in the other's seat at the second."""
        return [Table(Gin(self.rules), both, self.time, raising=raising) for both in (seated, seated[::-1])]

    def play(self, tables: list[Table[Match]], number: int) -> Game:
        """Play one game; place 0 of a count is the first player's."""
        turn = number % 2 if self.mirror else 0
        played = tables[turn].play(Deal(self.seed, number // 2 if self.mirror else number))
        counts = np.array([_counts(played)], np.int32)
        return (swapped(counts) if turn else counts)[0].tolist(), f"game {number}: {played.trouble}" if played.trouble else ""

    def games(self, seated: Seats, many: int, processes: int, *, raising: bool = False) -> Iterator[Game]:
        """Give games 0 and following in order; a time limit that nobody can sleep through takes a process of its own."""
        if raising or (processes <= 1 and not self.time):
            tables = self.tables(seated, raising=raising)
            yield from (self.play(tables, number) for number in range(many))
            return
        processes = max(1, min(processes, -(-many // 2)))
        names = seated[0].name, seated[1].name
        workers = [Worker(self, names, [n for n in range(many) if n // 2 % processes == one]) for one in range(processes)]
        done: dict[int, Game] = {}
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


class Worker:
    """A process that plays some games of a series, and is started again when a player takes it down."""

    def __init__(self, series: Series, names: tuple[str, str], numbers: list[int]) -> None:
        self.series, self.names, self.left = series, names, deque(numbers)
        self._start()

    def _start(self) -> None:
        # A new process, not a copy of this one: compiled kernels may hold threads that a copy would lack.
        context = get_context("spawn")
        self.seen: Any = context.RawArray("d", 3)
        self.receiver, sender = context.Pipe(duplex=False)
        self.process = context.Process(target=_work, args=(self.series, tuple(self.left), self.seen, sender), daemon=True)
        self.process.start()
        sender.close()

    def collect(self, done: dict[int, Game]) -> None:
        """Take the games that are finished; of one that cannot be finished, the player that was asked forfeits it."""
        late = self._is_late()
        if late:
            self.process.kill()
        try:
            while self.left and (late or self.receiver.poll()):
                answer = self.receiver.recv()
                if isinstance(answer, BaseException):
                    raise answer
                done[self.left.popleft()] = answer
        except (EOFError, OSError):
            self.process.join()
            number = self.left.popleft()
            done[number] = self._forfeit(number, late or self.process.exitcode == OUT_OF_TIME)
            self.stop()
            if self.left:
                self._start()

    def _is_late(self) -> bool:
        if not self.left or not self.series.time or not self.seen[CHOOSING]:
            return False
        return bool(time.monotonic() - self.seen[BEGAN] > PATIENCE * self.series.time.longest_move + GRACE)

    def _forfeit(self, number: int, late: bool) -> Game:
        seat = int(self.seen[CHOOSING]) - 1
        if seat < 0:
            status = self.process.exitcode
            raise NotLegalHere(f"a process of the arena ended with status {status}; in a script, call it below if __name__ == '__main__'")
        counts = [0] * kernel_layout.COUNTS
        counts[kernel_layout.WINNER_SEAT] = 1 - seat
        why = f"ran out of time ({self.series.time})" if late else "ended the process it played in"
        return counts, f"game {number}: p{seat + 1} forfeits: {self.names[seat]} {why}"

    def stop(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.join()
        self.receiver.close()


class Watched:
    """A player whose turn can be seen from outside its process."""

    def __init__(self, player: Player[View, Move], seat: int, seen: Any) -> None:
        self.__wrapped__, self.name, self.seat, self.seen = player, player.name, seat, seen

    def choose(self, view: View, chance: Chance) -> Move:
        """Ask the player."""
        self.seen[BEGAN], self.seen[CPU_BEGAN] = time.monotonic(), time.process_time()
        self.seen[CHOOSING] = self.seat + 1
        try:
            return self.__wrapped__.choose(view, chance)
        finally:
            self.seen[CHOOSING] = 0


def warm_up(seated: Seats, rules: Rules) -> None:
    """Play a game that does not count, so that no player's time goes by while a kernel is loaded; one from elsewhere is not asked."""
    stand_ins = [one if type(one).__module__.startswith("meldlab.") else players.parse("simple") for one in seated]
    Table(Gin(rules), stand_ins).play(Deal())


def _work(series: Series, numbers: tuple[int, ...], seen: Any, sender: Any) -> None:
    # Ctrl-C is for the process that started this one and will stop it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        first, second = series.seat()
        if series.time:
            warm_up((first, second), series.rules)
            threading.Thread(target=_end_in_time, args=(series.time, seen), daemon=True).start()
        tables = series.tables((Watched(first, 0, seen), Watched(second, 1, seen)))
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
        if seen[CHOOSING] and time.process_time() - seen[CPU_BEGAN] > limit.longest_move + GRACE:
            os._exit(OUT_OF_TIME)


def _carried(problem: BaseException) -> BaseException:
    """Return a mistake of ours as it can be sent, with the place where it happened."""
    if isinstance(problem, NotLegalHere):
        return NotLegalHere(str(problem))
    return RuntimeError(f"in a process of the arena:\n{format_exc()}")


def _counts(played: Played[Match]) -> list[int]:
    counts = [0] * kernel_layout.COUNTS
    counts[kernel_layout.WINNER_SEAT] = played.result.winners[0] if played.result.winners else -1
    for outcome in played.last.outcomes:
        counts[kernel_layout.ROUNDS] += 1
        counts[kernel_layout.DRAWN] += outcome.draws
        if outcome.winner is None:
            counts[kernel_layout.VOIDS] += outcome.kind == "void"
            continue
        counts[kernel_layout.SCORE + outcome.winner] += outcome.points
        counts[kernel_layout.GINS + outcome.winner] += outcome.kind in ("gin", "big gin")
        counts[kernel_layout.UNDERCUTS + outcome.winner] += outcome.kind == "undercut"
        counts[kernel_layout.WON + outcome.winner] += 1
    return counts

"""Games at the table, one after the other: in this process, or in others, which can be killed when a player does not end.

Each process makes its players once, and they play all games of the process, so what a player keeps between games stays there. The deals
of a process depend on the number of processes, never on their speed.
"""

import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import starmap
from multiprocessing import connection, get_context
from traceback import format_exc
from typing import Any, NamedTuple

import numpy as np

from meldlab.errors import NotLegalHere, NotPossible
from meldlab.games import default_player, parse_player
from meldlab.parallel import core_count
from meldlab.play import Batch, Chance, Deal, FinishedGame, Game, Player, Record, Result, Table, TimeLimit, win_shares
from meldlab.play.clock import MAX_WALL_RATIO

GRACE = 1.0  # seconds that a process has to stop a player by itself
OUT_OF_TIME = 75  # exit status of a process that was ended because a player did not stop
MAX_PROCESSES = 256
GAMES_PER_PROCESS = 100  # at least: they take about as long as the start of a process
# In shared memory: the seat that chooses, from 1, since when in wall and CPU time, and a seat stopped for time.
CHOOSING, WALL_START, CPU_START, LATE = range(4)
Players = Sequence[Player[Any, Any]]


class RecordSink(NamedTuple):
    """A function that takes the records of the first games, and the number of these games."""

    games: int
    write: Callable[[Record], None]


class TableResult(NamedTuple):
    """The end of a game at the table: result, counts of the game, the reason of an abnormal end, and the record of one of the first."""

    result: Result
    counts: dict[str, Any]
    failure: str = ""
    record: Record | None = None


@dataclass(frozen=True)
class TableGames:
    """The games between some players, by name or as objects: of each deal one per seating."""

    game: Game[Any]
    players: tuple[str | Player[Any, Any], ...]
    seatings: tuple[tuple[int, ...], ...]
    seed: int = 0
    first_deal: int = 0
    time: TimeLimit = TimeLimit()  # noqa: RUF009  # frozen, so sharing it is harmless
    num_records: int = 0
    """The number of first games whose record is returned."""

    @cached_property
    def parsed(self) -> Players:
        """Return the players as objects, made once per process."""
        return [parse_player(self.game, player) if isinstance(player, str) else player for player in self.players]

    def batches(
        self, deals: int, threads: int, write: Callable[[Record], None], *, raise_errors: bool = False
    ) -> Iterator[tuple[int, list[Batch]]]:
        """Yield for each deal its number and a batch of one game per seating; ``write`` gets the records."""
        if threads > MAX_PROCESSES:
            raise NotPossible(f"{threads} processes asked for (at most {MAX_PROCESSES})")
        num_games = deals * len(self.seatings)
        results = self.games(deals, threads or min(core_count(), num_games // GAMES_PER_PROCESS), raise_errors=raise_errors)
        for deal in range(self.first_deal, self.first_deal + deals):
            games = [next(results) for _ in self.seatings]
            for game in games:
                if game.record is not None:
                    write(game.record)
            yield deal, [self._batch(deal, game) for game in games]

    def _batch(self, deal: int, game: TableResult) -> Batch:
        counts = {name: np.array([number], np.int64) for name, number in game.counts.items()}
        scores, wins = np.array([game.result.scores], np.int64), np.array([win_shares(game.result)])
        return Batch(scores, wins, counts, {deal: game.failure} if game.failure else {})

    def tables(self, *, raise_errors: bool = False, turn_state: Any = None) -> list[Table[Any]]:
        """Return a table per seating; ``turn_state``: shared memory for the seat whose turn it is."""

        def observed(seat: int, player: int) -> Player[Any, Any]:
            return self.parsed[player] if turn_state is None else ObservedPlayer(self.parsed[player], seat, turn_state)

        return [Table(self.game, list(starmap(observed, enumerate(way))), self.time, raise_errors=raise_errors) for way in self.seatings]

    def play(self, tables: Sequence[Table[Any]], number: int) -> TableResult:
        """Play one game."""
        deal, seating = divmod(number, len(self.seatings))
        played = tables[seating].play(Deal(self.seed, self.first_deal + deal))
        # A RECYCLE game whose program cannot continue ends without a winner and gives the reason.
        failed = played.result.reason if played.result.reason.startswith("failed: ") else ""
        record = played.record if number < self.num_records else None
        return TableResult(played.result, game_counts(self.game, played), played.abnormal_end or failed, record)

    def games(self, deals: int, processes: int, *, raise_errors: bool = False) -> Iterator[TableResult]:
        """Yield the games in order. A time limit takes processes, because a player that sleeps cannot be stopped in this one."""
        num_seatings, num_games = len(self.seatings), deals * len(self.seatings)
        named = all(isinstance(player, str) for player in self.players)
        if raise_errors or not named or (processes <= 1 and not self.time):
            tables = self.tables(raise_errors=raise_errors)
            yield from (self.play(tables, number) for number in range(num_games))
            return
        processes = max(1, min(processes, deals))
        numbers = [[number for number in range(num_games) if number // num_seatings % processes == i] for i in range(processes)]
        workers = [GameProcess(self, own) for own in numbers]
        done: dict[int, TableResult] = {}
        try:
            for number in range(num_games):
                while number not in done:
                    connection.wait([worker.receiver for worker in workers if worker.left], timeout=0.1)
                    for worker in workers:
                        worker.collect(done)
                yield done.pop(number)
        finally:
            for worker in workers:
                worker.stop()


class GameProcess:
    """A process that plays some of the games; it is started again when a player ends it."""

    def __init__(self, games: TableGames, numbers: list[int]) -> None:
        self.games, self.left = games, deque(numbers)
        self._start()

    def _start(self) -> None:
        # A new process, not a copy of this one: compiled kernels may hold threads that a copy would lack. It makes its own players.
        context = get_context("spawn")
        self.turn_state: Any = context.RawArray("d", 4)
        self.receiver, sender = context.Pipe(duplex=False)
        self.process = context.Process(target=_work, args=(replace(self.games), tuple(self.left), self.turn_state, sender), daemon=True)
        self.process.start()
        sender.close()

    def collect(self, done: dict[int, TableResult]) -> None:
        """Move finished games to ``done``; a game that cannot be finished is forfeited by the player that was to choose."""
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
            seat = late or int(self.turn_state[LATE] or self.turn_state[CHOOSING])
            if not late or self.left[0] == number:
                number = self.left.popleft()
                done[number] = self._forfeit(number, seat - 1, late > 0 or self.process.exitcode == OUT_OF_TIME)
            self.stop()
            if self.left:
                self._start()

    def _receive(self, done: dict[int, TableResult], *, until_closed: bool = False) -> None:
        while self.left and (until_closed or self.receiver.poll()):
            answer = self.receiver.recv()
            if isinstance(answer, BaseException):
                raise answer
            done[self.left.popleft()] = answer

    def _late_seat(self) -> int:
        """Return the seat, from 1, that is over its time, or 0."""
        seat = int(self.turn_state[CHOOSING])
        if not self.left or not self.games.time or not seat:
            return 0
        return seat if time.monotonic() - self.turn_state[WALL_START] > MAX_WALL_RATIO * self.games.time.longest_move + GRACE else 0

    def _forfeit(self, number: int, seat: int, late: bool) -> TableResult:
        if seat < 0:
            status = self.process.exitcode
            raise NotPossible(f"a process of the arena ended with status {status}; in a script, call it below if __name__ == '__main__'")
        deal, index = divmod(number, len(self.games.seatings))
        seating = self.games.seatings[index]
        why = f"ran out of time ({self.games.time})" if late else "ended the process it played in"
        line = f"p{seat + 1} forfeits: {self.games.parsed[seating[seat]].name} {why}"
        # The state of the game is lost with its process; the result is that of a game that was just started.
        started = Table(self.games.game, [default_player(self.games.game)] * len(seating), max_actions=0).play(
            Deal(self.games.seed, self.games.first_deal + deal)
        )
        return TableResult(started.first.forfeit(seat, line), game_counts(self.games.game, started), line)

    def stop(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.join()
        self.receiver.close()


class ObservedPlayer:
    """A player that writes its turn to shared memory."""

    def __init__(self, player: Player[Any, Any], seat: int, turn_state: Any) -> None:
        self.__wrapped__, self.name, self.seat, self.turn_state = player, player.name, seat, turn_state

    def choose(self, view: Any, chance: Chance) -> Any:
        """Return the player's action."""
        self.turn_state[WALL_START], self.turn_state[CPU_START] = time.monotonic(), time.process_time()
        self.turn_state[CHOOSING] = self.seat + 1
        try:
            return self.__wrapped__.choose(view, chance)
        finally:
            self.turn_state[CHOOSING] = 0


def game_counts(game: Game[Any], played: FinishedGame[Any]) -> dict[str, Any]:
    """Return the counts of a game that has any."""
    counts: dict[str, Any] = game.counted(played) if hasattr(game, "counted") else {}
    return counts


def warm_up(game: Game[Any], players: Players) -> None:
    """Play a game that does not count, so that loading a kernel uses no player's time; players of other packages are replaced."""
    own = [player if type(player).__module__.startswith("meldlab.") else default_player(game) for player in players]
    Table(game, own).play(Deal())


def _work(games: TableGames, numbers: tuple[int, ...], turn_state: Any, sender: Any) -> None:
    # Ctrl-C is for the process that started this one and will stop it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        if games.time:
            warm_up(games.game, [games.parsed[player] for player in games.seatings[0]])
            threading.Thread(target=_end_in_time, args=(games.time, turn_state), daemon=True).start()
        tables = games.tables(turn_state=turn_state)
        for number in numbers:
            sender.send(games.play(tables, number))
    except BrokenPipeError:
        return  # the other end was closed
    except BaseException as error:
        sender.send(_sendable(error))


def _end_in_time(limit: TimeLimit, turn_state: Any) -> None:
    """End the process when a player has used far more than its time, so that the clock cannot stop it."""
    while True:
        time.sleep(0.1)
        seat = turn_state[CHOOSING]
        if seat and time.process_time() - turn_state[CPU_START] > limit.longest_move + GRACE:
            turn_state[LATE] = seat  # the game may continue until the process has ended
            os._exit(OUT_OF_TIME)


def _sendable(error: BaseException) -> BaseException:
    """Return an error of the game as it can be sent to another process, with its traceback."""
    if isinstance(error, NotLegalHere):
        return NotLegalHere(str(error))
    return RuntimeError(f"in a process of the arena:\n{format_exc()}")

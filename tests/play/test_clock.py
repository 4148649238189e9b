"""Time at the table: who thinks for ever, sleeps, or will not listen, forfeits, and the game of everybody else goes on."""

import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from meldlab.errors import NotLegalHere
from meldlab.play import Chance, Deal, FinishedGame, RandomPlayer, Record, Table, TimeLimit, replay
from tests.play.toy import Cards, HighCard, Look, Swap

RANDOM = RandomPlayer()


class Thinking:
    """Does something before it stands."""

    name = "thinking"

    def __init__(self, think: Callable[[], object]) -> None:
        self.think = think

    def choose(self, view: Look, chance: Chance) -> Swap:
        self.think()
        return Swap(None)


def loop() -> None:
    while True:
        pass


def sleep() -> None:
    time.sleep(1000)


def loop_and_catch() -> None:
    while True:
        with suppress(Exception):
            loop()


def catch_everything_once() -> None:
    with suppress(BaseException):
        loop()


def busy(seconds: float) -> Callable[[], None]:
    def use() -> None:
        end = time.thread_time() + seconds
        while time.thread_time() < end:
            pass

    return use


def play(think: Callable[[], object], limit: TimeLimit) -> FinishedGame[Cards]:
    return Table(HighCard(), [RANDOM, Thinking(think)], limit).play(Deal(1))


@pytest.mark.parametrize("think", [loop, sleep, loop_and_catch, catch_everything_once])
@pytest.mark.parametrize("limit", [TimeLimit(per_move=0.02), TimeLimit(per_game=0.02)])
def test_who_never_answers_forfeits(think: Callable[[], object], limit: TimeLimit) -> None:
    handlers = [signal.getsignal(number) for number in (signal.SIGALRM, signal.SIGPROF)]
    played = play(think, limit)
    assert played.forfeit == f"p2 forfeits: thinking ran out of time ({limit})"
    assert played.result.winners == (0,)
    assert list(replay(HighCard(), Record.parse(str(played.record))))
    # Nothing rings afterwards, and whoever used the signals before has them back.
    assert [signal.getsignal(number) for number in (signal.SIGALRM, signal.SIGPROF)] == handlers
    assert signal.getitimer(signal.ITIMER_REAL) == signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_who_is_quick_enough_plays_on() -> None:
    assert not play(busy(0.01), TimeLimit(per_move=5, per_game=5)).forfeit


def test_the_time_of_a_game_adds_up() -> None:
    class TwoTurns(HighCard):
        def start(self, seats: int, deal: Deal) -> Cards:
            state = super().start(seats, deal)
            return Rounds(state.hands, state.stock)

    class Rounds(Cards):
        @property
        def seat(self) -> int | None:
            return self.turn % 2 if self.turn < 40 else None

        def verify(self, action: Swap) -> None:
            return

        def view(self, seat: int) -> Look:
            return Look(seat, self.hands[seat], 0, True)

    player = Thinking(busy(0.05))
    played = Table(TwoTurns(), [Thinking(int), player], TimeLimit(per_move=100, per_game=0.4)).play(Deal(1))
    assert played.forfeit == "p2 forfeits: thinking ran out of time (100 s per move, 0.4 s per game)"
    assert 2 <= len(played.actions) < 39


def test_another_thread_is_told_when_the_answer_comes() -> None:
    results: list[FinishedGame[Cards]] = []
    thread = threading.Thread(target=lambda: results.append(play(busy(0.1), TimeLimit(per_move=0.05))))
    thread.start()
    thread.join()
    assert "ran out of time" in results[0].forfeit


def test_a_timer_of_somebody_else_goes_on() -> None:
    rung = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: rung.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, 1000)
        play(int, TimeLimit(per_move=1))
        assert 900 < signal.getitimer(signal.ITIMER_REAL)[0] <= 1000
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert rung == []


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), 1e9])
def test_limits_that_are_none(seconds: float) -> None:
    with pytest.raises(NotLegalHere, match="expected a time limit"):
        TimeLimit(per_move=seconds)
    with pytest.raises(NotLegalHere, match="expected a time limit"):
        TimeLimit(per_game=seconds)

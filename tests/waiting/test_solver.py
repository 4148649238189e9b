"""Solving: against plain value iteration over all hands, with goals and dead cards, and through a kill."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from meldlab.cards import CARDS, Card, Hand, classes
from meldlab.errors import MeldlabError, NoSuchThing, NotLegalHere, NotPossible
from meldlab.waiting import Goal, Solution, UpcardChoice, WaitingGame, kernel, solve
from meldlab.waiting.settling import Settling
from meldlab.waiting.solver import Checkpoint
from tests.properties import waiting_oracle

SRC = Path(__file__).parents[2] / "src"

# A deck of 20: five ranks of four suits, the king among them for runs round the corner; then one where the suits differ.
SMALL = Hand(card for card in CARDS if 3 <= card.rank <= 10)
LOPSIDED = SMALL | Hand.parse("2H 2D KC")


def agree(game: WaitingGame) -> None:
    solution = solve(game, device="cpu")
    deck = [card.index for card in CARDS if card not in game.dead]
    known = waiting_oracle.solve(game.cards, str(game.aces), game.goal.knock, deck)
    masks = np.array([sum(1 << card for card in hand) for hand in known], np.int64)
    assert len(masks) == game.hands
    np.testing.assert_allclose(solution.values(masks), list(known.values()), rtol=0, atol=1e-11)
    assert solution.summary().mean == pytest.approx(np.mean(list(known.values())), abs=1e-11)
    assert solution.residual < 1e-12


def test_three_cards_agree_with_value_iteration() -> None:
    agree(WaitingGame(3, "both"))


@pytest.mark.parametrize(("cards", "aces", "goal"), [(3, "low", "gin"), (3, "round", "gin"), (4, "both", "gin"), (4, "low", "knock:5")])
@pytest.mark.parametrize("dead", [SMALL, LOPSIDED])
def test_small_decks_agree_with_value_iteration(cards: int, aces: str, goal: str, dead: Hand) -> None:
    agree(WaitingGame(cards, aces, Goal.parse(goal), dead))


def test_five_cards_of_a_small_deck_agree_with_value_iteration() -> None:
    agree(WaitingGame(5, "low", Goal.parse("knock:9"), SMALL | Hand.parse("KC KD KH KS 2H")))


def test_a_larger_knock_takes_less_time() -> None:
    goals = map(Goal.parse, ("gin", "knock:0", "knock:5", "knock:10"))
    means = [solve(WaitingGame(4, "low", goal), device="cpu").summary().mean for goal in goals]
    assert means[0] == means[1] > means[2] > means[3] > 0


@pytest.mark.parametrize(
    ("dead", "alike", "apart"),
    [
        # Suits with the same dead ranks may be exchanged, others not.
        ("2H 2D", ("AC 5H 9D", "AC 5D 9H"), ("AH 3H 9C", "AC 3C 9H")),
        ("AS 5C 6C KD", ("7C 8D 9S", "7C 8D 9S"), ("3C 4C 9H", "3H 4H 9C")),
        ("2C 2D 2H", ("AC 3D 9S", "AH 3C 9S"), ("AC 3C 9S", "AS 3S 9C")),
    ],
)
def test_dead_cards_leave_the_symmetry_that_is_left(dead: str, alike: tuple[str, str], apart: tuple[str, str]) -> None:
    solution = solve(WaitingGame(3, dead=Hand.parse(dead)), device="cpu")
    assert solution.turns(alike[0]) == solution.turns(alike[1])
    assert solution.turns(apart[0]) != solution.turns(apart[1])


def test_a_goal_out_of_reach_is_named() -> None:
    # Two cards of each rank that is left, and no three neighbours: no meld can ever be made.
    alive = Hand.parse("AC AD 3C 3D 5C 5D 7C 7D 9C 9D JC JD")
    with pytest.raises(NotLegalHere, match="no hand can reach the goal"):
        solve(WaitingGame(3, dead=Hand.full() - alive), device="cpu")


@pytest.mark.parametrize("cards", [2, 11, 0, -1, 3.5, "3", None])
def test_sizes_that_are_not_solved(cards: int) -> None:
    with pytest.raises(NotLegalHere, match=f"number of cards in a hand must be a whole number from 3 to 10, not {cards!r}"):
        WaitingGame(cards)


def test_more_classes_than_have_numbers_are_refused() -> None:
    # Dead cards tell suits apart: the eleven-card hands without 5H have more classes than 32 bits number.
    for device in ("cpu", "cuda"):
        with pytest.raises(MeldlabError):
            solve(WaitingGame(10, dead=Hand.parse("5H")), device=device)
    with pytest.raises(NotPossible, match="dead cards make 7,980,389,793 classes of 11-card hands"):
        _ = WaitingGame(10, dead=Hand.parse("5H")).drawn_numbering
    assert WaitingGame(10).drawn_numbering.classes == 2_546_958_349


def test_a_game_is_checked_when_it_is_made() -> None:
    with pytest.raises(NotLegalHere, match="goal must be a Goal, not 'gin'"):
        WaitingGame(3, goal="gin")  # type: ignore[arg-type]
    with pytest.raises(NotLegalHere, match="dead must be a Hand, not '2H'"):
        WaitingGame(3, dead="2H")  # type: ignore[arg-type]
    for knock in (-7, 101, "x", 1.5):
        with pytest.raises(NotLegalHere, match="deadwood of a knock must be a whole number from 0 to 100"):
            Goal(knock)  # type: ignore[arg-type]
    assert WaitingGame(np.int64(3)) == WaitingGame(3)  # type: ignore[arg-type]


def test_what_only_the_cpu_takes_is_refused_on_the_gpu(tmp_path: Path) -> None:
    with pytest.raises(NotLegalHere, match="threads=2 is for the CPU"):
        solve(WaitingGame(3), device="cuda", threads=2)
    with pytest.raises(NotLegalHere, match=r"checkpoint=.*kept is for the CPU"):
        solve(WaitingGame(3), device="cuda", checkpoint=tmp_path / "kept")


def test_nothing_to_draw() -> None:
    with pytest.raises(NotLegalHere, match="nothing to draw"):
        WaitingGame(3, dead=Hand.full() - Hand.parse("AC AD AH"))


@pytest.fixture
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("meldlab.waiting.solver.has_gpu", lambda: False)


@pytest.mark.usefixtures("no_gpu")
@pytest.mark.parametrize(("memory", "lacking"), [(64e9, ""), (4e9, ", but this machine has 4.0 GB")])
def test_large_hands_without_a_gpu_are_refused_with_what_the_cpu_takes(
    monkeypatch: pytest.MonkeyPatch, memory: float, lacking: str
) -> None:
    monkeypatch.setattr("meldlab.waiting.solver.machine_memory", lambda: memory)
    with pytest.raises(NotPossible) as refused:
        solve(WaitingGame(9))
    pattern = (
        rf"there is no GPU for 9 cards; --device cpu takes about .* on \d+ cores?, 6\.9 GB of memory \(--dry-run measures it\){lacking}"
    )
    assert re.fullmatch(pattern, str(refused.value))


@pytest.mark.parametrize(("device", "threads"), [("cpu", None), ("auto", 1)])
def test_cpu_that_is_asked_for_is_taken_if_it_has_the_memory(monkeypatch: pytest.MonkeyPatch, device: str, threads: int | None) -> None:
    monkeypatch.setattr("meldlab.waiting.solver.machine_memory", lambda: 20e9)
    with pytest.raises(NotPossible, match=r"^10 cards need 26\.0 GB of memory on the CPU; this machine has 20\.0 GB$"):
        solve(WaitingGame(10), device, threads)

    class Started(Exception):
        pass

    def start(*_: object) -> None:
        raise Started

    monkeypatch.setattr("meldlab.waiting.solver.Settling", start)
    with pytest.raises(Started):
        solve(WaitingGame(9), device, threads)


def test_best_hand_is_the_lowest_class_of_equal_values() -> None:
    solution = solve(WaitingGame(3))
    expected = solution.expected
    equal = np.flatnonzero(np.abs(expected - expected[expected > 0].min()) < 1e-9)
    assert len(equal) > 1
    for seed in range(8):
        noise = np.random.default_rng(seed).uniform(-1e-13, 1e-13, len(expected))
        noisy = replace(solution, expected=np.where(expected > 0, expected + noise, 0.0), sums=None)
        assert noisy.summary().best == classes.hand(3, int(equal[0]))


def test_an_unknown_device_and_too_many_threads() -> None:
    with pytest.raises(NoSuchThing, match="no device 'tpu'"):
        solve(WaitingGame(3), device="tpu")
    with pytest.raises(NotPossible, match="999 threads"):
        solve(WaitingGame(3), device="cpu", threads=999)


def test_threads_do_not_change_the_answer() -> None:
    one, all_of_them = solve(WaitingGame(4), device="cpu", threads=1), solve(WaitingGame(4), device="cpu")
    assert np.array_equal(one.expected, all_of_them.expected)


def test_wrong_hands_are_named() -> None:
    solution = solve(WaitingGame(3, dead=Hand.parse("2H")), device="cpu")
    with pytest.raises(NotLegalHere, match="expected 3 cards, got 2"):
        solution.turns("AC QH")
    with pytest.raises(NotLegalHere, match="2H is dead"):
        solution.turns("AC QH 2H")
    with pytest.raises(NotLegalHere, match="expected a Hand or text, got 5"):
        solution.turns(5)  # type: ignore[arg-type]
    with pytest.raises(NotLegalHere, match="AC cannot be the upcard"):
        solution.upcard_choice("AC QH KD", Card.parse("AC"))


def test_the_best_discard_costs_nothing_and_the_others_what_they_lose() -> None:
    solution = solve(WaitingGame(3), device="cpu")
    found = solution.discards("AC QH KD QD")
    assert [str(one.card) for one in found] == ["AC", "KD", "QH", "QD"]
    assert found[0].cost == 0.0
    assert all(one.cost == pytest.approx(one.expected - found[0].expected) for one in found)
    assert found[-1].expected == pytest.approx(solution.turns("AC QH KD"))


def test_every_draw_is_answered_by_the_best_discard() -> None:
    solution = solve(WaitingGame(3), device="cpu")
    answers = list(solution.draws("AC QH KD"))
    assert len(answers) == 49
    # The equation itself: the mean over all draws, counting the turn.
    assert 1 + sum(one.expected for one in answers) / 49 == pytest.approx(solution.turns("AC QH KD"), abs=1e-12)
    assert next(one.discard for one in solution.draws("5H 6H 7H")) not in Hand.parse("5H 6H 7H")


def test_take_the_upcard_or_draw() -> None:
    solution = solve(WaitingGame(3), device="cpu")
    assert solution.upcard_choice("5H 6H KD", Card.parse("7H")) == UpcardChoice(take=True, taken=1.0, drawn=solution.turns("5H 6H KD"))
    assert not solution.upcard_choice("5H 6H KD", Card.parse("2C")).take


def test_all_hands_of_a_class_have_one_value() -> None:
    solution = solve(WaitingGame(3), device="cpu")
    assert len({solution.turns(hand) for hand in classes.orbit(Hand.parse("AC QH KD"))}) == 1


SOLVE = """
import sys
from pathlib import Path
from meldlab.waiting import WaitingGame, solver
solver.solve(WaitingGame(5), device="cpu", checkpoint=Path(sys.argv[1]), checkpoint_seconds=0.0)
"""


@pytest.mark.slow
def test_a_killed_solve_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path = tmp_path / "five.checkpoint"
    worker = subprocess.Popen([sys.executable, "-c", SOLVE, str(path)], env={**os.environ, "PYTHONPATH": str(SRC)})
    for _ in range(1200):
        if path.exists() or worker.poll() is not None:
            break
        time.sleep(0.05)
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    kept = Checkpoint(path, WaitingGame(5), 0.0).load()
    assert kept is not None, "the solve ended before it kept its state"
    told: list[int] = []
    resumed = solve(WaitingGame(5), device="cpu", checkpoint=path, checkpoint_seconds=1e9, progress=lambda done, *_: told.append(done))
    assert told[0] > kept["locked"] > 0
    assert not path.exists()
    fresh = solve(WaitingGame(5), device="cpu")
    assert np.array_equal(resumed.expected, fresh.expected)


def test_a_checkpoint_of_another_game_or_a_damaged_one_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / "other.checkpoint"
    Checkpoint(path, WaitingGame(4), -1.0).save(Settling(WaitingGame(4)))
    assert Checkpoint(path, WaitingGame(4), 0.0).load() is not None
    assert Checkpoint(path, WaitingGame(4, "both"), 0.0).load() is None
    path.write_bytes(path.read_bytes()[:100])
    assert Checkpoint(path, WaitingGame(4), 0.0).load() is None


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("total", lambda values: values[:-1]),
        ("total", lambda values: values.astype(np.float32)),
        ("weight", lambda values: values[:, None]),
        ("reached", lambda values: values[:10]),
        ("width", lambda value: value * np.nan),
        ("width", lambda value: value * 0),
        ("locked", lambda value: value - 1),
        ("low", lambda value: np.array([value, value])),
    ],
)
def test_checkpoint_load_rejects_arrays_of_another_shape_or_type(
    tmp_path: Path, field: str, change: Callable[[NDArray[Any]], NDArray[Any]]
) -> None:
    path = tmp_path / "changed.checkpoint"
    Checkpoint(path, WaitingGame(4), -1.0).save(Settling(WaitingGame(4)))
    saved = Checkpoint(path, WaitingGame(4), 0.0).load()
    assert saved is not None
    with path.open("wb") as file:
        np.savez(file, **{**saved, field: change(saved[field])})
    assert Checkpoint(path, WaitingGame(4), 0.0).load() is None


@pytest.mark.slow
def test_cores_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    # Windows of few hands, so that there are many, with several chunks in each.
    monkeypatch.setattr("meldlab.waiting.settling.MIN_HANDS", 600)
    game = WaitingGame(5, dead=Hand.parse("2H 9D"))
    found = [solve(game, device="cpu", threads=threads).expected.tobytes() for threads in (1, numba.config.NUMBA_NUM_THREADS)]
    assert found[0] == found[1]


def test_notes_that_grow_while_others_are_told_stay_whole() -> None:
    # Which of the two happens first is chance.
    found = [solve(WaitingGame(5), device="cpu", threads=threads).expected.tobytes() for threads in (1, None, None, None)]
    assert len(set(found)) == 1


def test_windows_of_any_size_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    values = []
    for fewest in (50, 5_000, 10**6):
        monkeypatch.setattr("meldlab.waiting.settling.MIN_HANDS", fewest)
        values.append(solve(WaitingGame(4, "both"), device="cpu").expected)
    for other in values[1:]:
        np.testing.assert_allclose(other, values[0], rtol=0, atol=1e-12)


def test_sweeps_equal_hands_one_by_one() -> None:
    # Runs of neighbouring classes are computed together; here each hand is computed by itself, with suits that differ.
    game, rng = WaitingGame(4, dead=Hand.parse("2H 2D 9S")), np.random.default_rng(2)
    expected = rng.random(game.numbering.classes) * 30
    after, swept, drawn = np.empty(game.drawn_numbering.classes), expected.copy(), game.drawn_numbering.classes
    for first in range(0, drawn, 777):
        kernel.sweep_discards(first, min(777, drawn - first), after, None, expected, game.space)
    kernel.sweep_draws(0, game.numbering.classes, swept, after, game.space)
    solution = Solution(game, expected, 0.0, 1, 0.0, "cpu")
    for number in rng.integers(0, drawn, 200):
        assert after[number] == solution.discards(classes.hand(5, int(number), game.dead))[0].expected
    for number in rng.integers(0, game.numbering.classes, 50):
        better = [draw.expected for draw in solution.draws(classes.hand(4, int(number), game.dead)) if draw.expected < expected[number]]
        assert swept[number] == pytest.approx((game.bag + sum(better)) / len(better) if better else np.inf, abs=1e-12)


def test_sweep_discards_chooses_the_hand_of_the_least_value() -> None:
    game, rng = WaitingGame(4, dead=Hand.parse("2H 2D 9S")), np.random.default_rng(2)
    expected, drawn = rng.random(game.numbering.classes) * 30, game.drawn_numbering.classes
    after, both = np.empty(drawn), np.empty(drawn)
    chosen, alone = np.empty(drawn, np.uint32), np.empty(drawn, np.uint32)
    kernel.sweep_discards(0, drawn, after, None, expected, game.space)
    kernel.sweep_discards(0, drawn, both, chosen, expected, game.space)
    kernel.sweep_discards(0, drawn, None, alone, expected, game.space)
    assert np.array_equal(after, both)
    assert np.array_equal(chosen, alone)
    assert np.array_equal(expected[chosen], after)

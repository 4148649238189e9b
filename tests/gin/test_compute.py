"""The recursion against brute force over all hands of small games, codes, guides, and the odds it takes."""

import numpy as np
import pytest

from meldlab.gin.kernel_layout import TURNS
from meldlab.gin.values import kernel_tally as tally
from meldlab.gin.values.folder import dead_cards
from meldlab.gin.values.guided import guided_value
from meldlab.gin.values.odds import Odds
from meldlab.gin.values.recursion import Engine, Field, solve
from tests.gin.small_game import Brute, deadwood, random_odds

LIMIT = 4


@pytest.fixture(scope="module")
def field() -> Field:
    return Field(3, dead_cards(5))


@pytest.fixture(scope="module")
def brute() -> Brute:
    return Brute(3, 5, LIMIT)


def by_class(field: Field, values: dict[int, float]) -> list[float]:
    return [values[hand] for hand in field.hands.tolist()]


@pytest.mark.parametrize(("cards", "ranks", "upcard"), [(3, 5, 0.0), (3, 6, 0.3), (4, 5, 0.3)])
def test_the_recursion_is_that_of_brute_force(cards: int, ranks: int, upcard: float) -> None:
    field, brute, odds = Field(cards, dead_cards(ranks)), Brute(cards, ranks, LIMIT), random_odds(cards + ranks)
    assert field.left.tolist() == [deadwood(hand) for hand in field.hands.tolist()]
    seen = {}
    solved = solve(field, odds, LIMIT, upcard=upcard, each=lambda turn, value: seen.update({turn: value.copy()}))
    expected = brute.best(odds, upcard)
    for turn in range(1, TURNS + 1):
        np.testing.assert_allclose(seen[turn], by_class(field, expected[turn]), rtol=0, atol=2e-5)
    assert solved.value == pytest.approx(sum(expected[1].values()) / len(expected[1]), abs=1e-5)


@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
def test_codes_are_within_half_a_step(field: Field, kind: type[np.unsignedinteger]) -> None:
    seen = {}
    solved = solve(field, random_odds(1), LIMIT, kind=kind, each=lambda turn, value: seen.update({turn: value.copy()}))
    engine, found = Engine("cpu"), np.zeros(field.count, np.float32)
    for turn in range(1, TURNS + 1):
        slot, low, step = solved.turns[turn]
        engine.sweep("decode", found, solved.codes[int(slot)], np.float32(low), np.float32(step))
        assert np.abs(found - seen[turn]).max() <= 0.5 * step + 1e-5
        assert {int(solved.codes[int(slot)].min()), int(solved.codes[int(slot)].max())} == {0, np.iinfo(kind).max}


def test_turns_that_are_not_kept_use_the_nearest(field: Field) -> None:
    every, some = solve(field, random_odds(2), LIMIT), solve(field, random_odds(2), LIMIT, slots=[2, 5, 16])
    assert some.codes.shape == (3, field.count)
    assert some.value == every.value
    nearest = {1: 2, 2: 2, 3: 2, 4: 5, 5: 5, 8: 5, 10: 5, 11: 16, 16: 16}
    for turn, kept in nearest.items():
        assert some.turns[turn].tolist()[1:] == every.turns[kept].tolist()[1:]
        assert np.array_equal(some.codes[int(some.turns[turn, 0])], every.codes[int(every.turns[kept, 0])])


@pytest.mark.parametrize("upcard", [0.0, 0.3])
def test_no_guide_beats_the_best_answer_and_the_best_answer_loses_nothing(field: Field, upcard: float) -> None:
    odds, others = random_odds(3), random_odds(4)
    best, foreign = (solve(field, one, LIMIT, upcard=upcard) for one in (odds, others))
    own = guided_value(field, odds, best, odds, LIMIT, upcard=upcard)
    misled = guided_value(field, odds, foreign, others, LIMIT, upcard=upcard)
    # Codes of 16 bits can turn a tie around, and a turn later once more.
    assert best.value - 2 * TURNS * best.turns[:, 2].max() <= own <= best.value + 1e-5
    assert misled < best.value - 0.1


def test_a_guide_is_followed_as_brute_force_follows_it(field: Field, brute: Brute) -> None:
    odds, others = random_odds(5), random_odds(6)
    guide = solve(field, others, LIMIT)
    assert guided_value(field, odds, guide, others, LIMIT) == pytest.approx(brute.guided(odds, brute.best(others, 0.0), others), abs=2e-3)


def test_a_round_that_ends_early_is_worth_nothing_later(field: Field, brute: Brute) -> None:
    odds = random_odds(7)
    seen = {}
    solve(field, odds.until(3), LIMIT, each=lambda turn, value: seen.update({turn: value.copy()}))
    assert not any(seen[turn].any() for turn in range(4, TURNS + 1))
    # The last three turns of sixteen, played as the first three.
    later = {name: np.roll(getattr(odds, name), TURNS - 3, 0) for name in ("share", "hazard", "knock", "caught")}
    expected = brute.best(Odds(**later, surprise=odds.surprise, taken=odds.taken, rounds=1.0), 0.0)
    np.testing.assert_allclose(seen[1], by_class(field, expected[TURNS - 2]), rtol=0, atol=2e-5)


def test_odds_of_nothing_are_sober() -> None:
    odds = Odds.of(np.zeros(2 * tally.CELLS))
    assert not odds.hazard.any()
    assert not odds.share.any()
    assert np.array_equal(odds.knock[1, 0], 12.0 - np.arange(100))
    assert np.array_equal(odds.caught[TURNS, 4], -np.arange(100.0))
    hazard, knock, caught = odds.at(5)
    assert [float(hazard), knock[0], caught[10]] == [0, 12, -10]


def test_thin_odds_lean_on_what_is_around_them() -> None:
    counts = np.zeros((tally.CELLS, 2))
    # At turn 3 the opponent knocked in 200 of 1000 rounds with nothing known, and in 2 of 2 with one card known.
    for known, row in ((0, (1000, 200)), (1, (2, 2))):
        counts[tally.HAZARD_PART + 3 * 5 + known] = row
    cell = tally.KNOCK_PART + (3 * 5 + 0) * tally.DEADWOODS
    counts[cell + 4] = 10_000, 150_000  # a knock with 4 won 15
    odds = Odds.of(counts.ravel())
    assert odds.hazard[3, 0] == pytest.approx(0.2, abs=0.01)
    assert 0.2 < odds.hazard[3, 1] < 0.3
    assert 0 < odds.hazard[4, 0] <= odds.hazard[3, 0]
    assert odds.share[3].tolist() == pytest.approx([1000 / 1002, 2 / 1002, 0, 0, 0])
    assert odds.knock[3, 0, 4] == pytest.approx(15, abs=0.1)
    # Five points were never seen: one point less than four.
    assert odds.knock[3, 0, 5] == pytest.approx(odds.knock[3, 2, 4] - 1, abs=0.2)
    assert odds.at(3)[0] == pytest.approx(202 / 1002, abs=0.01)

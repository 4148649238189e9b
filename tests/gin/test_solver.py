"""The solver against brute force over all hands of small games, its codes, guided play, and the model of the opponent."""

import numpy as np
import pytest

from meldlab.chance import Purpose
from meldlab.chance.kernel import address, below
from meldlab.gin import Rules, players
from meldlab.gin.batch import batch_rules, kernel_parameters
from meldlab.gin.computing import kernel_tally as tally
from meldlab.gin.computing import playing
from meldlab.gin.computing.kernel_sweeps import DecodeSweep
from meldlab.gin.computing.opponent_model import OpponentModel
from meldlab.gin.computing.solver import HandClasses, solve, value_under
from meldlab.gin.kernel_state import CANNOT_KNOCK, DEADWOODS, MAX_TURNS, OWN_SCORE, RESULT, TURN_WIDTH, TURNS
from meldlab.gin.value_tables import dead_cards
from meldlab.gpu import Device
from tests.gin.small_game import Brute, deadwood, random_odds

LIMIT = 4


@pytest.fixture(scope="module")
def hands() -> HandClasses:
    return HandClasses(3, dead_cards(5))


@pytest.fixture(scope="module")
def brute() -> Brute:
    return Brute(3, 5, LIMIT)


def by_class(hands: HandClasses, values: dict[int, float]) -> list[float]:
    return [values[hand] for hand in hands.hands.tolist()]


@pytest.mark.parametrize(("cards", "ranks", "upcard"), [(3, 5, 0.0), (3, 6, 0.3), (4, 5, 0.3)])
def test_solve_agrees_with_brute_force_at_every_turn(cards: int, ranks: int, upcard: float) -> None:
    hands, brute, odds = HandClasses(cards, dead_cards(ranks)), Brute(cards, ranks, LIMIT), random_odds(cards + ranks)
    assert hands.left.tolist() == [deadwood(hand) for hand in hands.hands.tolist()]
    seen = {}
    solved = solve(hands, odds, LIMIT, upcard=upcard, on_turn=lambda turn, value: seen.update({turn: value.copy()}))
    expected = brute.best(odds, upcard)
    for turn in range(1, TURNS + 1):
        np.testing.assert_allclose(seen[turn], by_class(hands, expected[turn]), rtol=0, atol=2e-5)
    assert solved.value == pytest.approx(sum(expected[1].values()) / len(expected[1]), abs=1e-5)


@pytest.mark.parametrize("wanted", [20, 50, 100, 250])
def test_record_starts_rounds_at_every_score_of_the_match(wanted: int) -> None:
    light, seed, rounds = kernel_parameters(players.parse("network:light")), 3, 300
    trajectories = np.zeros((rounds, 2, MAX_TURNS, TURN_WIDTH))
    playing.record(Device("cpu"), (light, light), batch_rules(Rules(match_points=wanted)), seed, trajectories)
    scores = trajectories[:, :, 0, OWN_SCORE]
    # The first row of a seat is its first discard; a round may end before it.
    asked = trajectories[:, :, 0, RESULT] > CANNOT_KNOCK
    expected = [[below(address(seed, game, 0, 0, Purpose.SCORES), place, wanted) for place in range(2)] for game in range(rounds)]
    assert scores[asked].tolist() == np.array(expected, np.float64)[asked].tolist()
    assert 0.9 * wanted < scores.max() < wanted


@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
def test_solve_codes_values_within_half_a_step(hands: HandClasses, kind: type[np.unsignedinteger]) -> None:
    seen = {}
    solved = solve(hands, random_odds(1), LIMIT, kind=kind, on_turn=lambda turn, value: seen.update({turn: value.copy()}))
    found = np.zeros(hands.count, np.float32)
    for turn in range(1, TURNS + 1):
        slot, low, step = solved.turns[turn]
        hands.sweep(DecodeSweep(found, solved.codes[int(slot)], np.float32(low), np.float32(step)))
        assert np.abs(found - seen[turn]).max() <= 0.5 * step + 1e-5
        assert {int(solved.codes[int(slot)].min()), int(solved.codes[int(slot)].max())} == {0, np.iinfo(kind).max}


def test_solve_rounds_turns_that_are_not_stored_to_the_nearest(hands: HandClasses) -> None:
    every, some = solve(hands, random_odds(2), LIMIT), solve(hands, random_odds(2), LIMIT, slots=[2, 5, 16])
    assert some.codes.shape == (3, hands.count)
    assert some.value == every.value
    nearest = {1: 2, 2: 2, 3: 2, 4: 5, 5: 5, 8: 5, 10: 5, 11: 16, 16: 16}
    for turn, kept in nearest.items():
        assert some.turns[turn].tolist()[1:] == every.turns[kept].tolist()[1:]
        assert np.array_equal(some.codes[int(some.turns[turn, 0])], every.codes[int(every.turns[kept, 0])])


@pytest.mark.parametrize("upcard", [0.0, 0.3])
def test_value_under_is_highest_for_the_best_answer(hands: HandClasses, upcard: float) -> None:
    odds, others = random_odds(3), random_odds(4)
    best, foreign = (solve(hands, one, LIMIT, upcard=upcard) for one in (odds, others))
    own = value_under(hands, odds, best, odds, LIMIT, upcard=upcard)
    misled = value_under(hands, odds, foreign, others, LIMIT, upcard=upcard)
    # Codes of 16 bits can turn a tie around, and a turn later once more.
    assert best.value - 2 * TURNS * best.turns[:, 2].max() <= own <= best.value + 1e-5
    assert misled < best.value - 0.1


def test_value_under_agrees_with_brute_force(hands: HandClasses, brute: Brute) -> None:
    odds, others = random_odds(5), random_odds(6)
    guide = solve(hands, others, LIMIT)
    assert value_under(hands, odds, guide, others, LIMIT) == pytest.approx(brute.guided(odds, brute.best(others, 0.0), others), abs=2e-3)


def test_until_makes_later_turns_worth_nothing(hands: HandClasses, brute: Brute) -> None:
    odds = random_odds(7)
    seen = {}
    solve(hands, odds.until(3), LIMIT, on_turn=lambda turn, value: seen.update({turn: value.copy()}))
    assert not any(seen[turn].any() for turn in range(4, TURNS + 1))
    # The last three turns of sixteen, played as the first three.
    later = {name: np.roll(getattr(odds, name), TURNS - 3, 0) for name in ("share", "hazard", "knock", "caught")}
    expected = brute.best(OpponentModel(**later), 0.0)
    np.testing.assert_allclose(seen[1], by_class(hands, expected[TURNS - 2]), rtol=0, atol=2e-5)


def test_opponent_model_of_no_rounds_is_a_plain_guess() -> None:
    odds = OpponentModel.of(np.zeros(2 * tally.CELLS))
    assert not odds.hazard.any()
    assert not odds.share.any()
    assert np.array_equal(odds.knock[1, 0], 12.0 - np.arange(100))
    assert np.array_equal(odds.caught[TURNS, 4], -np.arange(100.0))
    hazard, knock, caught = odds.odds_at(5)
    assert [float(hazard), knock[0], caught[10]] == [0, 12, -10]


def test_opponent_model_pulls_thin_cells_towards_their_neighbours() -> None:
    counts = np.zeros((tally.CELLS, 2))
    # At turn 3 the opponent knocked in 200 of 1000 rounds with nothing known, and in 2 of 2 with one card known.
    for known, row in ((0, (1000, 200)), (1, (2, 2))):
        counts[tally.HAZARD_PART + 3 * 5 + known] = row
    cell = tally.KNOCK_PART + (3 * 5 + 0) * DEADWOODS
    counts[cell + 4] = 10_000, 150_000  # a knock with 4 won 15
    odds = OpponentModel.of(counts.ravel())
    assert odds.hazard[3, 0] == pytest.approx(0.2, abs=0.01)
    assert 0.2 < odds.hazard[3, 1] < 0.3
    assert 0 < odds.hazard[4, 0] <= odds.hazard[3, 0]
    assert odds.share[3].tolist() == pytest.approx([1000 / 1002, 2 / 1002, 0, 0, 0])
    assert odds.knock[3, 0, 4] == pytest.approx(15, abs=0.1)
    # Five points were never seen: one point less than four.
    assert odds.knock[3, 0, 5] == pytest.approx(odds.knock[3, 2, 4] - 1, abs=0.2)
    assert odds.odds_at(3)[0] == pytest.approx(202 / 1002, abs=0.01)

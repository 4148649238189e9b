"""Beyond the mean: the distribution by recursion, by another route, and by playing."""

from dataclasses import replace

import numpy as np
import pytest

from meldlab.cards import CARDS, Hand, classes
from meldlab.errors import NotLegalHere, NotPossible
from meldlab.waiting import Goal, Solution, WaitingGame, solve
from meldlab.waiting.distribution import QUANTILES, TurnDistribution
from meldlab.waiting.simulation import play_bag, play_deck

WORST = "AC QH KD"


@pytest.fixture(scope="module")
def three() -> Solution:
    return solve(WaitingGame(3), device="cpu")


def test_the_walk_finds_the_mean_again(three: Solution) -> None:
    waited = TurnDistribution.from_all_hands(three)
    np.testing.assert_allclose(waited.means(), three.expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize(
    ("cards", "aces", "goal", "dead"),
    [(3, "low", "gin", "2H 2D 9S"), (3, "round", "knock:6", ""), (3, "both", "knock:5", "AC 5D 6D KS"), (4, "low", "knock:10", "5D 6D KD")],
)
def test_the_walk_with_dead_cards_and_knocks(cards: int, aces: str, goal: str, dead: str) -> None:
    game = WaitingGame(cards, aces, Goal.parse(goal), Hand.parse(dead))
    solution = solve(game, device="cpu")
    whole = TurnDistribution.from_all_hands(solution)
    np.testing.assert_allclose(whole.means(), solution.expected, rtol=0, atol=1e-10)
    hand = solution.summary().worst
    waited = TurnDistribution.from_hand(solution, hand)
    chance, turns = waited.probabilities, np.arange(len(waited.probabilities))
    assert chance.sum() == pytest.approx(1, abs=1e-11)
    assert (chance * turns).sum() == pytest.approx(solution.turns(hand), abs=1e-8)
    assert whole.quantiles(0.75)[classes.number(hand, game.dead)] == waited.quantile(0.75)
    # One card from the goal: as many cards as can be counted by trying them all.
    near = solution.summary().best
    drawn = [card for card in CARDS if card not in near | game.dead]
    done = [card for card in drawn if any(solution.turns((near | Hand([card])) - Hand([old])) == 0 for old in near)]
    assert TurnDistribution.from_hand(solution, near).probabilities[1] == pytest.approx(len(done) / len(drawn))


def test_a_distribution_that_is_cut_off_does_not_pretend(three: Solution, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("meldlab.waiting.distribution.MAX_TURNS", 20)
    waited = TurnDistribution.from_hand(three, WORST)
    assert waited.quantile(0.5) == 16  # within 20 turns, so it is known
    with pytest.raises(NotPossible, match=r"after 20 turns fewer than 0.75 of the games have ended"):
        waited.quantile(0.75)
    with pytest.raises(NotPossible, match="after 20 turns"):
        waited.probabilities  # noqa: B018
    with pytest.raises(NotPossible, match=r"after 20 turns fewer than 0.9 "):
        TurnDistribution.from_all_hands(three).quantiles(0.9)


def test_games_that_never_end_have_no_mean(three: Solution) -> None:
    # By these values no hand is better than another, so a hand that is not one card from the goal is never left.
    stubborn = replace(three, expected=(three.expected > 0).astype(float))
    for play in (play_bag, play_deck):
        with pytest.raises(NotPossible, match="has not ended after 100,000 turns"):
            play(stubborn, WORST, games=2)


def test_pieces_change_nothing(three: Solution, monkeypatch: pytest.MonkeyPatch) -> None:
    def everything() -> list[object]:
        solution = solve(WaitingGame(4), device="cpu")
        waited = TurnDistribution.from_hand(solution, "AC 5D 9H KS")
        played = [play_bag(three, WORST, 999, 1).turns, play_deck(three, WORST, 999, 1).turns]
        arrays = [solution.expected, waited.numbers, *waited.moves, waited.probabilities, waited.sds(), *played]
        return [
            *(array.tobytes() for array in arrays),
            solution.summary(),
            waited.quantiles(0.5).tobytes(),
        ]

    usual = everything()
    monkeypatch.setattr("meldlab.parallel._next_size", lambda part, *rest: 997)
    for module in ("game", "solver", "distribution", "simulation"):
        monkeypatch.setattr(f"meldlab.waiting.{module}.CHUNK", 7)
    assert everything() == usual


def test_the_distribution_is_one_and_has_the_moments(three: Solution) -> None:
    waited = TurnDistribution.from_hand(three, WORST)
    chance, turns = waited.probabilities, np.arange(len(waited.probabilities))
    assert chance.sum() == pytest.approx(1, abs=1e-11)
    mean = (chance * turns).sum()
    assert mean == pytest.approx(three.turns(WORST), abs=1e-8)
    assert np.sqrt((chance * (turns - mean) ** 2).sum()) == pytest.approx(waited.sd(), abs=1e-6)


def test_one_turn_by_counting_cards(three: Solution) -> None:
    # 5H 6H KD: only 4H and 7H complete it at once.
    waited = TurnDistribution.from_hand(three, "5H 6H KD")
    assert waited.probabilities[0] == 0
    assert waited.probabilities[1] == pytest.approx(2 / 49)


def test_the_best_hands_wait_geometrically(three: Solution) -> None:
    # 2C 2D 3C waits for one of four cards and takes nothing else (E = 49 / 4): a geometric distribution.
    waited = TurnDistribution.from_hand(three, "2C 2D 3C")
    p = 4 / 49
    assert waited.sd() == pytest.approx(np.sqrt(1 - p) / p)
    np.testing.assert_allclose(waited.probabilities[1:20], [p * (1 - p) ** t for t in range(19)], atol=1e-12)
    assert waited.quantile(0.5) == int(np.ceil(np.log(0.5) / np.log(1 - p)))


def test_a_complete_hand_takes_no_turn(three: Solution) -> None:
    waited = TurnDistribution.from_hand(three, "5H 6H 7H")
    assert (waited.mean(), waited.sd(), waited.quantile(0.99)) == (0, 0, 0)


def test_quantiles_of_all_hands_are_those_of_each(three: Solution) -> None:
    whole = TurnDistribution.from_all_hands(three)
    medians = whole.quantiles(0.5)
    for rank in range(0, 1755, 250):
        mask = int(three.rows()[0][rank])
        assert medians[rank] == TurnDistribution.from_hand(three, Hand.from_mask(mask)).quantile(0.5)


@pytest.mark.parametrize("part", QUANTILES)
def test_quantiles_agree_with_play(three: Solution, part: float) -> None:
    waited, played = TurnDistribution.from_hand(three, WORST), play_bag(three, WORST, games=40_000, seed=5).turns
    turns = waited.quantile(part)
    # The part of games within the quantile, give or take four standard errors.
    error = 4 * np.sqrt(part * (1 - part) / len(played))
    assert np.mean(played <= turns) >= part - error
    assert np.mean(played < turns) <= part + error


def test_play_in_the_bag_agrees_with_the_model(three: Solution) -> None:
    played = play_bag(three, WORST, games=60_000, seed=3)
    waited = TurnDistribution.from_hand(three, WORST)
    assert abs(played.mean - three.turns(WORST)) < 4 * waited.sd() / np.sqrt(60_000)
    assert played.turns.std() == pytest.approx(waited.sd(), rel=0.03)


def test_dead_cards_are_never_drawn() -> None:
    dead = Hand(card for card in CARDS if card.rank >= 6)
    solution = solve(WaitingGame(3, dead=dead), device="cpu")
    played = play_bag(solution, "AC 3D 5H", games=40_000, seed=1)
    low, high = played.interval.low, played.interval.high
    assert low - 0.2 < solution.turns("AC 3D 5H") < high + 0.2


def test_the_same_seed_plays_the_same_games(three: Solution) -> None:
    assert np.array_equal(play_deck(three, games=500, seed=9).turns, play_deck(three, games=500, seed=9).turns)
    assert not np.array_equal(play_deck(three, games=500, seed=9).turns, play_deck(three, games=500, seed=10).turns)


def test_the_real_deck_is_faster_than_the_bag(three: Solution) -> None:
    # Cards thrown away do not come back before the stock is used up, so the useful ones come sooner.
    assert play_deck(three, games=40_000, seed=2).interval.high < three.summary().mean


def test_what_cannot_be_played(three: Solution) -> None:
    with pytest.raises(NotLegalHere, match="0 games"):
        play_bag(three, WORST, games=0)
    with pytest.raises(NotLegalHere, match="no dead cards"):
        play_deck(solve(WaitingGame(3, dead=Hand.parse("2H")), device="cpu"))
    with pytest.raises(NotLegalHere, match="between 0 and 1"):
        TurnDistribution.from_hand(three, WORST).quantile(1.5)


def test_a_quantile_that_rounding_could_miss_is_worked_out_exactly(three: Solution) -> None:
    exact = np.cumsum(TurnDistribution.from_hand(three, WORST).probabilities)
    # Parts just below and above the chance to have ended by the 20th turn: single precision cannot tell which it is.
    for part, turns in ((exact[20] - 1e-12, 20), (exact[20] + 1e-12, 21)):
        assert TurnDistribution.from_hand(three, WORST).quantile(part) == turns

"""Parameters of the ensemble beyond the paper: they change nothing by default, and each has the effect that it is documented with."""

from dataclasses import fields, replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meldlab.cards import CARDS, Card, Hand
from meldlab.errors import NotLegalHere
from meldlab.gin import Phase, Rules, Verb, kernel_ensemble
from meldlab.gin.batch import play_batch
from meldlab.gin.players import Ensemble, EnsemblePlayer, SimplePlayer
from meldlab.melds import deadwood, discards
from meldlab.play import Deal
from tests.gin.test_players import WEIGHING, values_of, view_of

PAPER = Ensemble()
LOOSE = "2C 3C 9D 9H KS QS 7D 5H 4S AS"  # no meld; 60 points


def mask(cards: str) -> int:
    return Hand.parse(cards).mask


@pytest.mark.parametrize(
    "name", ["draw_reduction", "draw_need", "draw_promise", "draw_to_knock", "melded", "feed", "knock_weights", "deadwood_power"]
)
def test_each_parameter_beyond_the_paper_has_an_effect_and_a_neutral_default(name: str) -> None:
    value = getattr(WEIGHING, name)
    # Two of them speak only together with another.
    together: dict[str, dict[str, Any]] = {"draw_promise": {"draw_need": 6.0}, "draw_reduction": {"draw_turn": 3}}
    with_it = together.get(name, {})
    changed, without = replace(PAPER, **with_it, **{name: value}), replace(PAPER, **with_it)
    default = {field.name: field.default for field in fields(Ensemble)}[name]
    assert getattr(PAPER, name) == default != value
    plain, other = (play_batch(EnsemblePlayer(each), SimplePlayer(), Rules(), 4, 0, 200, threads=1) for each in (without, changed))
    assert not np.array_equal(other, plain)


def test_neutral_values_beyond_the_paper_change_nothing() -> None:
    # Other ways to say "nothing": a need that no upcard fulfils whatever it promises, a price of 0, weights of 0, a share to the power 1.
    others: list[dict[str, Any]] = [
        {"draw_need": 99.0, "draw_promise": 7.0},
        {"draw_need": 500.0},
        {"draw_turn": 200, "draw_reduction": 50.0},
        {"feed": (0.0, -0.0)},
        {"knock_weights": (0.0, 0.0, 0.0, 0.0, -0.0)},
    ]
    late = replace(PAPER, draw_turn=200)
    for changes in others:
        one, other = (late if "draw_reduction" in changes else PAPER), replace(PAPER, **changes)
        both = [play_batch(EnsemblePlayer(each), SimplePlayer(), Rules(), 4, 0, 200, threads=1) for each in (one, other)]
        assert np.array_equal(both[0], both[1]), changes


def test_think_agrees_with_the_paper_without_parameters_beyond_it() -> None:
    # Section 4 of the paper, written out: meldability, deadwood, aces and twos, adjacency, each over its normaliser.
    view = view_of("2C 3C 4C 9D 9H TD KC AD KH 5S", "JD", "pass", "pass", "draw stock")
    only = values_of(EnsemblePlayer(replace(PAPER, weights=(0.0, 1.0, 0.0, 0.0, 0.0, 0.0))), view)
    left = discards(view.hand)
    assert only == pytest.approx({card: 1 - left[card] / 98 for card in view.hand})


def dangers_of(hand: str, known: str, pile: str, p: dict[Card, float]) -> dict[Card, float]:
    cards = Hand.parse(hand)
    order = np.array([card.index for card in cards], np.int64)
    belief, values = np.zeros(54), np.zeros(52)
    belief[:52] = [p.get(card, 0.75) for card in CARDS]
    kernel_ensemble.dangers(
        cards.mask, order, len(order), belief, mask(known), mask(pile), np.zeros(4 * kernel_ensemble.SUIT_PLACES), values
    )
    return {card: float(values[card.index]) for card in cards}


def slow_danger(card: Card, hand: str, known: str, pile: str, p: dict[Card, float]) -> float:
    """Sum over pairs of other cards that meld with the card, each card with its chance of being the opponent's."""
    mine, theirs, gone = (set(Hand.parse(text)) for text in (hand, known, pile))

    def held(other: Card) -> float:
        return 1.0 if other in theirs else 0.0 if other in mine | gone else min(1.0, max(0.0, 1 - p.get(other, 0.75)))

    total = 0.0
    for one, other in combinations([each for each in CARDS if each != card], 2):
        same_rank = one.rank == other.rank == card.rank
        in_row = one.suit == other.suit == card.suit and sorted((one.rank, other.rank, card.rank)) == list(
            range(min(one.rank, other.rank, card.rank), min(one.rank, other.rank, card.rank) + 3)
        )
        if same_rank or in_row:
            total += held(one) * held(other)
    return min(1.0, total)


@settings(max_examples=25, deadline=None)
@given(st.randoms(use_true_random=False))
def test_dangers_are_the_meldability_of_the_opponents_cards(chance: object) -> None:
    shuffle = chance.sample(CARDS, 52)  # type: ignore[attr-defined]
    hand, known, pile = (" ".join(map(str, shuffle[a:b])) for a, b in ((0, 11), (11, 14), (14, 18)))
    p = {card: chance.uniform(-0.1, 1.1) for card in CARDS}  # type: ignore[attr-defined]
    found = dangers_of(hand, known, pile, p)
    for card in Hand.parse(hand):
        assert found[card] == pytest.approx(slow_danger(card, hand, known, pile, p))


def test_feed_holds_back_a_card_that_the_opponent_can_meld() -> None:
    # The opponent took KD; KS and QS cost the same deadwood, but kings are what it collects.
    moves = ("pass", "take KD", "drop 2H", "draw stock")
    view = view_of("3C 4C 5C 9D 9H 9S 7H 7D KS QS", "KD", *moves)
    careless = EnsemblePlayer(replace(PAPER, weights=(0.0, 1.0, 0.0, 0.0, 0.0, 0.0)))
    careful = EnsemblePlayer(replace(careless.ensemble, feed=(4.0, 0.0)))
    fear = {card: values_of(careful, view)[card] - values_of(careless, view)[card] for card in view.hand}
    assert fear[Card.parse("KS")] < fear[Card.parse("QS")] <= 0
    assert careful.drop(view, Deal(1).chance(0, 0)).card != Card.parse("KS")


@pytest.mark.parametrize(
    ("hand", "makes_gin"),
    [
        # A run and two sets, and 5D over: only a card that extends a meld goes in its place.
        ("AC 2C 3C 9C 9D 9S JC JD JH 5D", {"4C", "9H", "JS"}),
        # Three loose cards of 25 points: no one card is enough.
        ("AC 2C 3C 4C 9C 9D 9S KC QD 5H", set()),
        # Ten melded cards: whatever comes can go again.
        (
            "AC 2C 3C 4C 9C 9D 9S KC KD KH",
            {str(card) for card in CARDS} - {"AC", "2C", "3C", "4C", "9C", "9D", "9S", "KC", "KD", "KH"},
        ),
    ],
)
def test_gin_cards_counts_the_cards_that_make_gin(hand: str, makes_gin: set[str]) -> None:
    cards = Hand.parse(hand)
    unknown = Hand.full().mask & ~cards.mask
    slow = {card for card in Hand.from_mask(unknown) if min(discards(Hand.from_mask(cards.mask | 1 << card.index)).values()) == 0}
    belief = np.full(54, 0.5)
    belief[kernel_ensemble.SHIFT] = 0.0
    assert {str(card) for card in slow} == makes_gin
    assert kernel_ensemble.gin_cards(cards.mask, belief, unknown) == pytest.approx(0.5 * len(makes_gin))


@pytest.mark.parametrize(
    ("weights", "knocks"),
    [
        ((1.0, 0.0, 0.0, 0.0, 0.0), True),
        ((-1.0, 0.0, 0.0, 0.0, 0.0), False),
        ((1.5, -1.0, 0.0, 0.0, 0.0), True),
        ((3.5, 0.0, -1.0, 0.0, 0.0), False),
    ],
)
def test_knock_weights_decide_a_knock(weights: tuple[float, float, float, float, float], knocks: bool) -> None:
    # 4 points after the first draw.
    view = view_of("2C 3C 4C 9D 9H 9S KC KD 4H 5S", "KH", "take KH")
    player = EnsemblePlayer(replace(PAPER, knock=(10, 10, 0), knock_weights=weights))
    move = player.choose(view, Deal(1).chance(2, 0))
    assert (move.verb is Verb.KNOCK) == knocks


def test_knock_weights_never_prevent_gin() -> None:
    view = view_of("2C 3C 4C 9D 9H 9S KC KD 4H 5C", "KH", "take KH")
    player = EnsemblePlayer(replace(PAPER, knock=(10, 10, 0), knock_weights=(-9.0, -9.0, -9.0, -9.0, -9.0)))
    assert str(player.choose(view, Deal(1).chance(2, 0))).startswith("knock 4H")


@pytest.mark.parametrize(
    ("change", "takes"),
    [
        ({}, False),
        ({"draw_turn": 0}, True),
        ({"draw_turn": 0, "draw_reduction": 8.0}, True),
        ({"draw_turn": 0, "draw_reduction": 8.5}, False),
        ({"draw_need": 8.0}, True),
        ({"draw_need": 8.5}, False),
        ({"draw_need": 8.5, "draw_promise": 0.0}, False),
        ({"draw_need": 8.5, "draw_promise": 2.0}, True),
        ({"draw_to_knock": 51}, False),
        ({"draw_to_knock": 52}, True),
    ],
)
def test_takes_depends_on_what_the_upcard_saves_and_promises(change: dict[str, Any], takes: bool) -> None:
    # 2D for a king saves 8 of 60 points and is near 2C; it makes no meld.
    view = view_of(LOOSE, "2D")
    assert view.phase is Phase.OFFER
    assert deadwood(view.hand) == 60
    assert EnsemblePlayer(replace(PAPER, **change)).takes(view, Card.parse("2D")) == takes


def test_ensemble_rejects_a_price_in_points_without_weight() -> None:
    with pytest.raises(NotLegalHere, match="expected a positive weight of deadwood"):
        Ensemble(weights=(0.5, 0.0, 0.0, 0.0, 0.5, 0.0), feed=(1.0, 0.0))
    with pytest.raises(NotLegalHere, match="deadwood_power: expected"):
        Ensemble(deadwood_power=0.0)

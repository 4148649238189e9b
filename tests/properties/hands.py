"""What the property tests draw: cards, hands, hands rich in melds, ace rules, points."""

from random import Random

from hypothesis import strategies as st

from meldlab.cards import CARDS, Card, Deck, Hand
from meldlab.melds import Aces, Meld, melds

cards: st.SearchStrategy[Card] = st.sampled_from(CARDS)
aces: st.SearchStrategy[Aces] = st.sampled_from(Aces)
points = st.lists(st.integers(0, 15), min_size=13, max_size=13).map(tuple)
all_melds: dict[Aces, tuple[Meld, ...]] = {
    rule: tuple(
        meld
        for lanes in [*(Hand.from_mask(0x1FFF << 13 * suit) for suit in range(4)), *(Hand(CARDS[rank::13]) for rank in range(13))]
        for meld in melds(lanes, rule)
    )
    for rule in Aces
}
short_melds = tuple(meld for meld in all_melds[Aces.ROUND] if len(meld.hand) <= 4)


def hands(least: int = 0, most: int = 13) -> st.SearchStrategy[Hand]:
    """Draw any hand."""
    return st.sets(cards, min_size=least, max_size=most).map(Hand)


@st.composite
def rich_hands(draw: st.DrawFn, most: int = 13) -> Hand:
    """Draw a hand that whole melds were put into, overlapping or not, and some cards besides."""
    seed = draw(st.integers(0, 2**32))
    return rich_hand(Random(seed), draw(st.integers(3, most)))


def rich_hand(random: Random, size: int) -> Hand:
    """Return a hand of ``size`` cards made by adding whole melds while they fit, then neighbours, then any cards."""
    hand = Hand()
    while len(hand) < size and random.random() < 0.9:
        grown = hand | random.choice(all_melds[Aces.ROUND] if random.random() < 0.2 else short_melds).hand
        hand = grown if len(grown) <= size else hand
    near = [card for card in Hand.full() - hand if any(card.rank == other.rank or card.suit == other.suit for other in hand)]
    for pool in (random.sample(near, len(near)), random.sample(CARDS, 52)):
        for card in pool:
            if len(hand) < size and random.random() < 0.7:
                hand |= {card}
    return hand


decks: st.SearchStrategy[Deck] = st.permutations(CARDS).map(lambda order: Deck(tuple(order[: len(order) // 2])))

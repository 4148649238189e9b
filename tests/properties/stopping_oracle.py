"""Slow and obvious answers for the stopping game: every order of the pile played under every policy, nothing from meldlab."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from fractions import Fraction
from itertools import combinations, product

Order = tuple[bool, ...]  # True is black, the top card first
Policy = Callable[[Order], bool]  # whether to go on after having seen these cards


def all_orders(black: int, red: int) -> list[Order]:
    """Return every order of the pile; all are equally likely."""
    cards = range(black + red)
    return [tuple(place in blacks for place in cards) for blacks in combinations(cards, black)]


def won(order: Order, goes_on: Policy, gain: Fraction, loss: Fraction) -> Fraction:
    """Return the winnings on one order."""
    seen = 0
    while seen < len(order) and goes_on(order[:seen]):
        seen += 1
    return sum((gain if card else -loss for card in order[:seen]), Fraction(0))


def distribution(black: int, red: int, goes_on: Policy, gain: Fraction, loss: Fraction) -> dict[Fraction, Fraction]:
    """Return the chance of each amount under a policy."""
    orders = all_orders(black, red)
    counts = Counter(won(order, goes_on, gain, loss) for order in orders)
    return {amount: Fraction(count, len(orders)) for amount, count in counts.items()}


def subsets(things: Collection[Order]) -> Iterator[set[Order]]:
    """Give every subset."""
    for chosen in product((False, True), repeat=len(things)):
        yield {thing for thing, take in zip(things, chosen, strict=True) if take}


def best_over_all_policies(black: int, red: int, gain: Fraction, loss: Fraction) -> Fraction:
    """Return the best mean over all policies there are: each answers after each possible sequence of cards as it likes."""
    orders = all_orders(black, red)
    sequences = {order[:seen] for order in orders for seen in range(len(order))}
    return max(_mean(orders, lambda seen, going=going: seen in going, gain, loss) for going in subsets(sequences))  # type: ignore[misc]


def best_over_position_policies(black: int, red: int, gain: Fraction, loss: Fraction) -> Fraction:
    """Return the best mean over the policies that look only at how many cards of each colour are gone."""
    orders = all_orders(black, red)
    # A position is written as the sequence in which its black cards come first.
    positions = {_position(order[:seen]) for order in orders for seen in range(len(order))}
    return max(_mean(orders, lambda seen, going=going: _position(seen) in going, gain, loss) for going in subsets(positions))  # type: ignore[misc]


def _position(seen: Order) -> Order:
    return tuple(sorted(seen, reverse=True))


def _mean(orders: list[Order], goes_on: Policy, gain: Fraction, loss: Fraction) -> Fraction:
    return sum((won(order, goes_on, gain, loss) for order in orders), Fraction(0)) / len(orders)

"""Yang's stopping game: the text's recursion filled in as it says, beside our own solver.

>>> value, go_on = matrices(2)
>>> value[2][2], go_on[2][2]
(Fraction(2, 3), True)
"""

from fractions import Fraction
from functools import cache

from meldlab.reports.stopping import draw_policy, draw_value
from meldlab.reproduce.bench import Findings, Reproducer
from meldlab.reproduce.judging import Obtained
from meldlab.stopping import Urn

__all__ = ["Matrices", "claims", "matrices"]

CARDS = 26
Matrices = tuple[list[list[Fraction]], list[list[bool]]]


def matrices(cards: int) -> Matrices:
    """Fill both matrices as section 4 says: from C + D = 0 up, with its three special cases."""
    value = [[Fraction(0)] * (cards + 1) for _ in range(cards + 1)]
    go_on = [[False] * (cards + 1) for _ in range(cards + 1)]
    for total in range(1, 2 * cards + 1):
        for c in range(max(0, total - cards), min(cards, total) + 1):
            d = total - c
            if c == 0:
                value_if_play = value[c][d - 1]
            elif d == 0:
                value_if_play = value[c - 1][d]
            else:
                value_if_play = Fraction(c, c + d) * value[c - 1][d] + Fraction(d, c + d) * value[c][d - 1]
            value[c][d] = max(Fraction(d - c), value_if_play)
            go_on[c][d] = value_if_play > d - c
    return value, go_on


def claims(bench: Reproducer) -> Findings:
    """Give what comes out for each claim of the text."""
    deck, (value, go_on) = Urn(CARDS, CARDS), matrices(CARDS)
    worth = deck.value()
    same = worth == value[CARDS][CARDS]
    yield "value", Obtained(f"{worth} = {float(worth):.15f} by both (exact)", "the recursion of section 4" if same else None)
    every = [(c, d) for c in range(CARDS + 1) for d in range(CARDS + 1)]
    values, goes_on = deck.values(), deck.policy().continues()
    equal = sum(values[c][d] == value[c][d] for c, d in every)
    yield "current-value", Obtained(f"{equal} of {len(every)} equal as fractions", equal)
    alike = sum(goes_on[c][d] == go_on[c][d] for c, d in every)
    yield "continue-or-not", Obtained(f"{alike} of {len(every)} equal", alike)
    asked = [(deck.advise(drawn=2 * CARDS - c - d, black=CARDS - c), c, d) for c, d in every]
    told = sum((one.value, one.keep_drawing) == (value[c][d], go_on[c][d]) for one, c, d in asked)
    yield "state-and-policy", Obtained(f"{told} of {len(every)} equal", told)
    # Only red cards left: stop with what is won. Only black ones left: take them all. Nothing left: nothing.
    edges = [(values[0][d], d) for d in range(CARDS + 1)] + [(values[c][0], 0) for c in range(1, CARDS + 1)]
    yield (
        "special-cases",
        Obtained(
            f"{sum(one == other for one, other in edges)} of {len(edges)} as they should be", sum(one == other for one, other in edges)
        ),
    )
    small = [(black, red) for black in range(4) for red in range(4) if black + red <= 5]
    beaten = sum(Urn(black, red).value() == _best_policy(black, red) for black, red in small)
    yield (
        "optimal",
        Obtained(f"no policy does better on {beaten} of {len(small)} small decks: all their policies were tried", beaten == len(small)),
    )
    wasted = _calls(CARDS, CARDS)
    yield "recursion", Obtained(f"{float(wasted):.2e} calls instead of {len(every)}", wasted > 10**6 * len(every))
    equal_places = deck.policy().indifferent or ()
    note = "There the text stops; going on is worth as much, and the winnings are distributed otherwise."
    yield (
        "ties",
        Obtained(
            f"equal in {len(equal_places)} position: {equal_places[0]} (black, red) left, where ours stops too",
            not any(goes_on[c][d] for c, d in equal_places),
            note=note,
        ),
    )
    bench.draw(
        "yang-value",
        "currentValue: what every position is worth",
        draw_value(deck),
        "The text defines the matrix and prints none of it.",
        "current-value",
    )
    bench.draw(
        "yang-policy",
        "continueOrNot: where to stop",
        draw_policy(deck),
        "The text defines the matrix and prints none of it.",
        "continue-or-not",
    )


def _best_policy(black: int, red: int) -> Fraction:
    """Return the value of the best of all policies, each of them a set of positions at which one stops."""
    places = [(b, r) for b in range(black + 1) for r in range(red + 1) if b + r > 0]

    def worth(stops: int) -> Fraction:
        @cache
        def ahead(b: int, r: int) -> Fraction:
            if b + r == 0 or stops >> places.index((b, r)) & 1:
                return Fraction(0)
            good = Fraction(b, b + r) * (1 + ahead(b - 1, r)) if b else Fraction(0)
            return good + (Fraction(r, b + r) * (ahead(b, r - 1) - 1) if r else 0)

        return ahead(black, red)

    return max(worth(stops) for stops in range(1 << len(places)))


def _calls(black: int, red: int) -> int:
    """Return how often a recursion that keeps nothing calls itself."""

    @cache
    def calls(b: int, r: int) -> int:
        return 1 + (calls(b - 1, r) if b else 0) + (calls(b, r - 1) if r else 0)

    return calls(black, red)

"""Yang's stopping game: the recursion of the text, compared with our solver.

>>> value, draw = matrices(2)
>>> value[2][2], draw[2][2]
(Fraction(2, 3), True)
"""

from fractions import Fraction
from functools import cache

from meldlab.reports.stopping import draw_policy, draw_value
from meldlab.reproduce.claims import Outcome
from meldlab.reproduce.run import Context, Outcomes
from meldlab.stopping import Urn

CARDS = 26
Matrices = tuple[list[list[Fraction]], list[list[bool]]]


def matrices(cards: int) -> Matrices:
    """Fill both matrices as section 4 says: from C + D = 0 up, with its three special cases."""
    value = [[Fraction(0)] * (cards + 1) for _ in range(cards + 1)]
    draw = [[False] * (cards + 1) for _ in range(cards + 1)]
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
            draw[c][d] = value_if_play > d - c
    return value, draw


def claims(context: Context) -> Outcomes:
    """Yield the outcome of each claim of the text."""
    deck, (value, draw) = Urn(CARDS, CARDS), matrices(CARDS)
    ours = deck.value()
    same = ours == value[CARDS][CARDS]
    yield "value", Outcome(f"{ours} = {float(ours):.15f} by both (exact)", "the recursion of section 4" if same else None)
    positions = [(c, d) for c in range(CARDS + 1) for d in range(CARDS + 1)]
    values, continues = deck.values(), deck.policy().continues()
    equal = sum(values[c][d] == value[c][d] for c, d in positions)
    yield "current-value", Outcome(f"{equal} of {len(positions)} equal as fractions", equal)
    alike = sum(continues[c][d] == draw[c][d] for c, d in positions)
    yield "continue-or-not", Outcome(f"{alike} of {len(positions)} equal", alike)
    advice = [(deck.advise(drawn=2 * CARDS - c - d, black=CARDS - c), c, d) for c, d in positions]
    agree = sum((best.value, best.keep_drawing) == (value[c][d], draw[c][d]) for best, c, d in advice)
    yield "state-and-policy", Outcome(f"{agree} of {len(positions)} equal", agree)
    # Only red cards left: stop with what is won. Only black ones left: take them all. Nothing left: nothing.
    edges = [(values[0][d], d) for d in range(CARDS + 1)] + [(values[c][0], 0) for c in range(1, CARDS + 1)]
    right = sum(computed == expected for computed, expected in edges)
    yield "special-cases", Outcome(f"{right} of {len(edges)} as they should be", right)
    small = [(black, red) for black in range(4) for red in range(4) if black + red <= 5]
    optimal = sum(Urn(black, red).value() == _best_policy(black, red) for black, red in small)
    text = f"no policy does better on {optimal} of {len(small)} small decks: all their policies were tried"
    yield "optimal", Outcome(text, optimal == len(small))
    wasted = _calls(CARDS, CARDS)
    yield "recursion", Outcome(f"{float(wasted):.2e} calls instead of {len(positions)}", wasted > 10**6 * len(positions))
    ties = deck.policy().indifferent or ()
    note = "There the text stops; continuing has the same value, with another distribution of the winnings."
    text = f"equal in {len(ties)} position: {ties[0]} (black, red) left, where ours stops too"
    yield "ties", Outcome(text, not any(continues[c][d] for c, d in ties), note=note)
    says = "The text defines the matrix and prints none of it."
    context.draw("yang-value", "currentValue: the value of every position", draw_value(deck), says, "current-value")
    context.draw("yang-policy", "continueOrNot: where to stop", draw_policy(deck), says, "continue-or-not")


def _best_policy(black: int, red: int) -> Fraction:
    """Return the value of the best of all policies, each of them a set of positions at which to stop."""
    positions = [(b, r) for b in range(black + 1) for r in range(red + 1) if b + r > 0]

    def value(stops: int) -> Fraction:
        @cache
        def ahead(b: int, r: int) -> Fraction:
            if b + r == 0 or stops >> positions.index((b, r)) & 1:
                return Fraction(0)
            good = Fraction(b, b + r) * (1 + ahead(b - 1, r)) if b else Fraction(0)
            return good + (Fraction(r, b + r) * (ahead(b, r - 1) - 1) if r else 0)

        return ahead(black, red)

    return max(value(stops) for stops in range(1 << len(positions)))


def _calls(black: int, red: int) -> int:
    """Return the number of calls of a recursion without memory."""

    @cache
    def calls(b: int, r: int) -> int:
        return 1 + (calls(b - 1, r) if b else 0) + (calls(b, r - 1) if r else 0)

    return calls(black, red)

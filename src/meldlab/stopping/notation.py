"""Decks and amounts as text: ``26,26`` is black,red; an amount is ``2``, ``0.5`` or ``1/2`` and stays exact."""

import re
from fractions import Fraction

from meldlab.errors import BadText

MAX_DIGITS = 12  # more is a typing error, or an attempt to fill the memory
FRONT = re.compile(r"\s*[0-9]*")
COUNT = re.compile(r"[0-9]+")
AMOUNT = re.compile(r"[0-9]+/[0-9]+|[0-9]+(\.[0-9]*)?|\.[0-9]+")


def read_deck(text: str) -> tuple[int, int]:
    """Read the numbers of black and red cards.

    >>> read_deck("26,26"), read_deck(" 3, 0 ")
    ((26, 26), (3, 0))
    """
    parts = text.split(",")
    if len(parts) != 2:
        offset = len(FRONT.match(text)[0]) if len(parts) == 1 else len(parts[0]) + 1 + len(parts[1])  # type: ignore[index]  # matches anything
        raise BadText("a deck is black,red: two numbers of cards with a comma between, such as 26,26", text, offset)
    return _read_count(text, parts[0], 0), _read_count(text, parts[1], len(parts[0]) + 1)


def _read_count(text: str, part: str, start: int) -> int:
    count, offset = part.strip(), start + len(part) - len(part.lstrip())
    if not COUNT.fullmatch(count):
        raise BadText(f"no number of cards {count!r} (use a whole number from 0 up)", text, offset)
    if len(count) > MAX_DIGITS:
        raise BadText(f"too many cards (at most {MAX_DIGITS} digits)", text, offset)
    return int(count)


def read_amount(text: str) -> Fraction:
    """Read the amount that a card wins or loses, without rounding.

    >>> read_amount("1/2"), read_amount("0.1"), read_amount("3")
    (Fraction(1, 2), Fraction(1, 10), Fraction(3, 1))
    """
    amount, offset = text.strip(), len(text) - len(text.lstrip())
    if amount.startswith("-"):
        raise BadText("a gain or a loss is not negative (black wins, red loses; exchange the colours if need be)", text, offset)
    if not AMOUNT.fullmatch(amount):
        raise BadText(f"no amount {amount!r} (use a number such as 2, 0.5 or 1/2)", text, offset)
    if sum(map(str.isdigit, amount)) > 2 * MAX_DIGITS:
        raise BadText(f"too long an amount (at most {2 * MAX_DIGITS} digits)", text, offset)
    if amount.partition("/")[2].strip("0") == "" and "/" in amount:
        raise BadText("no amount has the denominator 0", text, offset + amount.index("/") + 1)
    return Fraction(amount)


def amount_text(amount: Fraction | float) -> str:
    """Return an amount as text: a short fraction with its decimals, anything else with six decimals.

    >>> amount_text(Fraction(3)), amount_text(Fraction(-1, 2)), amount_text(Fraction(41984711742427, 15997372030584))
    ('3', '-1/2 (-0.5)', '2.624476')
    """
    exact = str(amount)
    if not isinstance(amount, Fraction) or len(exact) > 9:
        return f"{float(amount):.6f}"
    return exact if amount.denominator == 1 else f"{exact} ({float(amount):.6g})"

"""Constant folding: values that are known before a game starts.

>>> from meldlab.recycle.language.parser import parse_expression
>>> constant(parse_expression("(- (* 2 3) (tri 3))"))
0
"""

from operator import eq, ge, gt, le, lt, ne
from typing import Any

from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.kernel_arithmetic import divided, fibonacci, power
from meldlab.recycle.language.tree import walk

_COMPARISONS = {"==": eq, "!=": ne, "<": lt, ">": gt, "<=": le, ">=": ge}
_CHANGING = (s.Cell, s.Location, s.Seat, s.Numbered, s.OwnerOf, s.TeamOf, s.Random, s.Everyone, s.Others, s.CardAtt, s.Indexed, s.Identity)


def is_fixed(node: s.Expr) -> bool:
    """Return whether a value depends on nothing that changes during a game."""
    return not any(isinstance(part, _CHANGING) for part in walk(node))


def constant(node: Any) -> int | None:
    """Return the constant number or truth value of an expression, or None."""
    match node:
        case s.Number():
            return node.value if node.value < 2**31 else None
        case s.Arithmetic():
            parts = [constant(part) for part in node.parts]
            return _small(_arithmetic(node.how, parts)) if None not in parts else None
        case s.Special():
            number = constant(node.number)
            if number is None or abs(number) > 2**16:
                return None
            return _small(number * (number + 1) // 2 if node.which == "tri" else fibonacci(number))
        case s.Compare():
            left, right = constant(node.left), constant(node.right)
            if left is None or right is None:
                return None
            return int(_COMPARISONS[node.how](left, right))
        case s.Not():
            test = constant(node.test)
            return None if test is None else 1 - test
        case s.Logic():
            tests = [constant(part) for part in node.parts]
            decisive = 0 if node.how == "and" else 1
            return decisive if decisive in tests else None if None in tests else 1 - decisive
        case s.Size(of=s.Strings(names=names)):
            return len(names)
        case s.Size(of=s.Range(first=first, last=last)):
            low, high = constant(first), constant(last)
            return None if low is None or high is None else _small(max(0, high - low + 1))
    return None


def cards_made(deck: s.CreateDeck | s.RepeatDeck) -> int:
    """Return how many cards a deck makes, at most 10**12."""
    if isinstance(deck, s.RepeatDeck):
        return min(10**12, max(0, constant(deck.count) or 0) * cards_made(deck.deck))
    total = 1
    for attribute in deck.attributes:
        total = min(10**12, total * _values(attribute))
    return total


def _values(node: s.Attribute) -> int:
    return sum(sum(map(_values, branch.attributes)) if branch.attributes else 1 for branch in node.branches)


def _small(number: int | None) -> int | None:
    return number if number is not None and -(2**31) <= number < 2**31 else None


def _arithmetic(how: str, parts: list[Any]) -> int | None:
    first, *rest = parts
    for part in rest:
        match how:
            case "+":
                first += part
            case "*":
                first *= part
            case "-":
                first -= part
            case "^":
                first = power(first, part)
            case _:
                if part == 0:
                    return None
                quotient = divided(first, part)
                first = quotient if how == "//" else first - quotient * part
        if _small(first) is None:
            return None
    number: int = first
    return number

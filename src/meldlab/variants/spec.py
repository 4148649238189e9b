"""Specification of a search: the ranges of declared numbers, the objective, and the constraints.

>>> IntRange.parse("HAND=3..9").values, Constraint.parse("fairness > 0.95").slack(0.9) < 0
(range(3, 10), True)
>>> IntRange.parse("HAND=9..3")
Traceback (most recent call last):
    ...
meldlab.errors.BadText: nothing lies from 9 to 3
  HAND=9..3
       ^
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Self

from meldlab.errors import BadText, NoSuchThing, NotLegalHere
from meldlab.recycle.game import RecycleGame
from meldlab.recycle.language.settings import declared_numbers
from meldlab.statistics import Interval
from meldlab.variants.measures import MEASURES

_RANGE = re.compile(r"\s*'?(?P<name>[A-Z]+)\s*=\s*(?P<low>-?[0-9]+)\s*\.\.\s*(?P<high>-?[0-9]+)\s*")
_CONSTRAINT = re.compile(r"\s*(?P<measure>[a-z]+)\s*(?P<sign>>=|<=|>|<)\s*(?P<bound>[-+]?[0-9]*\.?[0-9]+(?:e[-+]?[0-9]+)?)\s*")
MAX_DIGITS = 10  # of a number of 32 bits


@dataclass(frozen=True)
class IntRange:
    """A declared number with its least and largest value."""

    name: str
    low: int
    high: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse ``NAME=LOW..HIGH``."""
        match = _RANGE.fullmatch(text)
        if match is None:
            name = re.match(r"\s*'?[A-Z]+\s*=", text)
            raise BadText("numbers that may vary are written NAME=LOW..HIGH, the name in capitals", text, name.end() if name else 0)
        for end in ("low", "high"):
            digits = match[end]
            if len(digits.lstrip("-0")) > MAX_DIGITS or abs(int(digits)) >= 2**31:
                raise BadText("a number beyond 32 bits", text, match.start(end))
        low, high = int(match["low"]), int(match["high"])
        if low > high:
            raise BadText(f"nothing lies from {low} to {high}", text, match.start("low"))
        return cls(match["name"], low, high)

    def __str__(self) -> str:
        return f"{self.name}={self.low}..{self.high}"

    @property
    def values(self) -> range:
        """Return the values of the number."""
        return range(self.low, self.high + 1)


@dataclass(frozen=True)
class Constraint:
    """A measure that must stay above, or below, a bound."""

    measure: str
    sign: str
    bound: float

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse ``MEASURE > NUMBER``, or with ``>=``, ``<``, ``<=``."""
        match = _CONSTRAINT.fullmatch(text)
        if match is None:
            word = re.match(r"\s*[a-z]+\s*", text)
            sign = re.match(r"\s*[a-z]+\s*(>=|<=|>|<)\s*", text)
            end = sign.end() if sign else word.end() if word else 0
            raise BadText("a constraint is written MEASURE > NUMBER, or with <, >=, <=", text, end)
        measure = match["measure"]
        if measure not in MEASURES:
            raise BadText(str(NoSuchThing("measure", measure, MEASURES)), text, match.start("measure"))
        bound = float(match["bound"])
        if not isfinite(bound):
            raise BadText("expected a number that is not infinite", text, match.start("bound"))
        return cls(measure, match["sign"], bound)

    def __str__(self) -> str:
        return f"{self.measure} {self.sign} {self.bound:g}"

    @property
    def direction(self) -> int:
        """Return 1 if larger values are better, -1 if smaller ones are."""
        return 1 if self.sign.startswith(">") else -1

    def slack(self, value: float) -> float:
        """Return the distance of a value from the bound, positive on the right side."""
        return self.direction * (value - self.bound)

    def satisfied_by(self, value: Interval | None) -> bool:
        """Return whether the estimate is on the right side."""
        slack = -inf if value is None else self.slack(value.value)
        return slack >= 0 if "=" in self.sign else slack > 0

    def clearly_violated_by(self, value: Interval | None) -> bool:
        """Return whether the whole interval is on the wrong side; None always violates."""
        return value is None or max(self.slack(value.low), self.slack(value.high)) < 0


@dataclass(frozen=True)
class Objective:
    """The measure to maximise (direction 1) or minimise (-1)."""

    measure: str
    direction: int = 1

    def __str__(self) -> str:
        return f"{'maximise' if self.direction > 0 else 'minimise'} {self.measure}"

    def score(self, value: Interval | None) -> float:
        """Return a value as a number that is larger for a better one."""
        return self.direction * value.value if value is not None else -inf


def verified_measure(name: str) -> str:
    """Return the name of a measure, or raise NoSuchThing.

    >>> verified_measure("dramma")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    meldlab.errors.NoSuchThing: no measure 'dramma' (use fairness, ...); did you mean drama?
    """
    if name not in MEASURES:
        raise NoSuchThing("measure", name, MEASURES)
    return name


@dataclass(frozen=True)
class SearchSpec:
    """The ranges, the objective and the constraints of a search for one game."""

    ranges: tuple[IntRange, ...]
    objective: Objective
    constraints: tuple[Constraint, ...] = ()

    @classmethod
    def for_game(
        cls, game: RecycleGame, ranges: Sequence[IntRange], objective: Objective, constraints: Sequence[Constraint], searches: bool
    ) -> Self:
        """Return the specification; raise if the game does not declare the numbers or the players do not give the measures."""
        declared = declared_numbers(game.text, game.dialect)
        if not declared:
            how = "write (declare 5 'HAND) above its setup, and 'HAND wherever that number stands"
            raise NotLegalHere(f"{game.name} declares no number that could vary: {how}")
        known = ", ".join(f"{name}={value}" for name, value in declared.items())
        if not ranges:
            raise NotLegalHere(f"say what may vary, as in --vary {next(iter(declared))}=LOW..HIGH; {game.name} declares {known}")
        for span in ranges:
            if span.name not in declared:
                raise BadText(str(NoSuchThing("declared number", span.name, declared)), str(span), 0)
        names = [span.name for span in ranges]
        for i, name in enumerate(names):
            if name in names[:i]:
                raise BadText(f"{name} is to vary in two ways", ", ".join(map(str, ranges)), len(", ".join(map(str, ranges[:i]))) + 2)
        for measure in (objective.measure, *(constraint.measure for constraint in constraints)):
            if not searches and MEASURES[measure].needs_search:
                raise NotLegalHere(f"{measure} needs players that search, not --player random")
        return cls(tuple(ranges), objective, tuple(constraints))

    @property
    def size(self) -> int:
        """Return the number of variants."""
        size = 1
        for span in self.ranges:
            size *= len(span.values)
        return size

    @property
    def measures(self) -> list[str]:
        """Return the measures of the objective and the constraints, without repetition."""
        return list(dict.fromkeys([self.objective.measure, *(constraint.measure for constraint in self.constraints)]))

    def as_json(self) -> dict[str, object]:
        """Return the specification as JSON, also for the settings of a run in the store."""
        return {"vary": list(map(str, self.ranges)), "aim": str(self.objective), "keep": list(map(str, self.constraints))}

    def satisfied_by(self, measures: Mapping[str, Interval | None]) -> bool:
        """Return whether the measures of a variant satisfy every constraint."""
        return all(constraint.satisfied_by(measures[constraint.measure]) for constraint in self.constraints)

"""What a designer asks for: which declared numbers may vary and how far, what is to be large or small, and what is to be kept.

>>> Span.parse("HAND=3..9").values, Demand.parse("fairness > 0.95").slack(0.9) < 0
(range(3, 10), True)
>>> Span.parse("HAND=9..3")
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
from meldlab.recycle.game import Described
from meldlab.recycle.language.settings import declared_numbers
from meldlab.statistics import Interval
from meldlab.variants.measures import MEASURES

__all__ = ["Aim", "Demand", "Span", "Wishes", "verified_measure"]

_SPAN = re.compile(r"\s*'?(?P<name>[A-Z]+)\s*=\s*(?P<low>-?[0-9]+)\s*\.\.\s*(?P<high>-?[0-9]+)\s*")
_DEMAND = re.compile(r"\s*(?P<measure>[a-z]+)\s*(?P<sign>>=|<=|>|<)\s*(?P<bound>[-+]?[0-9]*\.?[0-9]+(?:e[-+]?[0-9]+)?)\s*")
MOST_DIGITS = 10  # of a number of 32 bits


@dataclass(frozen=True)
class Span:
    """A declared number, and the least and the most that it may be."""

    name: str
    low: int
    high: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``NAME=LOW..HIGH``."""
        read_as = _SPAN.fullmatch(text)
        if read_as is None:
            name = re.match(r"\s*'?[A-Z]+\s*=", text)
            raise BadText("numbers that may vary are written NAME=LOW..HIGH, the name in capitals", text, name.end() if name else 0)
        for end in ("low", "high"):
            digits = read_as[end]
            if len(digits.lstrip("-0")) > MOST_DIGITS or abs(int(digits)) >= 2**31:
                raise BadText("a number beyond 32 bits", text, read_as.start(end))
        low, high = int(read_as["low"]), int(read_as["high"])
        if low > high:
            raise BadText(f"nothing lies from {low} to {high}", text, read_as.start("low"))
        return cls(read_as["name"], low, high)

    def __str__(self) -> str:
        return f"{self.name}={self.low}..{self.high}"

    @property
    def values(self) -> range:
        """Return what the number may be."""
        return range(self.low, self.high + 1)


@dataclass(frozen=True)
class Demand:
    """A measure that must stay above, or below, a bound."""

    measure: str
    sign: str
    bound: float

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``MEASURE > NUMBER``, or with ``>=``, ``<``, ``<=``."""
        read_as = _DEMAND.fullmatch(text)
        if read_as is None:
            word = re.match(r"\s*[a-z]+\s*", text)
            sign = re.match(r"\s*[a-z]+\s*(>=|<=|>|<)\s*", text)
            at = sign.end() if sign else word.end() if word else 0
            raise BadText("what is to be kept is written MEASURE > NUMBER, or with <, >=, <=", text, at)
        measure = read_as["measure"]
        if measure not in MEASURES:
            raise BadText(str(NoSuchThing("measure", measure, MEASURES)), text, read_as.start("measure"))
        bound = float(read_as["bound"])
        if not isfinite(bound):
            raise BadText("a number that is not infinite is wanted", text, read_as.start("bound"))
        return cls(measure, read_as["sign"], bound)

    def __str__(self) -> str:
        return f"{self.measure} {self.sign} {self.bound:g}"

    @property
    def direction(self) -> int:
        """Return 1 where more is better, -1 where less is."""
        return 1 if self.sign.startswith(">") else -1

    def slack(self, value: float) -> float:
        """Return how far a value lies on the right side of the bound."""
        return self.direction * (value - self.bound)

    def kept_by(self, found: Interval | None) -> bool:
        """Tell whether the estimate is on the right side."""
        slack = -inf if found is None else self.slack(found.value)
        return slack >= 0 if "=" in self.sign else slack > 0

    def surely_broken_by(self, found: Interval | None) -> bool:
        """Tell whether the whole interval is on the wrong side; what is not defined is never kept."""
        return found is None or max(self.slack(found.low), self.slack(found.high)) < 0


@dataclass(frozen=True)
class Aim:
    """The measure that is to be large, or small."""

    measure: str
    direction: int = 1

    def __str__(self) -> str:
        return f"{'maximise' if self.direction > 0 else 'minimise'} {self.measure}"


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
class Wishes:
    """Everything that a designer asks for of one game."""

    spans: tuple[Span, ...]
    aim: Aim
    demands: tuple[Demand, ...] = ()

    @classmethod
    def of(cls, described: Described, spans: Sequence[Span], aim: Aim, demands: Sequence[Demand], searches: bool) -> Self:
        """Return what is asked for, if the game has such numbers and the players can tell such measures."""
        declared = declared_numbers(described.text, described.dialect)
        if not declared:
            how = "write (declare 5 'HAND) above its setup, and 'HAND wherever that number stands"
            raise NotLegalHere(f"{described.name} declares no number that could vary: {how}")
        known = ", ".join(f"{name}={value}" for name, value in declared.items())
        if not spans:
            raise NotLegalHere(f"say what may vary, as in --vary {next(iter(declared))}=LOW..HIGH; {described.name} declares {known}")
        for span in spans:
            if span.name not in declared:
                raise BadText(str(NoSuchThing("declared number", span.name, declared)), str(span), 0)
        names = [span.name for span in spans]
        for place, name in enumerate(names):
            if name in names[:place]:
                raise BadText(f"{name} is to vary in two ways", ", ".join(map(str, spans)), len(", ".join(map(str, spans[:place]))) + 2)
        for measure in (aim.measure, *(demand.measure for demand in demands)):
            if not searches and MEASURES[measure].searched:
                raise NotLegalHere(f"{measure} is told by players that search; --player random has none")
        return cls(tuple(spans), aim, tuple(demands))

    @property
    def size(self) -> int:
        """Return how many variants there are."""
        size = 1
        for span in self.spans:
            size *= len(span.values)
        return size

    def as_json(self) -> dict[str, object]:
        """Return what the store keeps and the command line answers."""
        return {"vary": list(map(str, self.spans)), "aim": str(self.aim), "keep": list(map(str, self.demands))}

    def kept_by(self, found: Mapping[str, Interval | None]) -> bool:
        """Tell whether estimates of a variant fulfil every demand."""
        return all(demand.kept_by(found[demand.measure]) for demand in self.demands)

"""The rules of a table: how many tiles there are, what a set is, what jokers may do, what an opening costs.

>>> PRESETS["official"].joker_rule
'modern'
>>> Rules(jokers=9)
Traceback (most recent call last):
    ...
meldlab.errors.NotLegalHere: 9 jokers (0 to 4 can be played with)
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import ClassVar

from meldlab.errors import NoSuchThing, NotLegalHere
from meldlab.play.rules import PresetRules

COLOURS = "RKBOGV"  # red, black, blue, orange; green and violet for larger houses
JOKER_RULES = ("free", "modern", "strict")
AFTER_OPENING = ("wait", "manipulate")
KINDS = {int: "a whole number", bool: "true or false", str: "a word"}


@dataclass(frozen=True)
class Rules(PresetRules):
    """What a house plays by; the defaults are the paper's.

    ``joker_rule`` says what may happen to a joker that lies on the table: *free*, it goes anywhere; *modern*, it stands for its tile
    until a tile takes its place, and then joins a set with a rack tile; *strict*, its set may grow but not be broken, and only the very
    tile replaces it. ``after_opening`` says whether the turn of the opening ends with it (``wait``) or continues at the table
    (``manipulate``).
    """

    colours: int = 4
    numbers: int = 13
    copies: int = 2
    jokers: int = 2
    smallest: int = 3
    opening: int = 30
    joker_value: int = 30
    joker_rule: str = "free"
    round_the_corner: bool = False
    after_opening: str = "wait"
    dealt: int = 14
    penalty: int = 3

    renamed: ClassVar[Mapping[str, str]] = {"jokers_are": "joker_rule"}

    def __post_init__(self) -> None:
        for field in fields(self):
            if type(getattr(self, field.name)) is not type(field.default):
                raise NotLegalHere(f"the rule {field.name} is {KINDS[type(field.default)]}, not {getattr(self, field.name)!r}")
        for name, value, low, high in (
            ("colours", self.colours, 1, len(COLOURS)),
            ("numbers", self.numbers, 2, 20),
            ("copies", self.copies, 1, 4),
            ("jokers", self.jokers, 0, 4),
            ("tiles as the smallest set", self.smallest, 2, 5),
            ("points to open", self.opening, 0, 1000),
            ("points for a joker", self.joker_value, 0, 1000),
            ("tiles dealt", self.dealt, 1, 100),
            ("penalty tiles", self.penalty, 1, 20),
        ):
            if not low <= value <= high:
                raise NotLegalHere(f"{value} {name} ({low} to {high} can be played with)")
        if self.joker_rule not in JOKER_RULES:
            raise NoSuchThing("joker rule", self.joker_rule, JOKER_RULES)
        if self.after_opening not in AFTER_OPENING:
            raise NoSuchThing("rule after the opening", self.after_opening, AFTER_OPENING)
        if self.smallest > max(self.colours, self.numbers):
            raise NotLegalHere(f"no set of {self.smallest} tiles exists with {self.colours} colours and {self.numbers} numbers")

    @property
    def letters(self) -> str:
        """Return the letters of the colours in use."""
        return COLOURS[: self.colours]

    @property
    def tiles(self) -> int:
        """Return how many tiles the box holds."""
        return self.colours * self.numbers * self.copies + self.jokers

    @property
    def points(self) -> int:
        """Return what all tiles of the box are worth together.

        >>> Rules().points
        788
        """
        return self.copies * self.colours * self.numbers * (self.numbers + 1) // 2 + self.jokers * self.joker_value

    @property
    def longest_run(self) -> int:
        """Return the length from which a run falls into shorter ones, so that no column is needed for it."""
        return min(2 * self.smallest - 1, self.numbers)


PRESETS: Mapping[str, Rules] = {"paper": Rules(), "official": Rules(joker_rule="modern")}
Rules.presets = PRESETS

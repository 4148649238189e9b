"""Limits on the memory, length and work of a game.

>>> Limits.parse("cards=5000,options=10").options
10
"""

from dataclasses import dataclass, fields, replace

from meldlab.errors import BadText, NoSuchThing


@dataclass(frozen=True)
class Limits:
    """Sizes beyond which a game ends with a status that names the limit."""

    words: int = 64_000_000  # of memory, 8 bytes each: the storage, the tables and three workspaces
    decisions: int = 10_000  # of one game
    game_work: int = 1_000_000_000  # of one game
    steps: int = 10_000  # tests of an END between two decisions
    work: int = 10_000_000  # instructions between two decisions; long ones count as many
    cards: int = 2_000
    locations: int = 1_000  # by index other than 0
    memories: int = 2_000  # cards remembered at one time
    options: int = 50_000  # of one choice
    branches: int = 1_000  # of one option
    lists: int = 1_000_000  # cards in computed lists (subsets, partitions, runs ..) at one time
    awards: int = 200  # of one point map that is updated

    @classmethod
    def parse(cls, text: str) -> "Limits":
        """Read ``name=number,..``; limits not named keep their value."""
        limits, names = cls(), [part.name for part in fields(cls)]
        for entry in filter(None, text.split(",")):
            name, _, number = entry.partition("=")
            if name.strip() not in names:
                raise NoSuchThing("limit", name.strip(), names)
            digits = number.strip()
            if not (digits.isdecimal() and len(digits) <= 13 and 0 < int(digits) < 2**40):
                form = "a limit is from 1 to 2^40" if digits.isdecimal() else "a limit is written name=number"
                raise BadText(form, text, text.index(entry))
            limits = replace(limits, **{name.strip(): int(digits)})
        return limits

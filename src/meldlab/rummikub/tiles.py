"""A tile is a colour and a number, or a joker; a joker on the table stands for a tile.

>>> Tile.parse("k12"), Tile.parse("J"), Tile.parse("J=R6").stands_for
(Tile.parse('K12'), Tile.parse('J'), Tile.parse('R6'))
>>> Tile.parse("✕12"), Tile.parse("☺▲6")
(Tile.parse('K12'), Tile.parse('J=R6'))
>>> print(*parse_rack("R3-5 J o1"), *parse_rack("red 10, blue 3-5, joker"))
R3 R4 R5 O1 J R10 B3 B4 B5 J
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self

from meldlab.errors import BadText, NotLegalHere
from meldlab.rummikub.rules import COLOURS, Rules

# The paper's shapes: red triangle, black cross, blue square, orange circle; then green and violet.
SHAPES = "▲✕■●◆★"
LETTERS = str.maketrans(SHAPES + "☺", COLOURS + "J")
NAMES = {"R": "red", "K": "black", "B": "blue", "O": "orange", "G": "green", "V": "violet"}
# A tile in one word, or the name of a colour and a number or range.
WORD = re.compile(rf"(?P<colour>{'|'.join(NAMES.values())})[ \t]*(?P<numbers>\d[^\s,|]*)|[^\s,|]+", re.IGNORECASE)
NUMBERS = re.compile(r"(\d+)(?:-(\d+))?")
PLAIN = re.compile(r"([A-Za-z])(\d+)")
RANGE = re.compile(r"([A-Za-z])(\d+)(-)([A-Za-z]?)(\d+)")


@dataclass(frozen=True, slots=True, order=True, repr=False)
class Tile:
    """One tile; ``colour`` is a place in ``COLOURS``, and a joker that stands for nothing yet has number 0.

    >>> sorted([JOKER, Tile(1, 3), Tile(0, 12)])
    [Tile.parse('R12'), Tile.parse('K3'), Tile.parse('J')]
    """

    colour: int
    number: int
    joker: bool = False

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read one tile and nothing else."""
        placed = list(read_tiles(text))
        if len(placed) != 1:
            raise BadText("expected one tile" if placed else "no tile", text, placed[1][1] if placed else len(text))
        tile = placed[0][0]
        return cls(tile.colour, tile.number, tile.joker)

    @property
    def stands_for(self) -> "Tile":
        """Return the tile that lies here as far as the set is concerned."""
        return Tile(self.colour, self.number) if self.joker and self.number else self

    @property
    def piece(self) -> "Tile":
        """Return what one holds in the hand: a joker is a joker, whatever it stood for."""
        return JOKER if self.joker else self

    @property
    def long_name(self) -> str:
        """Return the full name, as a screen reader says it.

        >>> Tile.parse("K10").long_name, JOKER.long_name, Tile.parse("J=R6").long_name
        ('black 10', 'joker', 'joker as red 6')
        """
        if self.joker:
            return f"joker as {self.stands_for.long_name}" if self.number else "joker"
        return f"{NAMES[COLOURS[self.colour]]} {self.number}"

    def __str__(self) -> str:
        if self.joker:
            return f"J={self.stands_for}" if self.number else "J"
        return f"{COLOURS[self.colour]}{self.number}"

    def __repr__(self) -> str:
        return f"Tile.parse('{self}')"


# Sorted behind every numbered tile.
JOKER = Tile(len(COLOURS), 0, joker=True)


def show(tiles: Iterable[Tile]) -> str:
    """Return tiles as text, in the order given."""
    return " ".join(map(str, tiles))


def read_tiles(text: str, rules: Rules | None = None) -> Iterator[tuple[Tile, int]]:
    """Read tiles and ranges, each tile with the place of its word; colours and numbers beyond ``rules`` are errors."""
    for match in WORD.finditer(text):
        box = rules or Rules(colours=len(COLOURS), numbers=20)
        tiles = _named(match, text, box) if match["colour"] else _word(match.group(), match.start(), text, box)
        for tile in tiles:
            yield tile, match.start()


def parse_rack(text: str, rules: Rules | None = None) -> tuple[Tile, ...]:
    """Read the tiles of a rack, sorted; a joker on a rack stands for nothing."""
    rack = []
    for tile, offset in read_tiles(text, rules):
        if tile.joker and tile.number:
            raise BadText(f"a joker on the rack stands for nothing yet (write J, not {tile})", text, offset)
        rack.append(tile)
    return tuple(sorted(rack))


def check_tile(tile: Tile, rules: Rules) -> None:
    """Raise an error when the box has no such tile to hold: another colour or number, or a joker that stands for something."""
    if tile != JOKER and (tile.joker or not (0 <= tile.colour < rules.colours and 1 <= tile.number <= rules.numbers)):
        named = tile if tile.colour in range(len(COLOURS)) else (tile.colour, tile.number)
        raise NotLegalHere(f"no tile {named} can be on a rack ({rules.colours} colours, numbers 1 to {rules.numbers}, jokers)")


def check_supply(tiles: Iterable[Tile], rules: Rules) -> None:
    """Raise an error when there are more copies of a tile than the box holds."""
    for tile, count in Counter(tile.piece for tile in tiles).items():
        most = rules.jokers if tile.joker else rules.copies
        if count > most:
            raise NotLegalHere(f"{count} tiles {tile} on table and rack together (the box holds {most})")


def _named(match: re.Match[str], text: str, rules: Rules) -> list[Tile]:
    """Return the tiles of a colour's name with a number or a range."""
    letter = next(letter for letter, name in NAMES.items() if name == match["colour"].lower())
    colour, offset = _colour(letter, match.start(), text, rules), match.start("numbers")
    span = NUMBERS.fullmatch(match["numbers"])
    if not span:
        digits = len(match["numbers"]) - len(match["numbers"].lstrip("0123456789"))
        raise BadText(f"no number {match['numbers']!r} after {match['colour']} (1 to {rules.numbers})", text, offset + digits)
    return _range(colour, (span[1], offset), (span[2] or span[1], offset + max(span.start(2), 0)), text, rules)


def _word(word: str, offset: int, text: str, rules: Rules) -> list[Tile]:
    upper = word.upper().translate(LETTERS)
    if upper in ("J", "JOKER", "*"):
        return [JOKER]
    if upper.startswith("J=") or word.startswith("☺"):
        head = 2 if upper.startswith("J=") else 1
        meant = _word(word[head:], offset + head, text, rules) if word[head:] else []
        if len(meant) != 1 or meant[0].joker:
            raise BadText(f"a joker stands for one tile, not {word[head:] or 'nothing'!r}", text, offset + head)
        return [Tile(meant[0].colour, meant[0].number, joker=True)]
    span = RANGE.fullmatch(upper)
    if span:
        colour = _colour(span[1], offset, text, rules)
        if span[4] and span[4] != span[1]:
            raise BadText(f"a range stays in one colour ({span[1]}, not {span[4]})", text, offset + span.start(4))
        return _range(colour, (span[2], offset + span.start(2)), (span[5], offset + span.start(5)), text, rules)
    plain = PLAIN.fullmatch(upper)
    if not plain:
        known = upper[0] in rules.letters
        digits = len(word[1:]) - len(word[1:].lstrip("0123456789"))
        # Behind what can be read; a word that has no number after a letter is wrong as a whole.
        place = offset + (1 + digits if known and (digits or len(word) == 1) else 0)
        raise BadText(f"no tile {word!r} (use a colour of {' '.join(rules.letters)} and a number, or J)", text, place)
    return [Tile(_colour(plain[1], offset, text, rules), _number(plain[2], offset + 1, text, rules))]


def _range(colour: int, first: tuple[str, int], last: tuple[str, int], text: str, rules: Rules) -> list[Tile]:
    """Return the tiles of one colour from a number to another, each given as its digits and their place."""
    low, high = (_number(digits, offset, text, rules) for digits, offset in (first, last))
    if low > high:
        raise BadText(f"a range goes upwards ({high} comes before {low})", text, last[1])
    return [Tile(colour, number) for number in range(low, high + 1)]


def _colour(letter: str, offset: int, text: str, rules: Rules) -> int:
    if letter not in rules.letters:
        raise BadText(f"no colour {letter!r} (use {' '.join(rules.letters)}, or J for a joker)", text, offset)
    return rules.letters.index(letter)


def _number(digits: str, offset: int, text: str, rules: Rules) -> int:
    if not (len(digits) < 4 and 1 <= int(digits) <= rules.numbers):
        raise BadText(f"no number {digits} (1 to {rules.numbers})", text, offset)
    return int(digits)

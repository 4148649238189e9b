"""Positions by seed, of three classes: what an early, a middle and a crowded late turn look like.

>>> position = random_position("easy", seed=1)
>>> 9 <= len(position.table_tiles) <= 20, 8 <= len(position.rack) <= 14
(True, True)
"""

from collections import Counter
from random import Random

from meldlab.chance import Purpose, derive_seed
from meldlab.errors import NoSuchThing, NotLegalHere
from meldlab.rummikub.position import Position
from meldlab.rummikub.rules import Rules
from meldlab.rummikub.sets import PAPER, Column, best_reading, columns
from meldlab.rummikub.tiles import JOKER, Tile

# Fewest and most tiles on the table, then on the rack; whether both jokers are in play.
DIFFICULTIES = {"easy": (9, 20, 8, 14, False), "mid": (30, 45, 10, 16, False), "hard": (60, 68, 20, 26, True)}


def box(rules: Rules = PAPER) -> list[Tile]:
    """Return all tiles of the box."""
    numbered = [Tile(colour, number) for colour in range(rules.colours) for number in range(1, rules.numbers + 1)]
    return numbered * rules.copies + [JOKER] * rules.jokers


def random_position(kind: str, seed: int, nth: int = 0, rules: Rules = PAPER) -> Position:
    """Return the ``nth`` position of a class: sets laid at random while the box allows, then a rack from the rest."""
    if kind not in DIFFICULTIES:
        raise NoSuchThing("class of positions", kind, DIFFICULTIES)
    least, most, smallest_rack, largest_rack, both = DIFFICULTIES[kind]
    if rules.tiles < most + largest_rack:
        raise NotLegalHere(f"a box of {rules.tiles} tiles is too small for this class of positions ({most + largest_rack} are needed)")
    chance = Random(derive_seed(seed, Purpose.POSITION, nth, list(DIFFICULTIES).index(kind)))
    left, laid, target = Counter(box(rules)), list[Column](), chance.randint(least, most)
    by_size = _by_kind(rules)
    while sum(map(len, laid)) < least:
        column = chance.choice(chance.choice(by_size))
        # Without this, nearly every set would hold a joker: most columns do.
        needed = Counter(column.pieces)
        if (column.jokers and chance.randrange(4)) or not needed <= left or sum(map(len, laid)) + len(column) > target:
            if chance.randrange(400) == 0:
                left, laid = Counter(box(rules)), []
            continue
        left -= needed
        laid.append(column)
    size = chance.randint(smallest_rack, largest_rack)
    jokers = left[JOKER] if both else 0
    rest = sorted((left - Counter({JOKER: jokers})).elements())
    chance.shuffle(rest)
    rack = tuple(sorted([JOKER] * jokers + rest[: size - jokers]))
    return Position(tuple(best_reading(column, rules) for column in laid), rack, rules)


def _by_kind(rules: Rules) -> list[list[Column]]:
    """Return groups and runs apart, so that both occur on a table."""
    kinds: dict[bool, list[Column]] = {}
    for column in columns(rules):
        kinds.setdefault(len({tile.number for tile in column.naturals}) == 1, []).append(column)
    return list(kinds.values())

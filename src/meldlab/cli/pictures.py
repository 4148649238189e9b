"""Cards and tiles on a terminal, in colours that differ from each other on dark and light screens; tiles differ by shape, too."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    from meldlab.cards import Card
    from meldlab.melds import Arrangement
    from meldlab.rummikub import Solution, Tile, TileSet

CARD = re.compile(r"(?<![\w♣♦♥♠])(?:10|[A2-9TJQK])[CDHS♣♦♥♠](?!\w)")
COLOURS = ("green", "blue", "red", "default")  # clubs, diamonds, hearts, spades
TILE = re.compile(r"(?<!\w)(?:J=)?[RKBOGV]\d+(?!\w)|(?<!\w)J(?![\w=])")
TILE_COLOURS = ("red", "default", "blue", "dark_orange", "green", "magenta")


def cards_text(cards: Iterable["Card"]) -> Text:
    """Return cards in the order given, each in its suit's colour."""
    texts = [Text(f"{'10' if str(card.rank) == 'T' else card.rank}{card.suit.symbol}", COLOURS[card.suit]) for card in cards]
    return Text(" ").join(texts)


def card_column(cards: Iterable["Card"]) -> list[Text]:
    """Return a text for each card, padded to one width.

    >>> from meldlab.cards import Card
    >>> [text.plain for text in card_column([Card.parse("TD"), Card.parse("5H")])]
    ['10♦', '5♥ ']
    """
    texts = [cards_text([card]) for card in cards]
    for text in texts:
        text.pad_right(max(map(len, texts)) - len(text))
    return texts


def cards_drawn(text: str) -> Text:
    """Return a text with every card in it drawn.

    >>> cards_drawn("drop TD, not 5♥").plain
    'drop 10♦, not 5♥'
    """
    from meldlab.cards import Card

    return _drawn(text, CARD, lambda word: cards_text([Card.parse(word)]))


def _drawn(text: str, pattern: re.Pattern[str], draw: Callable[[str], Text]) -> Text:
    """Return a text with each match of a pattern replaced by its drawing."""
    drawn, end = Text(), 0
    for match in pattern.finditer(text):
        drawn.append(text[end : match.start()]).append_text(draw(match.group()))
        end = match.end()
    return drawn.append(text[end:])


def arrangement_text(arrangement: "Arrangement") -> Text:
    """Return melds in brackets, then the deadwood."""
    parts = [Text("[").append_text(cards_text(meld.cards)).append("]") for meld in arrangement.melds]
    loose = [cards_text(arrangement.deadwood_cards)] if arrangement.deadwood_cards else []
    return Text("  ").join(parts + loose)


def tile_text(tile: "Tile", marked: bool = False) -> Text:
    """Return one tile; a joker shows the tile that it represents."""
    from meldlab.rummikub.tiles import SHAPES

    if tile.joker:
        what = f"☺{SHAPES[tile.colour]}{tile.number}" if tile.number else "☺"
        colour = TILE_COLOURS[tile.colour] if tile.number else "default"
    else:
        what, colour = f"{SHAPES[tile.colour]}{tile.number}", TILE_COLOURS[tile.colour]
    return Text(f"[{what}]" if marked else what, f"bold {colour}" if marked else colour)


def rack_text(tiles: Iterable["Tile"]) -> Text:
    """Return tiles in a row."""
    return Text(" ").join(map(tile_text, tiles))


def tiles_drawn(text: str) -> Text:
    """Return a text with every tile in it drawn.

    >>> tiles_drawn("R5-R7, J=K9 to 3, J").plain
    '▲5-▲7, ☺✕9 to 3, ☺'
    """
    from meldlab.rummikub import Tile

    return _drawn(text, TILE, lambda word: tile_text(Tile.parse(word)))


def table_text(table: Sequence["TileSet"], answer: "Solution | None" = None) -> Text:
    """Return one set per line; with an answer, tiles that were not in the set before are in brackets."""
    from meldlab.rummikub import source_sets

    sources = source_sets(answer) if answer else {}
    lines = []
    for i, tile_set in enumerate(table):
        old = answer.position.table[sources[i]].tiles if answer and i in sources else ()
        stayed = Counter(tile.piece for tile in old)
        shown = []
        for tile in tile_set.tiles:
            stays = answer is None or stayed[tile.piece] > 0
            stayed[tile.piece] -= 1
            shown.append(tile_text(tile, marked=not stays))
        lines.append(Text("  ").append_text(Text(" ").join(shown)))
    return Text("\n").join(lines) if lines else Text("  (no sets)")

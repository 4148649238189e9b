"""The table of Rummikub: the sets on the board, the own rack, and the number of tiles of the others and in the pool."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from meldlab.rummikub import Rules, Tile, TileSet
from meldlab.rummikub.game import Play, Rummikub, Turn, View
from meldlab.rummikub.position import parse_table
from meldlab.tables.model import MAX_EVENTS, CardKeys, CardView, Event, Fact, Group, MoveView, SeatView, Table, Zone

__all__ = ["build"]

DRAWS = ("draw", "fail")


def build(game: Rummikub, view: View, log: Sequence[str], players: Sequence[str]) -> Table:
    """Return the table as the seat of the view sees it."""
    moves = [_move(action, view) for action in view.legal_actions()]
    draws = [index for index, move in enumerate(moves) if move.verb in DRAWS]
    keys = CardKeys()
    sets = [Group(label="group" if tile_set.is_group else "run", cards=_tiles(tile_set.tiles, keys)) for tile_set in view.table]
    naming: dict[str, list[int]] = {}
    for index, move in enumerate(moves):
        if len(move.cards) == 1:
            naming.setdefault(move.cards[0], []).append(index)
    racks = [
        Zone(key=f"rack-{seat + 1}", role="hand", label="rack", owner=seat, visibility="private", count=size)
        for seat, size in enumerate(view.sizes)
    ]
    racks[view.seat].groups = [Group(cards=_tiles(view.rack, keys, naming))] if view.rack else []
    tiles = sum(len(group.cards) for group in sets)
    board = Zone(key="board", role="board", label="table", visibility="public", count=tiles, groups=sets)
    pool = Zone(key="pool", role="stock", label="pool", visibility="hidden", count=view.pool, moves=draws)
    return Table(
        game="rummikub",
        title="Rummikub",
        seat=view.seat,
        seats=[SeatView(name=name, cards=view.sizes[seat], acting=seat == view.acting) for seat, name in enumerate(players)],
        zones=[board, pool, *racks],
        moves=moves,
        events=_events(log, game.house),
        facts=[Fact(key=f"opened p{seat + 1}", value=int(opened)) for seat, opened in enumerate(view.opened)],
        pieces="tiles",
    )


def _tiles(tiles: Iterable[Tile], keys: CardKeys, naming: dict[str, list[int]] | None = None) -> list[CardView]:
    return [
        CardView(key=keys.next(str(tile)), face=str(tile), name=tile.long_name, moves=(naming or {}).get(str(tile), [])) for tile in tiles
    ]


def _move(action: Turn, view: View) -> MoveView:
    verb = str(action).partition(" ")[0]
    if not isinstance(action, Play):
        return MoveView(text=str(action), verb=verb, source="pool" if verb in DRAWS else None)
    melds = [[str(tile) for tile in tile_set.tiles] for tile_set in action.table]
    return MoveView(text=str(action), verb=verb, cards=_played(view.table, action.table), melds=melds, target="board")


def _played(before: Iterable[TileSet], after: Iterable[TileSet]) -> list[str]:
    """Return the tiles that are on a table and were not before."""
    counts = [Counter(tile.piece for tile_set in table for tile in tile_set.tiles) for table in (before, after)]
    return [str(tile) for tile in sorted((counts[1] - counts[0]).elements())]


def _events(log: Sequence[str], rules: Rules) -> list[Event]:
    first = max(0, len(log) - MAX_EVENTS)
    board = next((text for line in reversed(log[:first]) if (text := _play_text(line)) is not None), "")
    events = []
    for turn, line in enumerate(log[first:], first):
        event, after = _event(line, board, rules)
        events.append(event.model_copy(update={"turn": turn}))
        board = after
    return events


def _play_text(line: str) -> str | None:
    """Return the table of a play in a line of the log; None for another action."""
    verb, _, rest = line.partition(" ")[2].partition(" ")
    return rest if verb == "play" else None


@lru_cache(maxsize=1024)
def _event(line: str, board: str, rules: Rules) -> tuple[Event, str]:
    """Return the event of a line of the log, as action 0, and the table after it."""
    who, _, text = line.partition(" ")
    verb, _, rest = text.partition(" ")
    play = _play_text(line)
    cards = rest.split() if verb in DRAWS else []
    if play is not None:
        cards = _played(parse_table(board, rules), parse_table(play, rules))
    source = "pool" if verb in DRAWS else None
    target = "board" if play is not None else None
    event = Event(
        turn=0, seat=int(who[1:]) - 1, verb=verb.rstrip(":"), cards=cards, source=source, target=target, text=text,
        public_text=verb if verb in DRAWS else text,
    )  # fmt: skip
    return event, board if play is None else play

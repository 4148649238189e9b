"""The view model of a table, for pages, the API and event streams, with one builder per game.

>>> from meldlab.gin import Gin
>>> from meldlab.play import Deal
>>> game = Gin()
>>> state = game.start(2, Deal(seed=3))
>>> table = build_table(game, state.view(state.seat), [], ["you", "simple"])
>>> [(zone.key, zone.count) for zone in table.zones]
[('hand-1', 10), ('hand-2', 10), ('stock', 31), ('discard', 1)]
>>> [move.text for move in table.moves], public(table).moves
(['pass', 'take KC'], [])
"""

from collections.abc import Sequence
from typing import Any

from meldlab.digests import load_object
from meldlab.games import GAMES, kind_of_game
from meldlab.play import Game, Result
from meldlab.tables.model import GameEnd, Table, public

__all__ = ["Table", "build_table", "public"]


def build_table(
    game: Game[Any],
    view: Any,
    log: Sequence[str],
    players: Sequence[str],
    result: Result | None = None,
    texts: Sequence[str] = (),
) -> Table:
    """Return the table as the seat of a view sees it; ``log``: the actions so far, as ``Step.describe`` gives them to this seat.

    ``texts`` are the same actions in the words of the game, "" where it has none of its own.
    """
    table: Table = load_object(GAMES[kind_of_game(game)].table)(game, view, log, players)
    if any(texts):
        events = [event.model_copy(update={"text": texts[event.turn] or event.text}) for event in table.events]
        table = table.model_copy(update={"events": events})
    if result is not None:
        table = table.model_copy(update={"moves": [], "result": GameEnd.from_result(result)})
    return table

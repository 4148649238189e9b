"""Observations and actions of players, one row for each decision: data for imitation learning and language models.

A row holds what the seat may know and nothing else. Two games share a deal, with the players in each other's seats.

>>> rows = next(decisions(["simple", "random"], Rules(match_points=0), games=1, seed=3))
>>> rows[0]["player"], rows[0]["action"], rows[0]["legal"]
('simple', 'pass', ['pass', 'take KC'])
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, BinaryIO

from meldlab.errors import NotLegalHere, NotPossible
from meldlab.gin import Gin, Phase, Rules
from meldlab.gin import players as gin_players
from meldlab.gin.observation import features_of, mask_of, text_of
from meldlab.gin.vector import ACTIONS, FEATURES, action_of
from meldlab.play import Deal, Step, Table

Row = dict[str, Any]
SHOWS = -1  # the number of an action that the vector environment does by itself
ROWS = 10_000  # of a group in a Parquet file


def decisions(players: Sequence[str], rules: Rules, games: int, seed: int, *, features: bool = True) -> Iterator[list[Row]]:
    """Play games and give the rows of each; ``features`` adds those of the vector environment and its mask."""
    if len(players) != 2:
        raise NotLegalHere(f"gin is for two players, as in simple,random, not {len(players)}")
    parsed = [gin_players.parse(name) for name in players]
    for game in range(games):
        both = parsed if game % 2 == 0 else parsed[::-1]
        deal, steps = Deal(seed, game // 2), list[Step[Any]]()
        steps.extend(Table(Gin(rules), both).steps(deal))
        yield _rows(game, deal, [player.name for player in both], steps, features)


def _rows(game: int, deal: Deal, names: list[str], steps: list[Step[Any]], features: bool) -> list[Row]:
    result = steps[-1].result
    scores = result.scores if result else steps[-1].after.scores
    won = [0 if not result or not result.winners else 1 if seat in result.winners else -1 for seat in range(2)]
    outcomes, rows = steps[-1].after.outcomes, []
    for step in steps:
        if step.forfeit:
            continue
        view, seat = step.before.view(step.seat), step.seat
        ended = outcomes[view.number] if view.number < len(outcomes) else None
        gained = 0 if ended is None or ended.winner is None else ended.points * (1 if ended.winner == seat else -1)
        shows = view.phase is Phase.SHOW
        row: Row = {
            "game": game,
            "deal": deal.number,
            "step": step.number,
            "round": view.number,
            "seat": seat,
            "player": names[seat],
            "view": text_of(view),
            "legal": [str(move) for move in view.legal_actions()],
            "action": str(step.action),
            "number": SHOWS if shows else action_of(step.action),
            "won": won[seat],
            "lead": scores[seat] - scores[1 - seat],
            "round_points": gained,
        }
        if features:
            row |= {"features": features_of(view).tolist(), "mask": mask_of(view).tolist()}
        rows.append(row)
    return rows


def write_jsonl(games: Iterable[list[Row]], file: BinaryIO) -> int:
    """Write every row as a line of JSON; return their number."""
    count = 0
    for rows in games:
        count += len(rows)
        file.writelines(json.dumps(row, separators=(",", ":")).encode() + b"\n" for row in rows)
    return count


def write_parquet(games: Iterable[list[Row]], file: BinaryIO, *, features: bool = True) -> int:
    """Write the rows as Parquet, features and masks as bytes; return their number."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ModuleNotFoundError:
        raise NotPossible("Parquet needs pyarrow: pip install 'meldlab[lab]'") from None
    texts, numbers = ("player", "view", "action"), ("game", "deal", "step", "round", "seat", "number", "won", "lead", "round_points")
    kinds = {**dict.fromkeys(texts, pa.string()), **dict.fromkeys(numbers, pa.int32()), "legal": pa.list_(pa.string())}
    bytes_of = {"features": pa.binary(FEATURES), "mask": pa.binary(ACTIONS)} if features else {}
    schema, count, waiting = pa.schema([*kinds.items(), *bytes_of.items()]), 0, list[Row]()

    def group(rows: list[Row]) -> Any:
        packed = [{**row, **{name: bytes(row[name]) for name in bytes_of}} for row in rows]
        return pa.Table.from_pylist(packed, schema=schema)

    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for rows in games:
            count += len(rows)
            waiting += rows
            if len(waiting) >= ROWS:
                writer.write_table(group(waiting))
                waiting = []
        writer.write_table(group(waiting))
    return count

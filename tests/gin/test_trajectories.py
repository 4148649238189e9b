"""Trajectories: rows that replay the games, hold nothing hidden, and are written whole or not at all."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from meldlab.errors import NotLegalHere, NotPossible
from meldlab.gin import Gin, Move, Phase, Rules, players
from meldlab.gin.observation import action_text, features_of, text_of
from meldlab.gin.trajectories import SHOWS, decisions, write_parquet
from meldlab.play import Deal, Table

ROUND = Rules(match_points=0)


def test_the_rows_of_a_game_play_it_again() -> None:
    games = list(decisions(["simple", "knock:10,0,6"], Rules(match_points=50), games=4, seed=9))
    for game, rows in enumerate(games):
        state = Gin(Rules(match_points=50)).start(2, Deal(9, rows[0]["deal"]))
        for row in rows:
            assert state.seat == row["seat"]
            view = state.view(row["seat"])
            assert row["view"] == text_of(view)
            assert row["features"] == features_of(view).tolist()
            assert row["action"] in row["legal"]
            if row["number"] == SHOWS:
                assert view.phase is Phase.SHOW
            else:
                assert row["mask"][row["number"]] == 1
                assert row["action"].startswith(action_text(row["number"]))
            state = state.apply(Move.parse(row["action"]))
        assert state.result is not None
        assert rows[0]["deal"] == game // 2
        for row in rows:
            assert row["won"] == (1 if state.result.winners == (row["seat"],) else -1)
            assert row["lead"] == state.result.scores[row["seat"]] - state.result.scores[1 - row["seat"]]
            assert abs(row["round_points"]) == state.outcomes[row["round"]].points
    assert [rows[0]["player"] == "simple" for rows in games].count(True) in (1, 2, 3)
    assert {row["player"] for row in games[0] if row["seat"] == 0} != {row["player"] for row in games[1] if row["seat"] == 0}


def test_a_row_holds_nothing_that_its_seat_cannot_see() -> None:
    # The same game with the unseen cards in other places gives the same row but for what came of it.
    different = 0
    for step in Table(Gin(ROUND), [players.parse("simple"), players.parse("random")]).steps(Deal(2)):
        other = step.before.redeal(step.seat, Deal(2).chance(step.number, step.seat))
        different += other != step.before
        seen: list[Any] = [state.view(step.seat) for state in (step.before, other)]
        told = [(text_of(view), features_of(view).tolist(), [str(move) for move in view.legal_actions()]) for view in seen]
        assert told[0] == told[1]
    assert different > 5


def test_parquet_has_the_same_rows(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed (pip install 'meldlab[lab]')")
    rows = [row for game in decisions(["simple", "random"], ROUND, games=3, seed=4) for row in game]
    with (tmp_path / "games.parquet").open("wb") as file:
        assert write_parquet(decisions(["simple", "random"], ROUND, games=3, seed=4), file) == len(rows)
    found = parquet.read_table(tmp_path / "games.parquet").to_pylist()
    for row, other in zip(rows, found, strict=True):
        assert np.frombuffer(other.pop("features"), np.uint8).tolist() == row.pop("features")
        assert np.frombuffer(other.pop("mask"), np.int8).tolist() == row.pop("mask")
        assert other == row


def test_without_pyarrow_it_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with (tmp_path / "x").open("wb") as file, pytest.raises(NotPossible, match=r"pip install 'meldlab\[lab\]'"):
        write_parquet(iter([]), file)


def test_two_players_are_wanted() -> None:
    with pytest.raises(NotLegalHere, match="gin is for two players"):
        next(decisions(["simple"], ROUND, games=1, seed=1))

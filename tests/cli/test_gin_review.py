"""``meldlab gin review``: what a seat has lost by its decisions, and only what it could have known."""

import json
from pathlib import Path
from typing import Any

import pytest

from meldlab.cli.app import main
from meldlab.gin import Gin, Match, Rules, players
from meldlab.gin.advice import thinking
from meldlab.gin.review import review
from meldlab.play import Deal, RandomPlayer, Record, Table, replay
from meldlab.recycle.game import Described

LIGHT = players.parse("computed:light")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main(["gin", "review", *arguments])
    printed = capsys.readouterr()
    return int(stopped.value.code or 0), printed.out, printed.err


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("played") / "game.toml"
    path.write_text(str(Table(Gin(), [RandomPlayer(), LIGHT]).play(Deal(8)).record))
    return path


def test_who_plays_as_the_reviewer_thinks_loses_nothing(record: Path) -> None:
    told = Record.parse(record.read_text())
    found = review(replay(Gin(), told), told.deal, LIGHT)
    assert found
    assert {decision.seat for decision in found} == {0}


def test_a_cost_is_what_the_better_move_is_worth_more(record: Path) -> None:
    told = Record.parse(record.read_text())
    steps = {step.number: step for step in replay(Gin(), told)}
    for decision in review(steps.values(), told.deal, LIGHT)[:20]:
        step = steps[decision.number]
        before: Match = step.before
        values = {str(move): value for move, value in thinking(LIGHT)(before.view(0), told.deal.chance(step.number, 0))}
        best = max(values, key=values.__getitem__)
        assert (str(decision.done), str(decision.better)) == (str(step.action), best) or decision.done.melds
        assert decision.cost == pytest.approx(values[best] - values.get(str(step.action), values[best] - decision.cost))
        before.apply(decision.better)  # it was possible


def test_the_costliest_are_shown_first(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, str(record), "--top", "3", "--json")
    answer: dict[str, Any] = json.loads(out)
    costs = [one["cost"] for one in answer["costliest"]]
    assert status == 0
    assert costs == sorted(costs, reverse=True)
    assert (len(costs), answer["cost"][1], answer["costliest"][0]["seat"]) == (3, 0, 1)
    assert answer["cost"][0] >= sum(costs)
    status, out, _ = run(capsys, str(record), "--top", "3")
    first = answer["costliest"][0]
    assert status == 0
    assert f"1. round {first['round']}, action {first['action']}, p1: {first['cost']:.2f} lost" in out
    signs = str.maketrans("CDHS", "♣♦♥♠")
    for name, move in (("did", first["done"]), ("better", first["better"])):
        verb, card = move.partition(" |")[0].rsplit(" ", 1)
        shown = f"{verb} {card.translate(signs).replace('T', '10')}" if len(card) == 2 else move
        assert f"{name} {shown}" in " ".join(out.split())
    assert "\n4. " not in out


def test_the_person_is_reviewed_unless_a_seat_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.toml"
    text = str(Table(Gin(Rules(match_points=10)), [RandomPlayer(), RandomPlayer()]).play(Deal(2)).record)
    path.write_text(text.replace('players = ["random", "random"]', 'players = ["random", "you"]'))
    seats = {
        words: {one["seat"] for one in json.loads(run(capsys, str(path), "--json", *words)[1])["costliest"]}
        for words in ((), ("--seat", "1"))
    }
    assert seats == {(): {2}, ("--seat", "1"): {1}}


def test_what_cannot_be_reviewed_is_one_line(record: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "kuhn.toml"
    path.write_text(str(Table(Described.named("kuhn_poker"), [RandomPlayer()] * 2).play(Deal(5)).record))
    assert run(capsys, str(path)) == (2, "", f"error: {path} is a record of kuhn_poker; only gin can be reviewed\n")
    assert run(capsys, str(record), "--player", "random")[2] == "error: random gives no advice: it has no method think(view, chance)\n"
    assert run(capsys, str(record), "--seat", "3")[2] == f"error: {record} has 2 seats, not 3\n"

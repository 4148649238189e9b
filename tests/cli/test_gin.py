"""The gin door, as a user opens it."""

import json
import re
import sys
from io import StringIO
from pathlib import Path

import pytest

from meldlab.cards import CARDS
from meldlab.cli.app import main
from meldlab.cli.pictures import cards_drawn
from meldlab.gin import Gin, players
from meldlab.gin.kernel_hand import makes_meld
from meldlab.play import Deal, Record, Table

HAND = "2C 3C 4C 9D 9H 9S KC KD 4H 5S"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    told = capsys.readouterr()
    assert isinstance(end.value.code, int)
    return end.value.code, told.out, told.err


def test_arena(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "gin", "arena", "simple", "gin-only", "--games", "40", "--seed", "1", "--json")
    answer = json.loads(out)
    assert status == 0
    first = answer["players"][0]
    assert [one["player"] for one in answer["players"]] == ["simple", "gin-only"]
    assert first["ci95"][0] <= first["win_rate"] <= first["ci95"][1]
    status, out, _ = run(capsys, "gin", "arena", "simple", "gin-only", "--games", "40", "--seed", "1")
    assert status == 0
    assert "gin: 40 games, 20 deals" in out
    assert f"{first['win_rate']:.3f} (" in out
    assert f"more than its share of {answer['deals_ahead']} deals, less of {answer['deals_behind']}: exact sign test" in out


def test_arena_of_three_rates(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "gin", "arena", "simple", "gin-only", "knock:10,0,6", "--games", "200", "--json")
    answer = json.loads(out)
    assert [one["player"] for one in answer["ratings"]][-1] == "simple"
    assert len(answer["contests"]) == 3
    status, out, _ = run(capsys, "gin", "arena", "simple", "gin-only", "knock:10,0,6", "--games", "200")
    assert status == 0
    assert "Bradley-Terry" in out


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["arena", "simpel", "simple"], "error: no player 'simpel' (use random, simple"),
        (["arena", "simple"], "error: an arena needs two players or more"),
        (
            ["arena", "simple", "simple", "--rules", "eeai"],
            "error: no rules 'eeai' (use eaai, pagat, oklahoma, openspiel, FILE.toml); did you mean eaai?",
        ),
        (["arena", "simple", "simple", "--threads", "500", "--games", "2"], "error: 500 threads asked for"),
        (["advise", "--hand", "2C 3C"], "error: a gin hand has 10 cards, or 11 after a draw, not 2"),
        (["advise", "--hand", HAND], "error: with ten cards there is an upcard to take or leave"),
        (["advise", "--hand", HAND, "--upcard", "5S"], "error: 5S is in two places"),
        (["advise", "--hand", HAND, "--upcard", "5S KD"], "error: expected one card, got 2"),
        (["advise", "--hand", HAND, "--upcard", "KH", "--scores", "3"], "error: expected two scores, yours first, as in 40,70"),
        (["advise", "--hand", HAND, "--upcard", "KH", "--scores", "3,120"], "error: with 120 points the match is over, it goes to 100"),
        (["advise", "--hand", HAND + " KH", "--rules", "oklahoma"], "error: expected the discard pile or the knock limit: under Oklahoma"),
        (["advise", "--hand", HAND, "--upcard", "KH", "--knock-limit", "5"], "error: expected no knock limit: these rules set it to 10"),
        (["advise", "--hand", HAND, "--upcard", "KH", "--player", "random"], "error: random gives no advice: it has no method evaluate"),
        (["play", "--against", "nobody"], "error: no player 'nobody'"),
    ],
)
def test_mistakes_are_one_line(capsys: pytest.CaptureFixture[str], arguments: list[str], line: str) -> None:
    status, out, err = run(capsys, "gin", *arguments)
    assert status == 2
    assert err.startswith(line)
    assert "Traceback" not in err + out


def test_advice_with_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "gin", "advise", "--hand", HAND, "--upcard", "KH", "--json")
    answer = json.loads(out)
    assert (answer["move"], answer["reason"]) == ("take KH", "KH makes a meld")
    assert answer["deadwood"] == 29
    assert len(answer["in_stock"]) == 41
    seen = ["--discards", "7D 8S", "--upcard", "QD", "--opponent", "8D 8H"]
    _, out, _ = run(capsys, "gin", "advise", "--hand", HAND + " KH", *seen, "--player", "ensemble", "--json")
    answer = json.loads(out)
    assert answer["move"].startswith("knock 5S | ")
    assert answer["deadwood_after"]["5S"] == 4
    assert len(answer["in_stock"]) == 52 - 11 - 3 - 2
    # The opponent holds two eights: the others are hardly in stock.
    assert answer["in_stock"]["8C"] < answer["in_stock"]["AS"]
    status, out, _ = run(capsys, "gin", "advise", "--hand", HAND + " KH", "--upcard", "QD")
    assert status == 0
    assert "deadwood left" in out


def test_the_knock_is_among_the_moves_and_nothing_contradicts_the_advice(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "gin", "advise", "--hand", "2C 2D 2H 2S 4D 4H 4S 8D 8H 8S AC", "--json")
    answer = json.loads(out)
    assert answer["moves"] == sorted(answer["moves"], key=lambda one: -one["chance"])
    best, *others = (one["move"] for one in answer["moves"])
    assert best == answer["move"]
    assert best.startswith("knock AC | ")
    assert {move.partition(" |")[0] for move in others} >= {"drop AC", "drop 2S", "knock 2S"}
    _, out, _ = run(capsys, "gin", "advise", "--hand", "2C 2D 2H 2S 4D 4H 4S 8D 8H 8S AC")
    lines = out.splitlines()
    assert lines[0].startswith("best: knock A♣ | ")
    assert lines[1].split() == ["move", "win", "loses", "points", "deadwood", "left"]
    assert lines[2].split()[:2] == ["knock", "A♣"]
    chances = [int(line.split()[2].removesuffix("%")) for line in lines[2:-1]]
    assert chances == sorted(chances, reverse=True)
    # Whose chances they are, and against whom.
    assert lines[-1].startswith("win: your chance to win the match to 100, now 0 to 0; loses: percent less than the best")
    assert "continue like the light network inside champion" in lines[-1]
    assert not any(code in out for code in ("AC", "8D"))


def test_the_score_of_the_match_is_heard(capsys: pytest.CaptureFixture[str]) -> None:
    for said in ("10,95", "10 to 95", "10-95"):
        _, out, _ = run(capsys, "gin", "advise", "--hand", HAND, "--upcard", "KH", "--scores", said)
        assert "now 10 to 95" in out


MINE = """
from meldlab.gin.players import Drop, GinPlayer, MoveValue
from meldlab.gin.move import DROPS

class Mine(GinPlayer):
    name = "mine"
    def drop(self, view, chance):
        return Drop(max(view.hand))
    def think(self, view, chance):
        return [MoveValue(DROPS[card.index], card.index / 100) for card in view.hand]

class Cheat(Mine):
    def choose(self, view, chance):
        return DROPS[next(card for card in range(52) if not view.mask >> card & 1)]
"""


def test_a_player_of_ones_own_gives_advice(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    _, out, _ = run(capsys, "gin", "advise", "--hand", HAND + " KH", "--player", f"{path}:Mine", "--json")
    answer = json.loads(out)
    assert answer["move"] == "drop KH"
    assert answer["player_values"]["drop KH"] == 0.38
    assert len(answer["player_values"]) == 11
    status, _, err = run(capsys, "gin", "advise", "--hand", HAND + " KH", "--player", f"{path}:Cheat")
    assert (status, err) == (2, "error: AC is not in the hand\n")


@pytest.mark.parametrize("player", ["simple", "ensemble:best", "network:light", "mc:8"])
def test_built_in_players_say_what_their_moves_are_worth(capsys: pytest.CaptureFixture[str], player: str) -> None:
    _, out, _ = run(capsys, "gin", "advise", "--hand", HAND + " KH", "--player", player, "--json")
    answer = json.loads(out)
    moves = answer["player_values"]
    assert answer["move"].partition(" |")[0].split()[1] in {move.partition(" |")[0].split()[1] for move in moves}
    assert all(move.startswith(("drop ", "knock ")) for move in moves)
    _, out, _ = run(capsys, "gin", "advise", "--hand", HAND, "--upcard", "KH", "--player", player, "--json")
    both = {"take KH", "pass"} if player in ("mc:8", "network:light") else set()
    assert set(json.loads(out)["player_values"]) == both


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "game.toml"
    played = Table(Gin(), [players.parse("simple"), players.parse("ensemble")]).play(Deal(5))
    path.write_text(str(played.record))
    return path


def test_replay_shows_a_game(capsys: pytest.CaptureFixture[str], record: Path) -> None:
    told = Record.parse(record.read_text())
    assert told.result is not None
    status, out, _ = run(capsys, "replay", str(record))
    assert status == 0
    assert all(cards_drawn(line).plain in " ".join(out.split()) for line in told.actions)
    assert f"{told.result.scores[0]} to {told.result.scores[1]}" in out
    _, out, _ = run(capsys, "replay", str(record), "--json")
    assert json.loads(out)["scores"] == list(told.result.scores)
    status, out, _ = run(capsys, "replay", str(record), "--step")
    assert status == 0
    assert "upcard" in out


def test_a_broken_record_names_the_action(capsys: pytest.CaptureFixture[str], record: Path) -> None:
    lines = record.read_text().splitlines()
    first = lines.index("actions = [") + 1
    at = next(number for number, line in enumerate(lines) if "drop" in line)
    held = lines[at].split()[-1].strip('",')
    # The upcard of the first round lies on the pile or has been passed: the player who drops cannot hold it.
    match = Gin().start(2, Record.parse(record.read_text()).deal)
    for line in lines[first:at]:
        match = match.apply(match.view(0).parse(line.strip().strip('",').partition(" ")[2]))
    assert match.seat is not None
    other = next(card for card in CARDS if card not in match.view(match.seat).hand)
    lines[at] = lines[at].replace(held, str(other))
    record.write_text("\n".join(lines))
    status, _, err = run(capsys, "replay", str(record))
    assert status == 2
    assert err == f"error: action {at - first + 1}, {lines[at].strip().strip(',').strip(chr(34))!r}: {other} is not in the hand\n"


def typed(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO("\n".join(lines) + "\n"))


def test_a_person_can_play_ask_and_take_back(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    # A deal in which the person starts and the upcard makes a meld.
    deals = ((seed, Gin().start(2, Deal(seed)).view(0)) for seed in range(100))
    seed, view = next((seed, view) for seed, view in deals if view.acting == 0 and makes_meld(view.mask, view.pile_indices[-1]))
    first, second = str(CARDS[view.card_indices[0]]), str(CARDS[view.card_indices[1]])
    typed(monkeypatch, "?", f"drop {first}", "take", "undo", "take", "K", f"discard {second}", "quit")
    status, out, _ = run(capsys, "gin", "play", "--seed", str(seed), "--against", "simple", "--save", str(path))
    assert status == 0
    assert "error: take the upcard or pass first; you may pass or take" in out
    assert "best: take" in out
    assert re.search(r"error: \d+ is more than the 10 you may knock with; you may drop", out)
    told = Record.parse(path.read_text())
    assert told.actions[:2] == (f"p1 take {view.upcard}", f"p1 drop {second}")
    assert told.actions[2].startswith("p2 ")
    assert run(capsys, "replay", str(path))[0] == 0


def test_a_person_can_play_a_whole_match(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # Another player's moves, typed: the terminal leads to the same end as the table.
    played = Table(Gin(), [players.parse("simple"), players.parse("simple")]).play(Deal(5))
    lines: list[str] = []
    for line in played.record.actions:
        if line.startswith("p1 "):
            lines.append(line.removeprefix("p1 "))
    path = tmp_path / "match.toml"
    typed(monkeypatch, *lines)
    status, out, _ = run(capsys, "gin", "play", "--seed", "5", "--against", "simple", "--save", str(path))
    assert status == 0
    told = Record.parse(path.read_text())
    assert told.result == played.result, out
    assert told.actions == played.record.actions

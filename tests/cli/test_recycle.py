"""The door: every verb as a user calls it, and what it says to nonsense."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from meldlab.cli.app import main
from meldlab.cli.recycle.screen import RecycleScreen
from meldlab.play import Record
from meldlab.recycle import library
from meldlab.recycle.card_names import abbreviate
from meldlab.recycle.machine.machine import Machine

TINY = """;; a game
(game (setup (create players 2) (create deck (game iloc S) (deck (RANK (A, B)))))
 (do ((shuffle (game iloc S)) (all player 'P (move (top (game iloc S)) (top ('P iloc HAND)))))) ;; deal
 (stage player once (choice ((turn pass) (set ((current player) str SAID) HELLO))))
 (scoring max (size ((current player) iloc HAND))))
"""


@pytest.fixture
def tiny(tmp_path: Path) -> str:
    path = tmp_path / "Tiny2.gdl"
    path.write_text(TINY)
    return str(path)


def said(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    with pytest.raises(SystemExit) as ended:
        main(["recycle", *words])
    printed = capsys.readouterr()
    assert ended.value.code == status, printed.err
    return printed.out if status == 0 else printed.out + printed.err


def answer(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> Any:
    return json.loads(said(capsys, *words, "--json", status=status).splitlines()[0])


def test_list_names_the_library(capsys: pytest.CaptureFixture[str]) -> None:
    assert "block_rummy" in said(capsys, "list")
    assert {"name", "title", "players", "rules"} == set(answer(capsys, "list")["games"][0])


def test_check(capsys: pytest.CaptureFixture[str], tiny: str) -> None:
    fine = answer(capsys, "check", tiny)
    assert answer(capsys, "check", tiny, "--games", "0")["random_games"]["games"] == 0
    assert list(fine) == ["ok", "errors", "warnings", "players", "constructs", "random_games"]
    assert fine["random_games"] == {"games": 300, "finished": 300, "capped": 0, "failed": 0}
    assert (fine["ok"], fine["players"], fine["errors"]) == (True, 2, [])
    assert {"once", "choice", "shuffle"} <= set(fine["constructs"])
    Path(tiny).write_text(TINY.replace("(top ('P", "(top ('Q"))
    wrong = answer(capsys, "check", tiny, status=2)
    assert wrong["ok"] is False
    assert wrong["errors"] == [{"code": "E101", "line": 3, "column": 78, "message": "nothing binds 'Q"}]
    assert TINY.splitlines()[2][77:79] == "'P"
    Path(tiny).write_text(TINY.replace("shuffle", "shufle"))
    assert answer(capsys, "check", tiny, status=2)["errors"][0]["code"] == "E002"
    assert "^" in said(capsys, "check", tiny, status=2)


def test_check_reports_a_failing_game_and_exits_with_zero(capsys: pytest.CaptureFixture[str], tiny: str) -> None:
    Path(tiny).write_text(
        TINY.replace("(move (top (game iloc S))", "(repeat 2 (move (top (game iloc S))").replace("HAND))))))", "HAND)))))))")
    )
    told = answer(capsys, "check", tiny)
    assert told["ok"] is True
    assert [warning["line"] for warning in told["warnings"] if warning["code"] == "W113"] == [3]
    assert told["random_games"] == {"games": 300, "finished": 0, "capped": 0, "failed": 300}
    printed = said(capsys, "check", tiny)
    assert "warning: line 3: there is no card here" in printed
    command = f"meldlab recycle transcript {tiny} --players random --seed 0"
    assert f"  replay: {command}\n" in printed
    assert {warning["code"]: warning["replay"] for warning in told["warnings"]}["W113"] == command
    assert "there is no card here" in said(capsys, *command.split()[2:], status=2)


def test_check_rejects_a_binary_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "program"
    file.write_bytes(b"\x7fELF\x00\x1b[31m" * 10_000)
    assert said(capsys, "check", str(file), status=2) == f"error: expected a text, got a binary file: {file}\n"


def test_format_keeps_comments_and_meaning(capsys: pytest.CaptureFixture[str], tiny: str) -> None:
    text = said(capsys, "format", tiny)
    assert ";; a game" in text
    assert ";; deal" in text
    said(capsys, "format", tiny, "--write")
    assert Path(tiny).read_text() == text == said(capsys, "format", tiny)
    said(capsys, "format", "kuhn_poker", "--write", status=2)


def test_migrate_counts_players_from_one(capsys: pytest.CaptureFixture[str], tiny: str) -> None:
    old = TINY.replace("(turn pass)", "(cycle next current) (cycle next (0 player)) (set ('P sto X) (pid (current player)))").replace(
        "('P sto", "(game sto"
    )
    Path(tiny).write_text(old)
    said(capsys, "run", tiny, "--games", "1", status=2)
    text = said(capsys, "migrate", tiny)
    assert "(cycle next (current player))" in text
    assert "(cycle next (1 player))" in text
    assert "(- (pid (current player)) 1)" in text
    assert answer(capsys, "run", tiny, "--games", "1", "--dialect", "0.5")["unended"] == 0
    said(capsys, "run", tiny, "--dialect", "0.4", status=2)


def test_migrate_refuses_what_is_of_today(capsys: pytest.CaptureFixture[str], tiny: str) -> None:
    for name in library.names():
        assert said(capsys, "migrate", name, status=2).count("\n") == 1
    assert said(capsys, "migrate", "kuhn_poker", status=2) == "error: kuhn_poker is 0.6 already: it counts players from 1\n"
    assert said(capsys, "migrate", "kuhn_poker", "--force", status=2) == "error: kuhn_poker is 0.6 already: it counts players from 1\n"
    assert said(capsys, "migrate", "golf", status=2).startswith("error: nothing in golf is of 0.5: no player or team 0")
    old = TINY.replace("(turn pass)", "(cycle next (0 player))")
    Path(tiny).write_text(old)
    said(capsys, "migrate", tiny, "--write")
    once = Path(tiny).read_text()
    assert "(cycle next (1 player))" in once
    said(capsys, "migrate", tiny, "--write", status=2)
    assert Path(tiny).read_text() == once
    # Nothing shows it, but the user knows.
    Path(tiny).write_text(TINY.replace("(turn pass)", "(cycle next (1 player))"))
    said(capsys, "migrate", tiny, status=2)
    assert "(cycle next (2 player))" in said(capsys, "migrate", tiny, "--force")


def test_run_has_exactly_its_keys_and_repeats_itself(capsys: pytest.CaptureFixture[str], tiny: str) -> None:
    first = answer(capsys, "run", tiny, "--games", "50", "--seed", "3", "--players", "random,random")
    keys = "game games deals players drawn deals_ahead deals_behind sign_test_p score_lead score_lead_ci95 finished finished_per_game"
    assert " ".join(first).startswith(keys)
    for row in first["players"]:
        assert row["ci95"][0] < row["win_rate"] < row["ci95"][1]
    again = answer(capsys, "run", tiny, "--games", "50", "--seed", "3", "--threads", "2")
    timing = ("seconds", "games_per_second")
    assert {key: value for key, value in first.items() if key not in timing} == {
        key: value for key, value in again.items() if key not in timing
    }
    assert (first["game"], first["games"], first["deals"], first["unended"]) == ("Tiny2", 50, 50, 0)
    assert [(row["player"], row["win_rate"], row["score"]) for row in first["players"]] == [
        ("p1 random", 0.5, 1.0),
        ("p2 random", 0.5, 1.0),
    ]
    assert answer(capsys, "run", tiny, "--games", "5", "--limits", "decisions=1")["capped"] == 5
    assert answer(capsys, "run", tiny, "--games", "5", "--limits", "decisions=2")["capped"] == 0
    assert "50 games" in said(capsys, "run", tiny, "--games", "50")


def test_a_rate_never_stands_without_its_interval(capsys: pytest.CaptureFixture[str]) -> None:
    from meldlab.statistics import Moments

    games = Machine.compile(library.entry("kuhn_poker").text).random_games(200, seed=4)
    shares = (games.scores > 0).astype(float)
    rates = [Moments.from_counts(np.column_stack((np.ones(200), shares[:, seat]))).rate(1, 0) for seat in range(2)]
    found = answer(capsys, "run", "kuhn_poker", "--games", "200", "--seed", "4")["players"]
    assert [row["win_rate"] for row in found] == pytest.approx([rate.value for rate in rates])
    assert [row["ci95"] for row in found] == [pytest.approx([rate.low, rate.high]) for rate in rates]
    printed = said(capsys, "run", "kuhn_poker", "--games", "200", "--seed", "4")
    assert [str(rate) in printed for rate in rates] == [True, True]


def test_any_seed_is_a_seed(capsys: pytest.CaptureFixture[str], tiny: str) -> None:
    for seed in ("0", str(2**32), str(2**63 - 1)):
        assert answer(capsys, "run", tiny, "--games", "2", "--seed", seed)["unended"] == 0
        assert "scores" in said(capsys, "transcript", tiny, "--seed", seed)


def test_failed_games_are_counted_and_explained(capsys: pytest.CaptureFixture[str], tiny: str) -> None:
    Path(tiny).write_text(TINY.replace("(turn pass)", "(move (top (game iloc S)) (top (game vloc T)))"))
    found = answer(capsys, "run", tiny, "--games", "3", status=1)
    why = "line 4: there is no card here: the list is empty"
    assert (found["unended"], found["drawn"], found["failures"]) == (3, 3, [{"games": 3, "first_game": 0, "why": why}])
    shown = said(capsys, "run", tiny, "--games", "3", status=1)
    assert f"3 games, the first is game 0: {why}" in shown
    assert "^" in shown


def test_show_transcript_and_perft(capsys: pytest.CaptureFixture[str], tiny: str) -> None:
    assert said(capsys, "show", tiny) == TINY
    assert answer(capsys, "show", tiny) == {"game": "Tiny2", "source": TINY}
    assert {"tree", "instructions", "storage"} <= set(answer(capsys, "show", tiny, "--compiled"))
    assert "CHOICE" in said(capsys, "show", tiny, "--compiled")
    told = answer(capsys, "transcript", tiny, "--seed", "2")
    assert [move["seat"] for move in told["moves"]] == [1, 2]
    assert told["scores"] == [1, 1]
    assert said(capsys, "transcript", tiny, "--seed", "2").count("\n") == 4
    other = answer(capsys, "transcript", tiny, "--seed", "2", "--game", "5")
    assert (told["number"], other["number"]) == (0, 5)
    games = [answer(capsys, "transcript", "kuhn_poker", "--seed", "2", "--game", str(number))["begins"] for number in range(3)]
    assert len(set(games)) > 1
    assert answer(capsys, "transcript", tiny, "--seed", "2", "--players", "mcts:2,random")["scores"] == [1, 1]
    assert "seats, not 3" in said(capsys, "transcript", tiny, "--players", "random,random,random", status=2)
    counts = answer(capsys, "perft", tiny, "--depth", "3")
    assert counts["histories"] == 4
    assert [level["histories"] for level in counts["levels"]] == [1, 2, 4, 0]


def test_a_person_plays(capsys: pytest.CaptureFixture[str], tiny: str, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["nonsense", "9", "2"])
    monkeypatch.setattr("builtins.input", lambda *_: next(answers))
    printed = said(capsys, "play", tiny, "--seat", "2")
    assert "p1 is mcts:100" in printed
    assert "1 x ??" in printed
    assert "error: no option 'nonsense'" in printed
    assert "error: no option 9 (1 to 2)" in printed
    assert "win (the highest score wins): you 1, p" in printed


def test_a_person_plays_against_one_that_looks_ahead(
    capsys: pytest.CaptureFixture[str], tiny: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("builtins.input", lambda *_: "2")
    printed = said(capsys, "play", tiny, "--seat", "1", "--against", "pimc:3")
    assert "p2: " in printed
    assert "win (the highest score wins): you 1, p" in printed


def played(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str, lines: tuple[str, ...]) -> str:
    answers = iter([*lines, "quit"])
    monkeypatch.setattr("builtins.input", lambda *_: next(answers))
    return said(capsys, "play", *words)


def test_cards_are_drawn_sorted_and_named(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    shown = played(capsys, monkeypatch, "hearts", "--deals", "1", "--seed", "7", lines=("sort", "rules", "?", "6d", "play", "8c"))
    assert "your hand            5♣ 6♣ 8♣ 9♣ J♣ 3♦ 5♦ 6♦ K♦ 2♥ 7♥ K♥ K♠" in shown
    assert "your hand            2♥ 3♦ 5♣ 5♦ 6♣ 6♦ 7♥ 8♣ 9♣ J♣ K♦ K♥ K♠" in shown
    assert "Each heart taken costs 1" in shown
    assert re.search(r"best: \d, play .♣: your score is \d+\.\d on average", shown)
    assert "error: no option '6♦'" in shown or "error: no option '6d'" in shown
    assert "error: 'play' fits the options 1, 2, 3, 4, 5: say which" in shown
    assert "you: play 8♣" in shown


def test_an_option_can_be_typed_as_it_is_listed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    shown = played(capsys, monkeypatch, "hearts", "--deals", "1", "--seed", "7", lines=("2, play 8♣", "3  play 8♣"))
    # Its number and its words must mean the same option.
    assert "    3  play 8♣" in shown
    assert "error: no option '2, play 8♣' (1 to 5, or the words of one)" in shown
    assert "you: play 8♣" in shown


def test_a_single_option_plays_itself_unless_asked_for(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    command = ("block_rummy", "--seed", "3")
    shown = played(capsys, monkeypatch, *command, lines=("2", "undo"))
    # What lay open was taken, so nothing was learned by it: the choice comes back.
    assert shown.count("    1  draw a card") == 2
    shown = played(capsys, monkeypatch, *command, lines=("1", "undo"))
    assert shown.count("(the only option)") == 2
    assert "nothing to undo: you have learned something since your last choice" in shown
    shown = played(capsys, monkeypatch, *command, "--no-auto", lines=("1",))
    assert "(the only option)" not in shown
    assert "    1  no meld\n>" in shown


def test_a_pile_shows_its_top_first() -> None:
    screen = RecycleScreen(Console(), 0, ("you", "other"))
    pile = tuple(f"{rank}-CLUBS" for rank in ("TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN", "JACK"))
    assert abbreviate(screen._pile(False, pile)) == "J♣ T♣ 9♣ 8♣ 7♣ 6♣ 5♣ 4♣ and 2 more below"
    assert abbreviate(screen._pile(True, pile[::-1])) == "2♣ 3♣ 4♣ 5♣ 6♣ 7♣ 8♣ 9♣ T♣ J♣"
    assert screen._pile(False, ("??", "??")) == "2 x ??"


def test_a_variant_can_be_played(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "game.toml"
    played(capsys, monkeypatch, "gin_rummy", "--set", "LIMIT=60", "--save", str(path), lines=())
    program = Record.parse(path.read_text()).rules["description"]
    assert program != library.entry("gin_rummy").text
    assert "60" in program


@pytest.mark.parametrize(
    "words",
    [
        ("run", "no_such_game"),
        ("run", "missing.rcy"),
        ("run", "kuhn_poker", "--players", "clever"),
        ("run", "kuhn_poker", "--players", "random,random,random"),
        ("run", "kuhn_poker", "--limits", "cars=3"),
        ("run", "kuhn_poker", "--limits", "cards=many"),
        ("run", "kuhn_poker", "--games", "0"),
        ("run", "kuhn_poker", "--limits", "lists=900000000000"),
        ("run", "kuhn_poker", "--players", "pimc:1", "--limits", "decisions=900000000000"),
        ("run", "kuhn_poker", "--players", "pimc:" + "9" * 5000),
        ("run", "kuhn_poker", "--limit", "5"),
        ("run", "kuhn_poker", "--limits", "cards=" + "9" * 5000),
        ("run", "kuhn_poker", "--set", "N=" + "9" * 5000),
        ("check", "kuhn_poker", "--limits", "nonsense"),
        ("check", "kuhn_poker", "--limits", "cards=-1"),
        ("check", "kuhn_poker", "--limits", "options=99999999999999"),
        ("check", "kuhn_poker", "--limits", "words=1000"),
        ("check", "kuhn_poker", "--dialect", "0.4"),
        ("play", "kuhn_poker", "--seat", "3"),
        ("play", "kuhn_poker", "--against", "clever"),
        ("perft", "kuhn_poker", "--depth", "-1"),
    ],
)
def test_nonsense_ends_with_one_line(capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    assert said(capsys, *words, status=2).startswith("error: ")


@pytest.mark.parametrize("verb", ["play", "run", "check", "show"])
def test_a_misspelt_game_of_the_library_is_suggested(capsys: pytest.CaptureFixture[str], verb: str) -> None:
    assert "; did you mean hearts?" in said(capsys, verb, "hartz", status=2)


def test_players_that_look_ahead_play_a_run(capsys: pytest.CaptureFixture[str], tiny: str) -> None:
    searched = answer(capsys, "run", tiny, "--players", "pimc:3,ismcts:2:taken", "--games", "6", "--threads", "2")
    assert (searched["games"], searched["unended"], searched["decisions_per_game"]) == (6, 0, 2)
    assert "seats, not 3" in said(capsys, "run", tiny, "--players", "mcts,mcts,mcts", status=2)
    assert "after a player come" in said(capsys, "run", tiny, "--players", "mcts:often", status=2)


def test_arena(capsys: pytest.CaptureFixture[str], tiny: str) -> None:
    found = answer(capsys, "arena", tiny, "mcts:2:taken", "random", "--games", "3", "--seed", "1")
    assert (found["games"], found["deals"], found["unended"], found["capped"]) == (4, 2, 0, 0)
    assert [row["player"] for row in found["players"]] == ["mcts:2:taken", "random"]
    assert {"seats", "win_rate", "ci95", "fair_share", "score", "score_ci95"} < set(found["players"][0])
    assert {"deals_ahead", "deals_behind", "sign_test_p", "score_lead", "score_lead_ci95", "simulations", "seconds"} < set(found)
    assert "by chance" in said(capsys, "arena", tiny, "pimc:2", "random", "--games", "2")
    assert "unmatched/simulation" in said(capsys, "arena", tiny, "pimc:2", "random", "--games", "2")
    assert [found[key] for key in ("unmatched", "failed_simulations_per_simulation")] == [found["changed"], found["broken_per_simulation"]]
    assert "no player 'clever'" in said(capsys, "arena", tiny, "mcts:2", "clever", status=2)
    rated = answer(capsys, "arena", tiny, "mcts:2", "random", "pimc:2", "--games", "2")
    assert {row["player"] for row in rated["ratings"]} == {"mcts:2", "random", "pimc:2"}


def test_games_without_an_end_say_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "never.rcy"
    stage = "(stage player (end (== 1 2)) (choice ((turn pass) (shuffle (game iloc S)))))"
    path.write_text(f"(game (setup (create players 2) (create deck (game iloc S) (deck (A (ONE, TWO))))) {stage} (scoring max 1))")
    printed = said(capsys, "run", str(path), "--games", "3")
    assert printed.endswith("3 of 3 games did not end: the game took more decisions than allowed (raise the limit 'decisions')\n")


def test_match_is_played_saved_resumed_and_replayed(
    capsys: pytest.CaptureFixture[str], tiny: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = str(tmp_path / "match.toml")
    answers = iter(["2", "quit"])
    monkeypatch.setattr("builtins.input", lambda prompt="": next(answers))
    command = ["play", tiny, "--deals", "3", "--against", "random", "--seed", "1", "--save", path]
    shown = said(capsys, *command)
    assert "a match of 3 deals" in shown
    assert "Deal 1 is over: you 1, p2 1. Totals: you 1, p2 1." in shown
    answers = iter(["2", "1"])
    assert "Totals: you 3, p2 3." in said(capsys, "play", tiny, "--against", "random", "--resume", path)
    with pytest.raises(SystemExit):
        main(["replay", path])
    assert "Totals: p1 3, p2 3." in capsys.readouterr().out
    record = Record.parse(Path(path).read_text())
    assert record.result is not None
    assert record.rules["match"] == {"deals": 3}
    assert record.result.scores == (3, 3)


def test_run_and_arena_play_matches(capsys: pytest.CaptureFixture[str], tiny: str) -> None:
    run = answer(capsys, "run", tiny, "--target", "4", "--games", "10")
    assert (run["deals_per_game"], run["finished_per_deal"]) == (4, 1)
    assert [row["score"] for row in run["players"]] == [4, 4]
    assert answer(capsys, "arena", tiny, "random", "mcts:2", "--deals", "2", "--games", "4")["deals_per_game"] == 2
    assert "exclude each other" in said(capsys, "run", tiny, "--target", "4", "--deals", "2", status=2)


def test_play_takes_the_target_of_the_label(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert "a match until a total reaches 121" in played(capsys, monkeypatch, "cribbage", "--seed", "7", lines=())
    shown = played(capsys, monkeypatch, "hearts", "--seed", "7", lines=())
    assert "a match until a total reaches 100; the lowest total wins" in shown
    assert "pass K♠" in shown
    assert "match" not in played(capsys, monkeypatch, "spades", "--seed", "7", lines=())

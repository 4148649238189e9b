"""The door: exact keys, one line and status 2 for every mistake."""

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from meldlab.cli.app import main
from meldlab.rummikub import format_table, random_position
from meldlab.rummikub.integer_program import _cbc_path

KEYS = {"played", "count", "value", "table", "kept", "kept_sets", "steps", "proven", "method", "seconds"}
POSITION = ["--table", "R5 R6 R7 | K9 B9 O9", "--rack", "R8 J"]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main(["rummikub", *arguments])
    said = capsys.readouterr()
    return int(stopped.value.code or 0), said.out, said.err


@pytest.mark.parametrize("method", ["search", "ilp"])
def test_solve(capsys: pytest.CaptureFixture[str], method: str) -> None:
    status, out, _ = run(capsys, "solve", *POSITION, "--method", method, "--json")
    answer = json.loads(out)
    assert status == 0
    assert set(answer) >= KEYS
    assert answer["played"] == ["R8", "J"]
    assert (answer["count"], answer["value"], answer["kept"]) == (2, 38, 1)
    assert answer["kept_sets"] == [["K9", "B9", "O9"]]
    assert answer["proven"] is True
    assert answer["method"] == method
    assert any("J=" in tile for tile_set in answer["sets"] for tile in tile_set)


def test_a_joker_counts_what_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "solve", *POSITION, "--objective", "value", "--joker-value", "0", "--json")
    assert json.loads(out)["value"] == 8


def test_no_opening_is_no_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "solve", "--table", "R5 R6 R7", "--rack", "R1 R2 R3 K4", "--opening", "--json")
    answer = json.loads(out)
    assert (status, answer["played"], answer["kept"]) == (0, [], 1)


@pytest.mark.parametrize("family", ["free", "modern", "strict"])
def test_families(capsys: pytest.CaptureFixture[str], family: str) -> None:
    _, out, _ = run(capsys, "solve", "--table", "R5 R6 R7 J=R8", "--rack", "O1 O2", "--jokers", family, "--json")
    assert json.loads(out)["count"] == (2 if family == "free" else 0)


def test_the_drawing_marks_what_moved(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "solve", *POSITION, "--all", "--why-not", "R8")
    assert status == 0
    assert "[▲8]" in out
    assert "▲5 ▲6 ▲7" in out
    assert "playing R8 costs nothing" in out
    assert "best move" in out


@pytest.mark.parametrize(
    "arguments",
    [
        POSITION,
        [*POSITION, "--objective", "value", "--keep", "tiles"],
        [*POSITION, "--keep", "none"],
        # More tiles could be played than an opening has; the model without its row would say so.
        ["--rack", "R10 K10 B10 B8 B9 O1 O2 O3", "--table", "R1 K1 B1", "--opening"],
        ["--rack", "R5 R6 R7 K6", "--table", "R1 K1 B1", "--opening"],
        ["--rack", "K10 K11 K12 O1 O2", "--table", "R5 R6 R7 J=R8", "--opening", "--after-opening", "manipulate", "--jokers", "modern"],
        # With free jokers the one at the end would be taken for nothing.
        ["--rack", "O1 O2 R9", "--table", "R5 R6 R7 J=R8", "--jokers", "strict"],
        ["--rack", "R6 O1 O2", "--table", "R5 J=R6 R7 | K1 K2 K3", "--jokers", "modern"],
    ],
)
def test_the_model_that_is_written_is_the_one_that_was_solved(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: list[str]
) -> None:
    path = tmp_path / "model.lp"
    status, out, _ = run(capsys, "solve", *arguments, "--lp", str(path), "--json")
    answer = json.loads(out)
    assert status == 0
    said = subprocess.run([_cbc_path(), str(path), "-solve"], capture_output=True, text=True, check=True).stdout
    if not answer["played"]:
        assert "infeasible" in said
        return
    keep = arguments[arguments.index("--keep") + 1] if "--keep" in arguments else "sets"
    # Every tile counts more than all 788 points of the box.
    worth = answer["value"] + (0 if "value" in arguments else 789 * answer["count"])
    waits = "--opening" in arguments and "manipulate" not in arguments
    best = {
        "sets": 40 * worth + (0 if waits else answer["kept"]),
        "tiles": sum(map(len, answer["sets"])) - answer["count"] - answer["moved"],  # the value is a row of this model
        "none": worth,
    }[keep]
    found = re.search(r"Objective value: +(-?[0-9.]+)", said)
    assert found
    assert abs(float(found[1])) == best


def test_nothing_played_is_nothing_moved(capsys: pytest.CaptureFixture[str]) -> None:
    # The two runs could be joined, but with no tile from the rack that is no turn.
    arguments = ["solve", "--table", "R7-9 | R10-12", "--rack", "K1", "--keep", "none"]
    answer = json.loads(run(capsys, *arguments, "--json")[1])
    assert (answer["played"], answer["steps"], answer["moved"], answer["kept"]) == ([], [], 0, 2)
    assert "nothing can be played" in run(capsys, *arguments)[1]


@pytest.mark.parametrize(
    ("rack", "said", "points"),
    [
        ("R8 R9 J K1", "27 of 30 points to open: nothing can be played", 27),
        ("R5 R6 R7 J K1", "26 of 30 points to open: nothing can be played", 26),
        ("R1 K5", "0 of 30 points to open: nothing can be played", 0),
        ("R10 R11 J K5", "3 tiles, 33 of 30 points to open;", 33),
    ],
)
def test_an_opening_says_its_points(capsys: pytest.CaptureFixture[str], rack: str, said: str, points: int) -> None:
    arguments = ["solve", "--rack", rack, "--opening"]
    assert said in run(capsys, *arguments)[1]
    assert json.loads(run(capsys, *arguments, "--json")[1])["opening"] == {"points": points, "needed": 30}


def test_all_and_why_not_of_an_opening(capsys: pytest.CaptureFixture[str]) -> None:
    # Thirteen of one colour or another: two openings of three tiles and 30 points, and O1 in neither.
    arguments = ["solve", "--table", "K1 K2 K3", "--rack", "R9 R10 R11 K10 B10 O1", "--opening", "--all"]
    _, out, _ = run(capsys, *arguments, "--why-not", "K10", "--json")
    answer = json.loads(out)
    assert answer["alternatives"]["complete"] is True
    assert sorted(move["table"] for move in answer["alternatives"]["moves"]) == ["K1 K2 K3 | R10 K10 B10", "K1 K2 K3 | R9 R10 R11"]
    move = {"played": ["R10", "K10", "B10"], "table": "K1 K2 K3 | R10 K10 B10"}
    assert answer["why_not"] == {"tile": "K10", "possible": True, "cost": 0, "points": 0, "proven": True, **move}
    assert json.loads(run(capsys, *arguments, "--why-not", "O1", "--json")[1])["why_not"]["possible"] is False


def test_all_past_the_states_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    crowded = random_position("mid", 1, 3)
    arguments = ["solve", "--table", format_table(crowded.table), "--rack", " ".join(map(str, crowded.rack)), "--keep", "none", "--all"]
    status, out, err = run(capsys, *arguments, "--nodes", "3000")
    assert (status, err) == (0, "")
    assert "(there may be more):" in out
    answer = json.loads(run(capsys, *arguments, "--nodes", "3000", "--json")[1])
    assert answer["alternatives"]["complete"] is False


def test_past_the_budget_the_answer_says_unproven(capsys: pytest.CaptureFixture[str]) -> None:
    crowded = random_position("hard", 1, 3)
    table, rack = format_table(crowded.table), " ".join(map(str, crowded.rack))
    status, out, _ = run(
        capsys, "solve", "--table", table, "--rack", rack, "--keep", "tiles", "--seconds", "0.1", "--nodes", "100", "--rules", "paper"
    )
    assert status == 0
    assert "the best found within the budget, unproven" in " ".join(out.split())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--rack", ""], "no tiles on the rack"),
        (["--rack", "R5 X6"], "no colour 'X'"),
        (["--rack", "R5 R5 R5"], "3 tiles R5"),
        (["--rack", "R1", "--table", "R5 R6 R8"], "set 1, R5 R6 R8: the run lacks R7"),
        (["--rack", "R1", "--smallest", "5", "--numbers", "4", "--colours", "3"], "no set of 5 tiles exists"),
        (["--rack", "R1", "--jokers", "wild"], "'wild' is not one of 'free', 'modern', 'strict'"),
        (["--rack", "R1", "--objective", "fun"], "'fun' is not one of"),
        (["--rack", "R1", "--keep", "calm"], "'calm' is not one of"),
        (["--rack", "R1", "--method", "magic"], "'magic' is not one of"),
        (["--rack", "R1", "--rules", "mine"], "no rules 'mine'"),
        (["--rack", "R1", "--why-not", "K5"], "K5 is not on the rack"),
        (["--rack", "R1", "--lp", "/nowhere/model.lp"], "cannot be written"),
    ],
)
def test_mistakes(capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    status, out, err = run(capsys, "solve", *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert said in err
    assert "Traceback" not in err


def test_what_playing_a_tile_costs_is_told_in_what_counts(capsys: pytest.CaptureFixture[str]) -> None:
    def costs(rack: str, tile: str, objective: str) -> str:
        return run(capsys, "solve", "--rack", rack, "--objective", objective, "--why-not", tile)[1].splitlines()[-1]

    assert costs("R5 R6 R7 K7 B7", "R5", "count") == "playing R5 costs 3 points"
    assert costs("R5 R6 R7 K7 B7", "R5", "tiles") == "playing R5 costs nothing"
    assert costs("R1 R3 R4 K13 B13 J", "K13", "count") == "playing K13 costs 1 tile"
    assert costs("R1 R3 R4 K13 B13 J", "R1", "value") == "playing R1 costs 18 points"
    assert costs("R1 R2 R3 K13", "K13", "count") == "playing K13 is not possible here"


def test_the_verbs_play_by_the_rules_on_the_box_and_say_so(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.input", lambda *_: "quit")
    line = "rules: official; jokers on the table are modern"
    solved = run(capsys, "solve", "--table", "K5 B5 O5 J", "--rack", "R8 R9")[1]
    assert line in solved
    assert "nothing can be played" in solved
    assert line in run(capsys, "puzzle", "--seed", "4")[1]
    assert line in run(capsys, "play", "--seed", "4")[1]
    assert "rules: paper; jokers on the table are free" in run(capsys, "solve", *POSITION, "--rules", "paper")[1]
    for verb in (["solve", *POSITION], ["puzzle", "--seed", "4"]):
        assert json.loads(run(capsys, *verb, "--json")[1])["rules"] == {"preset": "official"}


@pytest.mark.parametrize("house", ["paper", "official", "strict.toml"])
def test_a_puzzle_is_true_under_its_rules(capsys: pytest.CaptureFixture[str], tmp_path: Path, house: str) -> None:
    if house.endswith(".toml"):
        (tmp_path / house).write_text('preset = "official"\njokers_are = "strict"\nnumbers = 11\n')
        house = str(tmp_path / house)
    out = run(capsys, "puzzle", "--seed", "6", "--rules", house)[1]
    found = json.loads(run(capsys, "puzzle", "--seed", "6", "--rules", house, "--json")[1])
    # The command that it names finds the same move, and no other.
    named = shlex.split(out.splitlines()[-1].removeprefix("solution: meldlab rummikub "))
    solved = json.loads(run(capsys, *named, "--all", "--json")[1])
    assert solved["rules"] == found["rules"]
    assert solved["table"] == found["solution"]["table"]
    assert len(solved["alternatives"]["moves"]) == 1
    assert f"Play {solved['count']} tiles" in out


@pytest.mark.parametrize(
    ("house", "said"),
    [
        ("numbers = 5", "puzzles are made only under rules that the search knows"),
        ("numbers = 6\ncolours = 2", "a box of 26 tiles is too small"),
    ],
)
def test_no_puzzle_under_some_rules(capsys: pytest.CaptureFixture[str], tmp_path: Path, house: str, said: str) -> None:
    (tmp_path / "house.toml").write_text(house)
    status, _, err = run(capsys, "puzzle", "--rules", str(tmp_path / "house.toml"))
    assert status == 2
    assert said in err


def test_puzzle(capsys: pytest.CaptureFixture[str]) -> None:
    first, again = (json.loads(run(capsys, "puzzle", "--seed", "4", "--json")[1]) for _ in range(2))
    assert first["table"] == again["table"]
    assert first["unique"] is True
    assert first["simple"] < first["solution"]["count"]


def test_a_puzzle_can_be_answered(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    shown, waiting = list[str](), ["undo", "draw", "?"]

    def answer(*_: object) -> str:
        shown.append(capsys.readouterr().out)
        if not waiting:
            lines = shown[-1][shown[-1].rindex("best: ") :].splitlines()
            waiting.extend(line.strip() for line in lines if line.startswith("  "))
        return waiting.pop(0)

    monkeypatch.setattr("builtins.input", answer)
    status, out, _ = run(capsys, "puzzle", "--seed", "4", "--answer")
    assert status == 0
    assert "nothing to undo" in shown[1]
    assert "That is legal, but " in shown[2]
    assert re.search(r"Right: \d+ tiles\.$", out.rstrip())


def test_arena(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "arena", "optimal", "greedy", "--games", "2", "--json")
    answer = json.loads(out)
    assert [each["player"] for each in answer["players"]] == ["optimal", "greedy"]
    assert [each["forfeits"] for each in answer["players"]] == [0, 0]
    assert run(capsys, "arena", "optimal", "gredy")[0] == 2
    whole_deals = run(capsys, "arena", "greedy", "greedy", "--games", "3", "--json")[1]
    assert json.loads(whole_deals)["games"] == 4


def test_play(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    lines = iter(["HELP", "?", "play R1", "done", "fail", "no", "DRAW", "quit"])
    monkeypatch.setattr("builtins.input", lambda *_: next(lines))
    status, out, _ = run(capsys, "play", "--against", "greedy", "--seed", "7")
    assert status == 0
    assert "error: set 1, ▲1: a set has at least 3 tiles" in out
    assert "error: you have laid nothing yet (or draw)" in out
    assert "▲ or R red, ✕ or K black" in out
    assert "begins: it drew the highest tile" in out or "You begin: you drew the highest tile" in out
    assert out.count("you: draw ") == 1
    assert out.rstrip().endswith("stopped")


def test_advice_is_a_turn_that_may_be_taken(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    # Whatever is advised is typed, line by line as it stands there, to the end of the game.
    shown, waiting, sought = list[str](), list[str](), [False]

    def answer(*_: object) -> str:
        shown.append(capsys.readouterr().out)
        if not waiting and not sought[0]:
            sought[0] = True
            return "?"
        if sought[0]:
            first, *lines = shown[-1][shown[-1].rindex("best: ") :].splitlines()
            sought[0] = False
            waiting.extend([line.strip() for line in lines if line.startswith("  ")] or [first.split()[1].strip(":")])
        return waiting.pop(0)

    monkeypatch.setattr("builtins.input", answer)
    status, out, _ = run(capsys, "play", "--against", "greedy", "--seed", "3")
    everything = "".join(shown) + out
    assert status == 0
    assert "error" not in everything
    assert " to 1" in everything or " from " in everything
    assert "You win (" in out or "p2 won (" in out

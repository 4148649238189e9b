"""Cases of rule books: those of the library hold, wrong ones are reported."""

import json
from pathlib import Path

import pytest

from meldlab.cli.app import main
from meldlab.errors import MeldlabError
from meldlab.recycle import library
from meldlab.recycle.game import RecycleGame
from meldlab.recycle.verify import read_cases, verify_case

WITH_CASES = (
    "cribbage", "crazy_eights", "go_fish", "golf_solitaire", "goofspiel", "hearts", "kuhn_poker", "leduc_poker", "scopa", "spades",
    "three_card_brag", "whist",
)  # fmt: skip


@pytest.mark.parametrize("name", WITH_CASES)
def test_verify_library_cases_hold(name: str) -> None:
    game = RecycleGame.load(name)
    assert {case.name: failures for case in read_cases(library.cases(name)) if (failures := verify_case(game, case))} == {}


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("hearts", "(RANK : QUEEN) 13", "(RANK : QUEEN) 12"),
        ("hearts", "(== (cardatt SUIT 'H) (game str LEAD))", "(!= (cardatt SUIT 'H) (game str LEAD))"),
        ("cribbage", "(game sto COUNT)) 31)", "(game sto COUNT)) 32)"),
        ("golf_solitaire", "(repeat 5", "(repeat 4"),
        ("goofspiel", "(RANK : SEVEN) 7)", "(RANK : SEVEN) 8)"),
    ],
)
def test_verify_reports_a_wrong_program(name: str, old: str, new: str) -> None:
    text = library.entry(name).text
    assert old in text
    game = RecycleGame(name, text.replace(old, new))

    def fails(case: object) -> bool:
        try:
            return bool(verify_case(game, case))  # type: ignore[arg-type]
        except MeldlabError:
            return True

    assert any(map(fails, read_cases(library.cases(name))))


@pytest.mark.parametrize(
    ("fields", "failure"),
    [
        ("player = 2", "expected that p2 decides, but p1 decides"),
        ("player = 0", "expected that the game is over, but p1 decides"),
        ("options = 3", "expected 3 options, got 2"),
        ('legal = ["call"]', "'call' is not legal"),
        ('not_legal = ["bet"]', "'bet' is legal"),
        ('actions = ["bet", "check"]\nplayer = 1', "action 2, 'check' of p2"),
        ('actions = ["bet", "fold", "bet"]\nplayer = 1', "the game is over"),
        ('actions = ["bet", "fold"]\nscores = [2, -2]', "expected the scores 2, -2, got 1, -1"),
        (
            (
                'cards = {"HAND of p1" = ["KING"], "HAND of p2" = ["JACK"]}\nstorage = {"PAID of p1" = 3, "PAID of p2" = 3}\n'
                'actions = ["check", "check"]\nscores = [1, -1]'
            ),
            "got 3, -3",
        ),
    ],
)
def test_verify_names_what_does_not_hold(fields: str, failure: str) -> None:
    (case,) = read_cases(f"[[case]]\n{fields}\n")
    (text,) = verify_case(RecycleGame.load("kuhn_poker"), case)
    assert failure in text


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ("", "nothing is required"),
        ("player = 'x'", "'player' is not a whole number"),
        ("players = 1", "unknown field 'players'"),
        ("player = 1\ncards = {HND = ['JACK']}", "HND has 0 cards"),
        ("player = 1\ncards = {'HAND of p1' = ['ACE']}", "no card 'ACE' is left"),
        ("player = 1\ncards = {'HAND of p1' = ['KING'], 'HAND of p2' = ['KING']}", "no card 'KING' is left"),
        ("player = 1\nstorage = {X = 1}", "no storage 'X'"),
        ("player = 1\nstorage = {'SAYS of p1' = 'HELLO'}", "no word 'HELLO'"),
    ],
)
def test_verify_rejects_wrong_cases(fields: str, error: str) -> None:
    with pytest.raises(MeldlabError, match=error):
        [verify_case(RecycleGame.load("kuhn_poker"), case) for case in read_cases(f"[[case]]\n{fields}\n")]


def test_verify_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["recycle", "verify", "kuhn_poker"])
    assert (ended.value.code, capsys.readouterr().out.splitlines()[-1]) == (0, "5 cases, 0 failed")
    path = tmp_path / "cases.toml"
    path.write_text("[[case]]\nname = 'wrong'\nplayer = 2\n")
    with pytest.raises(SystemExit) as ended:
        main(["recycle", "verify", "kuhn_poker", "--cases", str(path), "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert (ended.value.code, answer["ok"], answer["cases"][0]["name"]) == (1, False, "wrong")

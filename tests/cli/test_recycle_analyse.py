"""``analyse`` and ``compare`` as a user calls them: what they answer, keep, write, and say to nonsense."""

import json
from pathlib import Path
from typing import Any

import pytest

from meldlab.analysis.heuristics import NAMES
from meldlab.cli.app import main

SMALL = ("--games", "3", "--simulations", "10", "--quick", "--threads", "1", "--seed", "2")


@pytest.fixture
def store(tmp_path: Path) -> str:
    return str(tmp_path / "runs.sqlite")


def said(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    with pytest.raises(SystemExit) as ended:
        main(["recycle", *words])
    printed = capsys.readouterr()
    assert ended.value.code == status, printed.err
    return printed.out if status == 0 else printed.err


def timeless(answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer without what the clock says."""
    line_ups = {name: {key: value for key, value in row.items() if key != "median_seconds"} for name, row in answer["line_ups"].items()}
    return {**answer, "line_ups": line_ups, "seconds": None}


def test_analyse_answers_and_repeats_itself(capsys: pytest.CaptureFixture[str], store: str, tmp_path: Path) -> None:
    first = json.loads(said(capsys, "analyse", "kuhn_poker", *SMALL, "--store", store, "--json"))
    keys = [
        "game",
        "title",
        "players",
        "settings",
        "player",
        "simulations",
        "seed",
        "quick",
        "line_ups",
        "determinizations",
        "heuristics",
        "movement",
        "seconds",
        "files",
    ]
    assert list(first) == keys
    assert list(first["heuristics"]) == list(NAMES)
    assert set(first["heuristics"]["order"]) == {"value", "low", "high", "meaning", "published"}
    assert set(first["heuristics"]["order"]["published"]) == {"value", "low", "high"}
    assert set(first["heuristics"]["spread"]) == {"value", "low", "high", "meaning"}
    assert list(first["line_ups"]) == ["random", "all mcts", "p1 mcts, others random"]
    assert first["files"] == []
    other = str(tmp_path / "other.sqlite")
    assert timeless(json.loads(said(capsys, "analyse", "kuhn_poker", *SMALL, "--store", other, "--json"))) == timeless(first)


def test_analyse_writes_its_page_and_says_where(capsys: pytest.CaptureFixture[str], store: str, tmp_path: Path) -> None:
    told = said(capsys, "analyse", "kuhn_poker", *SMALL, "--player", "pimc", "--store", store, "--out", str(tmp_path / "out"))
    assert told.startswith("Kuhn Poker: 2 players, ")
    assert told.endswith(f"the page is {tmp_path / 'out' / 'index.html'}\n")
    assert all(f"\n{name} " in told for name in NAMES)
    assert ",PP," in (tmp_path / "out" / "lead.csv").read_text()


def test_a_cluster_gives_the_same(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    here = json.loads(said(capsys, "analyse", "kuhn_poker", *SMALL, "--store", str(tmp_path / "a.sqlite"), "--json"))
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, protocol="tcp", dashboard_address=None, host="127.0.0.1"
    ) as cluster:
        words = ("--store", str(tmp_path / "b.sqlite"), "--cluster", cluster.scheduler_address, "--json")
        there = json.loads(said(capsys, "analyse", "kuhn_poker", *SMALL, *words))
    assert timeless(there) == timeless(here)


def test_compare_puts_variants_beside_their_game(capsys: pytest.CaptureFixture[str], store: str, tmp_path: Path) -> None:
    words = ("--player", "random", "--games", "5", "--quick", "--store", store, "--set", "LIMIT=60", "--set", "LIMIT=0")
    found = json.loads(said(capsys, "compare", "gin_rummy", "kuhn_poker", *words, "--out", str(tmp_path / "out"), "--json"))
    assert [(game["game"], game["settings"]) for game in found["games"]] == [
        ("gin_rummy", {}),
        ("gin_rummy", {"LIMIT": 60}),
        ("gin_rummy", {"LIMIT": 0}),
        ("kuhn_poker", {}),
    ]
    assert len(found["linkage"]) == 3
    assert (tmp_path / "out" / "index.html").exists()
    table = said(capsys, "compare", "gin_rummy", "kuhn_poker", *words)
    assert "Gin Rummy (LIMIT=60)" in table
    assert all(name in table for name in NAMES)


def test_run_plays_variants(capsys: pytest.CaptureFixture[str]) -> None:
    plain = json.loads(said(capsys, "run", "gin_rummy", "--games", "50", "--json"))
    easy = json.loads(said(capsys, "run", "gin_rummy", "--games", "50", "--set", "LIMIT=60", "--json"))
    assert easy["decisions_per_game"] < plain["decisions_per_game"]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["analyse", "nogame"], "no game 'nogame'"),
        (["analyse", "kuhn_poker", "--player", "foo"], "'foo' is not one of 'random', 'pimc', 'mcts', 'ismcts'"),
        (["analyse", "kuhn_poker", "--set", "LIMIT=3"], "the program declares no number"),
        (["analyse", "gin_rummy", "--set", "LIMT=3"], "did you mean LIMIT?"),
        (["analyse", "gin_rummy", "--set", "LIMIT=three"], "expected a whole number\n  LIMIT=three\n        ^"),
        (["analyse", "kuhn_poker", "--games", "0"], "--games"),
        (["analyse", "kuhn_poker", "--dialect", "0.4"], "'0.4' is not one of '0.6', '0.5'"),
        (["analyse", "kuhn_poker", "--limits", "cards=x"], "name=number"),
        (["analyse", "kuhn_poker", "--store", "gopher://x"], "gopher://x is not a store"),
        (["compare", "gin_rummy", "whist", "--set", "LIMT=3"], "no game declares all numbers of LIMT=3 (gin_rummy: LIMIT; whist: none)"),
        (["compare"], "Missing argument"),
    ],
)
def test_nonsense_is_one_mistake(capsys: pytest.CaptureFixture[str], words: list[str], problem: str) -> None:
    told = said(capsys, *words, status=2)
    assert told.startswith("error: ")
    assert problem in told


PLAIN = """(game (setup (create players 2) (create deck (game iloc S) (deck (RANK (A, B)))))
 (stage player (end (== 1 2)) (choice ((turn pass) (inc ((current player) sto N)))) {more})
 (scoring max ((current player) sto N)))"""
NEVER = PLAIN.format(more="")
FAILS = PLAIN.format(more="(do ((move (top (game iloc EMPTY)) (top (game iloc S)))))")
SOMETIMES = PLAIN.format(more="(do (((== ((1 player) sto N) 4) (move (top (game iloc EMPTY)) (top (game iloc S))))))")


def heard(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["recycle", *words])
    printed = capsys.readouterr()
    return int(ended.value.code or 0), printed.out, printed.err


def written(folder: Path, text: str) -> str:
    path = folder / "mine.rcy"
    path.write_text(text)
    return str(path)


def test_a_game_that_always_fails_ends_at_once_with_its_reason(capsys: pytest.CaptureFixture[str], store: str, tmp_path: Path) -> None:
    game = written(tmp_path, FAILS)
    for verb in ("analyse", "compare"):
        status, out, err = heard(capsys, verb, game, *SMALL, "--store", store)
        assert (status, out) == (1, "")
        assert err.splitlines() == [
            "Mine: 3 of 3 random games did not end: there is no card here: the list is empty",
            "error: every random game failed ('meldlab recycle run' shows where); nothing else was played",
        ]
    status, out, _ = heard(capsys, "run", game, "--games", "5")
    assert status == 1
    assert "5 games, the first is game 0: line 2: there is no card here: the list is empty" in out


def test_a_game_that_sometimes_fails_is_told_and_not_a_success(capsys: pytest.CaptureFixture[str], store: str, tmp_path: Path) -> None:
    words = (written(tmp_path, SOMETIMES), "--player", "random", "--games", "30", "--quick", "--store", store, "--limits", "decisions=10")
    for verb in ("analyse", "compare"):
        for json_too in ((), ("--json",)):
            status, out, err = heard(capsys, verb, *words, *json_too)
            assert status == 1
            assert out
            assert err.splitlines()[-1].startswith("error: Mine, random: ")
            assert "games failed: " in err
            assert "there is no card here: the list is empty (" in err


def test_a_game_that_never_ends_is_told_before_the_rest_is_played(capsys: pytest.CaptureFixture[str], store: str, tmp_path: Path) -> None:
    game = written(tmp_path, NEVER)
    status, _, err = heard(capsys, "analyse", game, *SMALL, "--store", store, "--limits", "decisions=20")
    assert status == 0
    assert err.startswith("Mine: 3 of 3 random games did not end: the game took more decisions than allowed")


def test_how_long_it_will_take_is_told_where_it_is_long(
    capsys: pytest.CaptureFixture[str], store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("analyse", "kuhn_poker", *SMALL, "--store", store)
    assert heard(capsys, *words)[2] == ""
    monkeypatch.setattr("meldlab.cli.recycle.analyse.WORTH_TELLING", 0.0)
    assert heard(capsys, *words)[2] == ""  # everything is there
    err = heard(capsys, *words, "--seed", "9")[2]
    assert err == "Kuhn Poker: 2 decisions in the median of 3 random games; the rest will take about 0 seconds on 1 core\n"


def test_like_games_are_compared_without_a_warning(
    capsys: pytest.CaptureFixture[str], store: str, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    out = str(tmp_path / "out")
    status, told, err = heard(capsys, "compare", "kuhn_poker", "kuhn_poker", *SMALL, "--store", store, "--out", out)
    assert (status, err) == (0, "")
    assert not [str(each.message) for each in recwarn]
    assert "▲ ▼: more, or less, than Kuhn Poker by more than chance" in told
    assert "▼ " not in told.partition("▲ ▼:")[0]


def test_compare_has_the_determinizations_of_each_game(capsys: pytest.CaptureFixture[str], store: str) -> None:
    words = ("--games", "3", "--simulations", "3", "--quick", "--store", store)
    row = next(line for line in said(capsys, "compare", "kuhn_poker", "leduc_poker", *words).splitlines() if "an estimate rests on" in line)
    cells = [cell.strip() for cell in row.split("│")[2:4]]
    known = [json.loads(said(capsys, "analyse", game, *words, "--json"))["determinizations"] for game in ("kuhn_poker", "leduc_poker")]
    assert known[0]["least"] == known[0]["most"]
    assert cells[0] == f"{known[0]['most']} determinizations"
    assert cells[1].startswith(f"{known[1]['median']:.0f} determinizations") or cells[1] == f"{known[1]['most']} determinizations"
    plain = said(capsys, "compare", "kuhn_poker", "leduc_poker", "--player", "random", "--games", "3", "--quick", "--store", store)
    assert "an estimate rests on" not in plain


def test_what_differs_by_more_than_chance_is_marked_in_the_terminal(capsys: pytest.CaptureFixture[str], store: str) -> None:
    told = said(capsys, "compare", "gin_rummy", "kuhn_poker", "--player", "random", "--games", "20", "--quick", "--store", store)
    assert any(mark in told.partition("▲ ▼:")[0] for mark in "▲▼")
    rows = {line.split("│")[1].strip(): line for line in told.splitlines() if line.startswith("│")}
    assert rows["decisions, median"].split("│")[3].strip() in ("2", "3")


def test_the_same_games_are_counted_once_whatever_was_asked_for(capsys: pytest.CaptureFixture[str], store: str) -> None:
    for games in ("20", "7", "13"):
        said(capsys, "analyse", "kuhn_poker", "--quick", "--player", "random", "--games", games, "--store", store)
        with pytest.raises(SystemExit):
            main(["runs", "show", "1", "--store", store, "--json"])
        shown = json.loads(capsys.readouterr().out)
        assert shown["games"] == 20
        assert [player["games"] for player in shown["players"]] == [20]
    with pytest.raises(SystemExit):
        main(["runs", "list", "--store", store])
    listed = capsys.readouterr().out
    assert "kuhn_poker" in listed

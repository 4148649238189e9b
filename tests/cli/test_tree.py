"""One walk over all doors and verbs: the same thing has the same name and default, help shows an example that works, no option is idle."""

import ast
import inspect
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import typer

from meldlab.cli.app import COMMANDS, build_app
from tests.cli.test_app import WITHOUT_JSON, run

# Verbs without chance, or with the fixed deals of a tour.
WITHOUT_SEED = {
    *(
        "demo",
        "doctor",
        "deadwood",
        "replay",
        "serve",
        "gin advise",
        "card-picture",
        "rummikub solve",
    ),
    *(f"waiting {verb}" for verb in ("solve", "hand", "discard", "approximate", "classes", "table")),
    *(f"stopping {verb}" for verb in ("value", "advise", "policy", "matrices")),
    *(f"recycle {verb}" for verb in ("list", "new", "check", "show", "format", "migrate", "verify")),
    *(f"runs {verb}" for verb in ("list", "show", "export")),
}
# Verbs whose example asks for a person, for a file or a run that is not there, or for more than a few seconds.
NOT_RUN = {
    *(
        "demo",
        "doctor",
        "replay",
        "serve",
        "gin play",
        "gin review",
        "gin arena",
        "gin compute",
        "gin train",  # these two need PyTorch besides
        "gin exploit",
        "stopping play",
        "stopping figures",
        "waiting solve",
    ),
    *("waiting figures", "recycle migrate", "recycle play", "recycle arena", "recycle analyse", "recycle compare", "recycle search"),
    *(
        "rummikub arena",
        "rummikub play",
        "tune track",
        "tune knock",
        "tune ensemble",
        "tune best",
        "runs show",
        "runs export",
    ),
}


def commands(command: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Give every verb with its command."""
    command = command or typer.main.get_command(build_app(*COMMANDS))
    below = getattr(command, "commands", None)
    if below is None:
        yield " ".join(path), command
    else:
        for name, each in below.items():
            yield from commands(each, (*path, name))


VERBS = dict(commands())


def options(verb: str) -> dict[str, Any]:
    """Return the options and arguments of a verb by their names."""
    return {name: each for each in VERBS[verb].params for name in each.opts}


def example(verb: str) -> list[str]:
    """Return the words of a verb's example, without the program and the verb."""
    found = re.search(r"Example: meldlab (.*)", VERBS[verb].help)
    assert found, verb
    words = shlex.split(found[1])
    assert words[: len(verb.split())] == verb.split()
    return words[len(verb.split()) :]


@pytest.mark.parametrize("verb", VERBS)
def test_examples_can_be_read(verb: str) -> None:
    VERBS[verb].make_context(verb, example(verb))


@pytest.mark.parametrize("verb", sorted(VERBS.keys() - NOT_RUN))
def test_cheap_examples_run_and_answer_one_object(
    verb: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MELDLAB_STORE", str(tmp_path / "runs.sqlite"))
    monkeypatch.chdir(tmp_path)
    if verb == "runs list":  # a store that was named must be there
        monkeypatch.delenv("MELDLAB_STORE")
        monkeypatch.setattr("meldlab.runs.store.default_store", lambda: tmp_path / "none.sqlite")
    words = [word for word in example(verb) if word != "--json"]
    assert run(capsys, *verb.split(), *words)[0] == 0
    if verb not in WITHOUT_JSON:
        status, out, _ = run(capsys, *verb.split(), *words, "--json")
        assert status == 0
        assert out.count("\n") == 1
        assert isinstance(json.loads(out), dict)


def test_verbs_with_chance_take_a_seed() -> None:
    assert {verb for verb in VERBS if "--seed" not in options(verb)} == WITHOUT_SEED


@pytest.mark.parametrize("verb", VERBS)
def test_no_option_is_idle(verb: str) -> None:
    function = inspect.unwrap(VERBS[verb].callback)
    [tree] = ast.parse(inspect.getsource(function)).body
    assert isinstance(tree, ast.FunctionDef)
    read = {node.id for part in tree.body for node in ast.walk(part) if isinstance(node, ast.Name)}
    assert set(inspect.signature(function).parameters) <= read


# Name of the option, the words of its type in help, its default; what a person plays is dealt anew each time, and the long runs that
# the reproduction carries were played with seed 1.
NEW_DEALS = dict.fromkeys(("stopping play", "gin play", "rummikub play", "rummikub puzzle", "recycle play"))
ALIKE = {
    "--seed": (None, 0, {**NEW_DEALS, "reproduce": 1}),
    "--threads": (None, 0, {}),
    "--json": (None, False, {}),
    "--aces": ("[low|both|round]", "low", {}),
    "--device": (None, "auto", {}),
    "--dialect": (None, "0.6", {}),
    "--limits": ("NAME=NUMBER,...", "", {}),
    "--set": ("NAME=VALUE", None, {}),
    "--store": (None, None, {}),
    "--cluster": (None, None, {}),
}


@pytest.mark.parametrize("name", ALIKE)
def test_the_same_option_is_the_same_everywhere(name: str) -> None:
    metavar, default, others = ALIKE[name]
    found = {verb: options(verb)[name] for verb in VERBS if name in options(verb)}
    assert found
    assert {verb: option.metavar for verb, option in found.items()} == dict.fromkeys(found, metavar)
    assert {verb: each.default for verb, each in found.items()} == {**dict.fromkeys(found, default), **others}


def test_rules_are_a_preset_or_a_file() -> None:
    found = {verb: options(verb)["--rules"].metavar for verb in VERBS if "--rules" in options(verb)}
    assert len(found) >= 7
    assert all(metavar.endswith("|FILE.toml]") for metavar in found.values())


def test_every_verb_about_a_recycle_game_reads_it_alike() -> None:
    verbs = [verb for verb in VERBS if verb.startswith("recycle ") and verb not in ("recycle list", "recycle new")]
    assert all("--set" in options(verb) for verb in verbs)
    # A program is laid out anew in the dialect that the verb is for, whatever its size.
    assert {verb for verb in verbs if not {"--dialect", "--limits"} <= options(verb).keys()} == {"recycle format", "recycle migrate"}


def listed(verb: str, name: str) -> tuple[str, ...]:
    """Return the values that help lists: those of the metavar or of the type."""
    option = options(verb)[name]
    if option.metavar:
        return tuple(option.metavar.strip("[]").removesuffix("|FILE.toml").split("|"))
    return literals(inspect.signature(VERBS[verb].callback).parameters[option.name].annotation)


def literals(annotation: Any) -> tuple[str, ...]:
    """Return the strings of a Literal inside an annotation."""
    parts = get_args(annotation)
    return tuple(text for part in parts for text in ([part] if isinstance(part, str) else literals(part)))


def test_help_lists_what_the_library_knows() -> None:
    from meldlab import gin, rummikub
    from meldlab.melds import Aces
    from meldlab.recycle.language.parser import DIALECTS
    from meldlab.recycle.players import NAMES
    from meldlab.reproduce.finkle_figures import FIGURES
    from meldlab.rummikub.rules import AFTER_OPENING, JOKER_RULES
    from meldlab.rummikub.solution import KEEPS, OBJECTIVES
    from meldlab.rummikub.solver import METHODS
    from meldlab.waiting.storage import PRECISIONS

    assert listed("deadwood", "--aces") == tuple(map(str, Aces))
    assert listed("waiting solve", "--precision") == tuple(PRECISIONS)
    assert listed("waiting figures", "--only") == tuple(FIGURES)
    assert listed("gin play", "--rules") == tuple(gin.rules.PRESETS)
    assert listed("rummikub solve", "--rules") == tuple(rummikub.PRESETS)
    assert listed("rummikub solve", "--jokers") == JOKER_RULES
    assert listed("rummikub solve", "--after-opening") == AFTER_OPENING
    assert listed("rummikub solve", "--objective") == OBJECTIVES
    assert listed("rummikub solve", "--keep") == KEEPS
    assert listed("rummikub solve", "--method") == METHODS
    assert listed("recycle run", "--dialect") == DIALECTS
    assert listed("recycle analyse", "--player") == NAMES


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            "rummikub solve --rack R8 --keep set",
            "Invalid value for '--keep': 'set' is not one of 'sets', 'tiles', 'none' (see 'meldlab rummikub solve --help')",
        ),
        ("rummikub solve --rack R8 --why-not X9", "no colour 'X' (use R K B O G V, or J for a joker)\n  X9\n  ^"),
        ("rummikub puzzle --seed -1", "seed must be a whole number from 0 to 2^63 - 1, not -1"),
        (
            "recycle show kuhn_poker --dialect 0.7",
            "Invalid value for '--dialect': '0.7' is not one of '0.6', '0.5' (see 'meldlab recycle show --help')",
        ),
        ("recycle check hearts --limits options=99999999999999", "a limit is from 1 to 2^40\n  options=99999999999999\n  ^"),
        ("recycle play kuhn_poker --limits cards=many", "a limit is written name=number\n  cards=many\n  ^"),
        ("recycle perft kuhn_poker --set LIMIT=x", "expected a whole number\n  LIMIT=x\n        ^"),
        ("recycle transcript gin_rummy --set LIMT=6", "no declared number 'LIMT' (use LIMIT); did you mean LIMIT?"),
        ("stopping policy --deck 26", "a deck is black,red: two numbers of cards with a comma between, such as 26,26\n  26\n    ^"),
        ("stopping draw polcy --out x.svg", "no picture 'polcy' (use value, policy, shepp, winnings); did you mean policy?"),
        ("waiting hand AC,QH,KD --goal knok:3", "no goal 'knok:3' (use gin or knock:K)\n  knok:3\n  ^"),
        ("waiting hand AC,QH,KD --upcard 5X", "no suit 'X' (use C D H S)\n  5X\n   ^"),
        ("gin compute --turns 1,x", "turns are whole numbers, such as 1,3,5,7\n  1,x\n    ^"),
        ("gin play --rules eai", "no rules 'eai' (use eaai, pagat, oklahoma, openspiel, FILE.toml); did you mean eaai?"),
    ],
)
def test_a_mistake_in_a_value_keeps_its_line_and_caret(words: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, *words.split()) == (2, "", f"error: {line}\n")


def test_numbers_are_set_behind_every_verb(capsys: pytest.CaptureFixture[str]) -> None:
    def answered(*words: str) -> dict[str, Any]:
        status, out, err = run(capsys, "recycle", *words)
        assert status == 0, err
        found: dict[str, Any] = json.loads(out)
        return found

    assert "(declare 60 'LIMIT)" in run(capsys, "recycle", "format", "gin_rummy", "--set", "LIMIT=60")[1]
    assert answered("show", "gin_rummy", "--set", "LIMIT=60", "--json") != answered("show", "gin_rummy", "--json")
    assert answered("check", "gin_rummy", "--set", "LIMIT=60", "--json")["ok"]
    short = answered("transcript", "gin_rummy", "--set", "LIMIT=60", "--json")
    assert short["moves"] != answered("transcript", "gin_rummy", "--json")["moves"]


@pytest.mark.parametrize(
    ("door", "text", "line"),
    [
        ("gin", "preset = 'pagat'\nknok_limit = 5\n", "line 2: no rule 'knok_limit' (use knock_limit, "),
        ("gin", "knock_limit = 'five'\n", "knock_limit is a whole number, not 'five'\n  knock_limit = 'five'\n  ^"),
        ("gin", "gin_bonus = 20\nlay_off = 'maybe'\n", "line 2: no lay_off 'maybe' (use greedy, choice)\n  lay_off = 'maybe'\n  ^"),
        ("gin", "preset = 'pagta'\n", "no rules 'pagta' (use eaai, pagat, oklahoma, openspiel); did you mean pagat?\n"),
        ("gin", "knock_limit =\n", "not TOML: Invalid value"),
        ("rummikub", "preset = 'official'\njoker = 3\n", "line 2: no rule 'joker' (use colours, "),
        ("rummikub", "jokers = true\n", "the rule jokers is a whole number, not True\n  jokers = true\n  ^"),
    ],
)
def test_a_mistake_in_a_file_of_rules_is_shown(door: str, text: str, line: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_text(text)
    words = {"gin": ["gin", "advise", "--hand", "2C 3C 4C 9D 9H 9S KC KD 4H 5S"], "rummikub": ["rummikub", "solve", "--rack", "R8"]}[door]
    status, out, err = run(capsys, *words, "--rules", str(path))
    assert (status, out) == (2, "")
    assert err.startswith(f"error: {line}")


def test_rules_come_from_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_text("preset = 'official'\nsmallest = 4\n")
    solve = ("rummikub", "solve", "--rack", "R8 R9 R10", "--json")
    assert json.loads(run(capsys, *solve)[1])["count"] == 3
    assert json.loads(run(capsys, *solve, "--rules", str(path))[1])["count"] == 0
    assert json.loads(run(capsys, *solve, "--rules", str(path), "--smallest", "3")[1])["count"] == 3
    path.write_text("knock_limit = 0\n")
    play = ("gin", "arena", "simple", "simple", "--games", "40", "--json")
    answers = [json.loads(run(capsys, *play, *more)[1]) for more in ((), ("--rules", "eaai"), ("--rules", str(path)))]
    usual, the_same, gin_only = ({name: value for name, value in each.items() if "second" not in name} for each in answers)
    assert usual == the_same != gin_only
    path.write_text("wall_knock = true\n")
    refused = "error: the kernels do not play wall_knock, a last knock at the wall\n"
    assert run(capsys, "gin", "compute", "--cards", "5", "--ranks", "6", "--rules", str(path)) == (2, "", refused)
    missing = str(tmp_path / "none.toml")
    assert run(capsys, *play, "--rules", missing) == (2, "", f"error: cannot read {missing}: No such file or directory\n")

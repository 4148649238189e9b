"""The pages that teach RECYCLE: the reference is complete and its examples give what it says; the tutorial shows what its programs say."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from meldlab.recycle import library
from meldlab.recycle.check import check_program
from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.diagnostics import TITLES
from meldlab.recycle.language.lexer import KEYWORDS
from tests.docs import mistakes, reference

DOCS = Path(__file__).parents[2] / "docs"
EXAMPLES = sorted((DOCS / "examples").glob("*.rcy"))
SECTIONS = {section.construct: section for section in reference.sections()}


def constructs(base: type[s.Node] = s.Node) -> Iterator[type[s.Node]]:
    for construct in base.__subclasses__():
        yield from constructs(construct)
        if construct not in (s.Expr, s.Item, s.Action, s.Phase):
            yield construct


CONSTRUCTS = {construct.__name__: construct for construct in constructs()}
OLD = {"BareSeat", "Actual", "Tuples"}  # dialect 0.5: named so that their readers find the way


def as_written(construct: type[s.Node]) -> str:
    """Return the form of a construct with its parts in capitals, as the reference writes it."""
    return re.sub(r"\{(\w+)((?:, )?(?:\.\.\.)?)\}", lambda part: part[1].upper() + part[2], construct.form)


def test_the_reference_has_every_construct_once() -> None:
    assert sorted(section.construct for section in reference.sections()) == sorted(CONSTRUCTS)


@pytest.mark.parametrize("name", sorted(CONSTRUCTS))
def test_the_reference_gives_form_parts_and_an_example(name: str) -> None:
    section, construct = SECTIONS[name], CONSTRUCTS[name]
    assert section.form == as_written(construct)
    parts = set(re.findall(r"\{(\w+)", construct.form))
    assert set(re.findall(r"^- ([A-Z]+): ", section.text, re.MULTILINE)) == {part.upper() for part in parts}
    assert section.examples or name in OLD


@pytest.mark.parametrize("name", sorted(set(SECTIONS) - OLD))
def test_the_examples_give_what_the_reference_says(name: str) -> None:
    for example, says in SECTIONS[name].examples:
        assert reference.given(example) == says, example
        wanted = CONSTRUCTS[name]
        assert name == "Members" or any(isinstance(node, wanted) for node in reference.constructs_of(example)), f"no {name} in {example}"


@pytest.mark.parametrize("section", [section for section in reference.sections() if section.refused], ids=lambda section: section.construct)
def test_what_the_reference_calls_refused_is_refused_so(section: reference.Section) -> None:
    for example, code, message in section.refused:
        assert reference.refusal(example, code) == message, example


def test_the_page_of_errors_has_every_code_once_with_an_example() -> None:
    assert list(mistakes.titles().items()) == list(TITLES.items())
    # The longest text is an example in Python, which runs with those of all pages.
    assert [code for code, section in mistakes.sections().items() if not mistakes.examples(section)] == ["E007"]
    assert "[E007]\n" in mistakes.sections()["E007"]


@pytest.mark.parametrize("code", sorted(set(TITLES) - {"E007"}))
def test_each_example_on_the_page_of_errors_raises_its_code(code: str) -> None:
    for example, says in mistakes.examples(mistakes.sections()[code]):
        assert says != "nothing\n"
        assert mistakes.said(code, example) == says, example


def test_the_reference_has_every_word() -> None:
    page = reference.PAGE.read_text()
    assert reference.table_of_words() in page
    assert [word for word in sorted(KEYWORDS) if f"| `{word}` | [" not in page] == []


def test_the_table_of_the_examples_is_true() -> None:
    for place, cards in re.findall(r"^\| `(\(.*)` \| ([A-Z -]+) \|$", reference.PAGE.read_text(), re.MULTILINE):
        assert reference.given(place).strip() == cards


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_are_good_programs(path: Path) -> None:
    diagnostics = check_program(path.read_text()).diagnostics
    assert [diagnostic for diagnostic in diagnostics if diagnostic.is_error] == []
    # The table of the reference waits for examples that use what it declares.
    assert path.stem == "reference" or diagnostics == ()


def shown(page: str) -> list[str]:
    """Return the blocks of code of a part of a page."""
    return re.findall(r"^```scheme\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


def test_each_step_of_the_tutorial_is_a_program_and_shows_what_is_new_in_it() -> None:
    steps = re.split(r"^## (?=\d)", (DOCS / "recycle-tutorial.md").read_text(), flags=re.MULTILINE)[1:]
    assert len(steps) == 8
    for number, step in enumerate(steps, 1):
        path = DOCS / "examples" / f"beacons_{number}.rcy"
        assert f"docs/examples/{path.name}" in step
        blocks = shown(step)
        assert blocks
        for block in blocks:
            assert block in path.read_text(), block


def test_the_worked_game_is_shown_as_it_is() -> None:
    text = (DOCS / "examples" / "thirty_one.rcy").read_text()
    blocks = shown((DOCS / "recycle-from-rules.md").read_text())
    assert blocks
    for block in blocks:
        assert block in text, block


@pytest.mark.parametrize("name", library.names())
def test_page_of_a_game_shows_its_program(name: str) -> None:
    assert f"\n<!-- file: src/meldlab/recycle/library/{name}.rcy -->\n" in (DOCS / "games" / f"{name}.md").read_text()


def test_the_searching_players_have_met_in_every_game() -> None:
    table = (DOCS / "recycle-players.md").read_text().partition("### The three players in the library\n")[2].partition("\n### ")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if line.startswith("|")][2:]
    assert [name.replace(" ", "_") for name, *_ in rows] == [name for name in library.names() if name != "golf_solitaire"]
    wins = re.compile(r"\**0\.\d+ \(0\.\d+ to 0\.\d+\)\**( [¹²])?")
    assert [cells for _, _, *cells in rows if not all(map(wins.fullmatch, cells))] == []

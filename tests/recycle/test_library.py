"""The library as a whole: what each game says of itself, and that together they use every construct."""

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from meldlab.recycle import library
from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.checker import check
from tests.recycle.playing import program

PAGES = Path(__file__).parents[2] / "docs" / "games"
WANTED = {
    *("block_rummy", "gin_rummy", "five_hundred_rum", "crazy_eights", "hearts", "whist", "euchre", "go_fish", "cribbage"),
    *("blackjack", "kuhn_poker", "leduc_poker", "golf", "president", "scopa", "spades"),
}
# Read so that they can be migrated, or put in by the checker; no program of today contains them.
NOT_WRITTEN = {s.Tuples, s.Actual, s.BareSeat, s.Members}


def nodes(tree: Any) -> Iterator[s.Node]:
    if isinstance(tree, s.Node):
        yield tree
        for part in fields(tree):
            yield from nodes(getattr(tree, part.name))
    elif isinstance(tree, tuple):
        for part in tree:
            yield from nodes(part)


def written() -> list[s.Node]:
    return [node for name in library.names() for node in nodes(program(name))]


def constructs(base: type[s.Node]) -> Iterator[type[s.Node]]:
    for construct in base.__subclasses__():
        yield from constructs(construct)
        if construct not in (s.Expr, s.Item, s.Action, s.Phase):
            yield construct


def test_the_games_we_promised_are_there() -> None:
    assert set(library.names()) >= WANTED


@pytest.mark.parametrize("name", library.names())
def test_the_heading_is_true(name: str) -> None:
    entry, checked = library.entry(name), check(library.entry(name).text)
    assert checked.players == entry.players
    assert not [diagnostic for diagnostic in checked.diagnostics if diagnostic.is_error]
    assert re.match(r"https://\S+|.*\b(19|20)\d\d\b", entry.rules)
    assert entry.title.lower().replace(" ", "_").replace("-", "_") == name


@pytest.mark.parametrize("name", library.names())
def test_every_game_has_a_page(name: str) -> None:
    page, entry = (PAGES / f"{name}.md").read_text(), library.entry(name)
    assert page.startswith(f"# {entry.title}\n")
    assert f"Players: {entry.players}\n" in page
    for heading in ("## Rules", "## What it exercises"):
        assert heading in page


def test_together_they_use_every_construct() -> None:
    used = {type(node) for node in written()}
    assert set(constructs(s.Node)) - used - NOT_WRITTEN == set()


@pytest.mark.parametrize(
    ("construct", "word", "words"),
    [
        (s.Seat, "which", {"current", "next", "previous"}),
        (s.Seat, "of", {"player", "team"}),
        (s.Numbered, "of", {"player", "team"}),
        (s.Everyone, "of", {"player", "team"}),
        (s.Others, "of", {"player", "team"}),
        (s.Cell, "kind", {"sto", "str", "points"}),
        (s.Location, "kind", {"vloc", "iloc", "hloc", "oloc", "mem"}),
        (s.Best, "which", {"max", "min"}),
        (s.Each, "quantifier", {"any", "all"}),
        (s.Loop, "quantifier", {"any", "all"}),
        (s.Combine, "how", {"union", "intersect", "disjunction"}),
        (s.Take, "end", {"top", "bottom"}),
        (s.LongestRun, "end", {"top", "bottom"}),
        (s.Runs, "extent", {"all", "largest"}),
        (s.Logic, "how", {"and", "or"}),
        (s.Compare, "how", {"==", "!=", "<", ">", "<=", ">="}),
        (s.Arithmetic, "how", {"+", "-", "*", "//", "%", "^"}),
        (s.Special, "which", {"tri", "fib"}),
        (s.Total, "which", {"sum", "scoremax", "scoremin"}),
        (s.Identity, "which", {"pid", "tid"}),
        (s.SetPoints, "update", {False, True}),
        (s.Adjust, "which", {"inc", "dec"}),
        (s.Cycle, "when", {"next", "current"}),
        (s.Stage, "of", {"player", "team"}),
        (s.Program, "scoring", {"min", "max"}),
    ],
)
def test_together_they_use_every_word_of_a_construct(construct: type[s.Node], word: str, words: set[Any]) -> None:
    assert {getattr(node, word) for node in written() if isinstance(node, construct)} == words


def test_together_they_use_every_form_of_a_construct() -> None:
    tree = written()
    assert {node.end for node in tree if isinstance(node, s.Stage) and isinstance(node.end, str)} == {"once", "simultaneous"}
    assert any(isinstance(node, s.Pick) and isinstance(node.end, s.Number) for node in tree)
    assert {node.index is None for node in tree if isinstance(node, s.Location)} == {True, False}
    assert {node.amount is None for node in tree if isinstance(node, s.Adjust)} == {True, False}
    assert {node.first is None for node in tree if isinstance(node, s.Random)} == {True, False}
    assert {node.compare is None for node in tree if isinstance(node, s.Subsets)} == {True, False}
    assert {node.back is None for node in tree if isinstance(node, s.CreateDeck)} == {True, False}
    assert {len(award.pairs) for award in tree if isinstance(award, s.Award)} >= {1, 2}
    assert {type(node.body) for node in tree if isinstance(node, s.RepeatAll)} == {s.MoveCard, s.Forget}
    assert {isinstance(node.left, s.Location) for node in tree if isinstance(node, s.Swap)} == {True, False}
    each = {type(node.body) for node in tree if isinstance(node, s.Each)}
    assert {s.Cell, s.Location, s.Compare} <= each  # a sum, a list of lists, a truth value
    assert any(branch.attributes for branch in tree if isinstance(branch, s.Branch))

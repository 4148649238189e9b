"""From text to syntax tree, by the grammar in ``recycle.lark``.

>>> read_expression("(top 2 (game vloc PILE))").count
Number(value=2)
>>> read_expression("(top (game vlok PILE))")
Traceback (most recent call last):
    ...
meldlab.recycle.findings.ProgramMistake: no word 'vlok'; did you mean vloc? [E002]
  (top (game vlok PILE))
             ^
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

from lark import Lark, Token, Transformer, UnexpectedToken, v_args
from lark.lexer import Lexer

from meldlab.errors import BadText
from meldlab.recycle import syntax as s
from meldlab.recycle.findings import Finding
from meldlab.recycle.words import KEYWORDS, words

__all__ = ["read", "read_expression"]


def read(text: str, dialect: str = "0.6", warnings: list[Finding] | None = None) -> s.Program:
    """Return the syntax tree of a program, in terms of 0.6 whatever its dialect; raise ``BadText`` where it cannot be read."""
    tree: s.Program = _parse(text, "start", warnings)
    if dialect == "0.5":
        from meldlab.recycle.migration import migrated

        return migrated(tree)
    return tree


def read_expression(text: str) -> Any:
    """Return the syntax tree of one expression."""
    return _parse(text, "expr", None)


def _parse(text: str, start: str, warnings: list[Finding] | None) -> Any:
    found = words(text, warnings)
    try:
        return _Tree().transform(_parser(start).parse(found))
    except UnexpectedToken as problem:
        raise _explained(problem, text) from None


@cache
def _parser(start: str) -> Lark:
    grammar = resources.files("meldlab.recycle").joinpath("recycle.lark").read_text("utf-8")
    return Lark(grammar, parser="lalr", lexer=_WordLexer, start=start, propagate_positions=True, maybe_placeholders=False)


class _WordLexer(Lexer):
    """Hands words to lark under the terminals of the grammar."""

    def __init__(self, conf: Any) -> None:
        patterns = [(terminal.name, re.compile(terminal.pattern.to_regexp())) for terminal in conf.terminals]
        named = ("NAME", "NUMBER", "VAR")
        signs = re.findall(r"\S+", "( ) , : .. // == != <= >= < > + * % ^ -")
        self.terminals = {
            text: name for text in (*KEYWORDS, *signs) for name, pattern in patterns if name not in named and pattern.fullmatch(text)
        }

    def lex(self, text: Any) -> Iterator[Token]:  # type: ignore[override]  # lark passes the text alone to a lexer of one argument
        for word in text:
            sort = {"name": "NAME", "number": "NUMBER", "var": "VAR"}.get(word.sort) or self.terminals.get(word.text, "QUOTE")
            yield Token(sort, word.text, start_pos=word.at, end_pos=word.at + len(word.text))


# What a word means that stands where the grammar has no place for it.
_MISPLACED = {
    "choice": ("E108", "a choice stands directly in game or stage, nowhere else"),
    "stage": ("E108", "a stage stands directly in game or stage, nowhere else"),
}


def _explained(problem: UnexpectedToken, text: str) -> BadText:
    token: Token = problem.token
    expected = sorted({_NAMES.get(name, name.lower()) for name in problem.accepts or problem.expected} - {"quote", "end of text"})
    if token.type == "$END":
        return Finding("E004", "the text ends too early" + _wanted(expected), len(text.rstrip())).mistake(text)
    if str(token) in _MISPLACED:
        return Finding(*_MISPLACED[str(token)], token.start_pos or 0).mistake(text)
    if str(token) == "'":
        return Finding("E003", "a variable is ' and a name of capital letters", token.start_pos or 0).mistake(text)
    return Finding("E003", f"{str(token)!r} cannot stand here{_wanted(expected)}", token.start_pos or 0).mistake(text)


def _wanted(expected: list[str]) -> str:
    if not expected:
        return "; the program is complete"
    return f" (expected {', '.join(expected[:8])}{', ..' if len(expected) > 8 else ''})"


_NAMES = {
    "LPAR": "(",
    "RPAR": ")",
    "COMMA": ",",
    "COLON": ":",
    "__ANON_0": "..",
    "NAME": "a NAME",
    "NUMBER": "a number",
    "VAR": "a 'VARIABLE",
    "$END": "end of text",
    "PLACE": "vloc, iloc, hloc, oloc or mem",
    "CELL": "sto or str",
    "END": "top or bottom",
    "LIMIT": "min or max",
    "STEP": "inc or dec",
    "COMBINE": "union, intersect or disjunction",
    "COMPARE": "a comparison",
    "LOGIC": "and, or",
    "MANY": "+, *",
    "TWO": "-, //, %, ^",
    "SPECIAL": "tri, fib",
    "TOTAL": "sum, scoremax, scoremin",
    "ID": "pid, tid",
    "_CREATE": "create",
}


def _word(token: Token) -> str:
    return str(token).removeprefix("'")


@v_args(meta=True)
class _Tree(Transformer):  # type: ignore[type-arg]
    """One method per rule of the grammar."""

    # A method is called with the place of the rule and what its parts became; lark types neither.

    def start(self, meta: Any, parts: Any) -> s.Program:
        declares = tuple(part for part in parts if isinstance(part, s.Declare))
        setup, *phases = parts[len(declares) :]
        limit, score = phases.pop()
        return s.Program(declares, setup, tuple(phases), limit, score, at=meta.start_pos)

    def declare(self, meta: Any, parts: Any) -> s.Declare:
        return s.Declare(parts[0], _word(parts[1]), at=meta.start_pos)

    def setup(self, meta: Any, parts: Any) -> s.Setup:
        players, *rest = parts
        teams = rest.pop(0) if isinstance(rest[0], s.CreateTeams) else None
        return s.Setup(players, teams, tuple(rest), at=meta.start_pos)

    def players(self, meta: Any, parts: Any) -> s.Expr:
        expr: s.Expr = parts[0]
        return expr

    def teams(self, meta: Any, parts: Any) -> s.CreateTeams:
        return s.CreateTeams(tuple(parts), at=meta.start_pos)

    def team(self, meta: Any, parts: Any) -> tuple[int, ...]:
        return tuple(map(_integer, parts))

    def repeat_deck(self, meta: Any, parts: Any) -> s.RepeatDeck:
        return s.RepeatDeck(*parts, at=meta.start_pos)

    def deck(self, meta: Any, parts: Any) -> s.CreateDeck:
        *back, location, attributes = parts
        return s.CreateDeck(back[0] if back else None, location, attributes, at=meta.start_pos)

    def template(self, meta: Any, parts: Any) -> tuple[s.Attribute, ...]:
        return tuple(parts)

    def plain(self, meta: Any, parts: Any) -> s.Attribute:
        return s.Attribute(str(parts[0]), parts[1], at=meta.start_pos)

    def nested(self, meta: Any, parts: Any) -> s.Attribute:
        return s.Attribute(str(parts[0]), tuple(parts[1:]), at=meta.start_pos)

    def values(self, meta: Any, parts: Any) -> tuple[s.Branch, ...]:
        return tuple(s.Branch(str(part), (), at=part.start_pos) for part in parts)

    def branch(self, meta: Any, parts: Any) -> s.Branch:
        return s.Branch(str(parts[0]), tuple(parts[1:]), at=meta.start_pos)

    def scoring(self, meta: Any, parts: Any) -> tuple[str, s.Expr]:
        return str(parts[0]), parts[1]

    def stage(self, meta: Any, parts: Any) -> s.Stage:
        return s.Stage(str(parts[0]), parts[1], tuple(parts[2:]), at=meta.start_pos)

    def once(self, meta: Any, parts: Any) -> str:
        return "once"

    def simultaneous(self, meta: Any, parts: Any) -> str:
        return "simultaneous"

    def choice(self, meta: Any, parts: Any) -> s.Choice:
        return s.Choice(tuple(parts), at=meta.start_pos)

    def do(self, meta: Any, parts: Any) -> s.Do:
        return s.Do(tuple(parts), at=meta.start_pos)

    def loop(self, meta: Any, parts: Any) -> s.Loop:
        quantifier, coll, var, body = parts
        return s.Loop(str(quantifier), coll, _word(var), body, at=meta.start_pos)

    def let(self, meta: Any, parts: Any) -> s.Let:
        value, var, body = parts
        return s.Let(value, _word(var), body, at=meta.start_pos)

    def condition(self, meta: Any, parts: Any) -> s.Condition:
        return s.Condition(*parts, at=meta.start_pos)

    def move(self, meta: Any, parts: Any) -> s.Move:
        return s.Move(*parts, at=meta.start_pos)

    def forget(self, meta: Any, parts: Any) -> s.Forget:
        return s.Forget(*parts, at=meta.start_pos)

    def swap(self, meta: Any, parts: Any) -> s.Swap:
        return s.Swap(*parts, at=meta.start_pos)

    def remember(self, meta: Any, parts: Any) -> s.Remember:
        return s.Remember(*parts, at=meta.start_pos)

    def shuffle(self, meta: Any, parts: Any) -> s.Shuffle:
        return s.Shuffle(*parts, at=meta.start_pos)

    def faro(self, meta: Any, parts: Any) -> s.Faro:
        return s.Faro(*parts, at=meta.start_pos)

    def set(self, meta: Any, parts: Any) -> s.Set:
        return s.Set(*parts, at=meta.start_pos)

    def set_points(self, meta: Any, parts: Any) -> s.SetPoints:
        return s.SetPoints(parts[0], tuple(parts[1:]), False, at=meta.start_pos)

    def update_points(self, meta: Any, parts: Any) -> s.SetPoints:
        return s.SetPoints(parts[0], tuple(parts[1:]), True, at=meta.start_pos)

    def award(self, meta: Any, parts: Any) -> s.Award:
        return s.Award(tuple(parts[:-1]), parts[-1], at=meta.start_pos)

    def pair(self, meta: Any, parts: Any) -> tuple[s.Expr, s.Expr]:
        return parts[0], parts[1]

    def step(self, meta: Any, parts: Any) -> s.Step:
        return s.Step(str(parts[0]), parts[1], parts[2] if len(parts) > 2 else None, at=meta.start_pos)

    def cycle(self, meta: Any, parts: Any) -> s.Cycle:
        return s.Cycle(str(parts[0]), parts[1], at=meta.start_pos)

    def bare_seat(self, meta: Any, parts: Any) -> s.BareSeat:
        return s.BareSeat(str(parts[0]), at=meta.start_pos)

    def turn_pass(self, meta: Any, parts: Any) -> s.Pass:
        return s.Pass(at=meta.start_pos)

    def repeat(self, meta: Any, parts: Any) -> s.Repeat:
        return s.Repeat(*parts, at=meta.start_pos)

    def repeat_all(self, meta: Any, parts: Any) -> s.RepeatAll:
        return s.RepeatAll(parts[0], at=meta.start_pos)

    def table(self, meta: Any, parts: Any) -> s.Table:
        return s.Table(at=meta.start_pos)

    def number(self, meta: Any, parts: Any) -> s.Number:
        return s.Number(_integer(parts[0]), at=meta.start_pos)

    def var(self, meta: Any, parts: Any) -> s.Var:
        return s.Var(_word(parts[0]), at=meta.start_pos)

    def name(self, meta: Any, parts: Any) -> s.Name:
        return s.Name(str(parts[0]), at=meta.start_pos)

    def cell(self, meta: Any, parts: Any) -> s.Cell:
        return s.Cell(parts[0], str(parts[1]), parts[2], at=meta.start_pos)

    def points(self, meta: Any, parts: Any) -> s.Cell:
        return s.Cell(parts[0], "points", parts[1], at=meta.start_pos)

    def everyone(self, meta: Any, parts: Any) -> s.Everyone:
        return s.Everyone(str(parts[0]), at=meta.start_pos)

    def strings(self, meta: Any, parts: Any) -> s.Strings:
        return s.Strings(tuple(map(str, parts)), at=meta.start_pos)

    def location(self, meta: Any, parts: Any) -> s.Location:
        owner, kind, name, *index = parts
        return s.Location(owner, str(kind), name, index[0] if index else None, at=meta.start_pos)

    def seat(self, meta: Any, parts: Any) -> s.Seat:
        return s.Seat(str(parts[0]), str(parts[1]), at=meta.start_pos)

    def numbered(self, meta: Any, parts: Any) -> s.Numbered:
        return s.Numbered(parts[0], str(parts[1]), at=meta.start_pos)

    def owner_of(self, meta: Any, parts: Any) -> s.OwnerOf:
        return s.OwnerOf(parts[0], at=meta.start_pos)

    def team_of(self, meta: Any, parts: Any) -> s.TeamOf:
        return s.TeamOf(parts[1], at=meta.start_pos)

    def pick(self, meta: Any, parts: Any) -> s.Pick:
        return s.Pick(str(parts[0]), parts[1], at=meta.start_pos)

    def pick_at(self, meta: Any, parts: Any) -> s.Pick:
        return s.Pick(parts[0], parts[1], at=meta.start_pos)

    def best(self, meta: Any, parts: Any) -> s.Best:
        return s.Best(str(parts[0]), parts[1], parts[2], at=meta.start_pos)

    def filter(self, meta: Any, parts: Any) -> s.Filter:
        return s.Filter(parts[0], _word(parts[1]), parts[2], at=meta.start_pos)

    def each(self, meta: Any, parts: Any) -> s.Each:
        return s.Each(str(parts[0]), parts[1], _word(parts[2]), parts[3], at=meta.start_pos)

    def combine(self, meta: Any, parts: Any) -> s.Combine:
        return s.Combine(str(parts[0]), tuple(parts[1:]), at=meta.start_pos)

    def sort(self, meta: Any, parts: Any) -> s.Sort:
        return s.Sort(*parts, at=meta.start_pos)

    def take(self, meta: Any, parts: Any) -> s.Take:
        return s.Take(str(parts[0]), parts[1], parts[2], at=meta.start_pos)

    def run(self, meta: Any, parts: Any) -> s.Run:
        return s.Run(str(parts[0]), *parts[1:], at=meta.start_pos)

    def partition(self, meta: Any, parts: Any) -> s.Partition:
        return s.Partition(parts[0], tuple(parts[1:]), at=meta.start_pos)

    def subsets(self, meta: Any, parts: Any) -> s.Subsets:
        cards, *size = parts
        return s.Subsets(cards, str(size[0]) if size else None, size[1] if size else None, at=meta.start_pos)

    def runs(self, meta: Any, parts: Any) -> s.Runs:
        return s.Runs(str(parts[0]), *parts[1:], at=meta.start_pos)

    def tuples(self, meta: Any, parts: Any) -> s.Tuples:
        return s.Tuples(*parts, at=meta.start_pos)

    def actual(self, meta: Any, parts: Any) -> s.Actual:
        return s.Actual(*parts, at=meta.start_pos)

    def indexed(self, meta: Any, parts: Any) -> s.Indexed:
        return s.Indexed(parts[0], str(parts[1]), parts[2], at=meta.start_pos)

    def others(self, meta: Any, parts: Any) -> s.Others:
        return s.Others(str(parts[0]), at=meta.start_pos)

    def range(self, meta: Any, parts: Any) -> s.Range:
        return s.Range(*parts, at=meta.start_pos)

    def logic(self, meta: Any, parts: Any) -> s.Logic:
        return s.Logic(str(parts[0]), tuple(parts[1:]), at=meta.start_pos)

    def negation(self, meta: Any, parts: Any) -> s.Not:
        return s.Not(*parts, at=meta.start_pos)

    def compare(self, meta: Any, parts: Any) -> s.Compare:
        return s.Compare(str(parts[0]), parts[1], parts[2], at=meta.start_pos)

    def arithmetic(self, meta: Any, parts: Any) -> s.Arithmetic:
        return s.Arithmetic(str(parts[0]), tuple(parts[1:]), at=meta.start_pos)

    def special(self, meta: Any, parts: Any) -> s.Special:
        return s.Special(str(parts[0]), parts[1], at=meta.start_pos)

    def random(self, meta: Any, parts: Any) -> s.Random:
        return s.Random(parts[0] if len(parts) > 1 else None, parts[-1], at=meta.start_pos)

    def size(self, meta: Any, parts: Any) -> s.Size:
        return s.Size(*parts, at=meta.start_pos)

    def score(self, meta: Any, parts: Any) -> s.Score:
        return s.Score(*parts, at=meta.start_pos)

    def total(self, meta: Any, parts: Any) -> s.Total:
        return s.Total(str(parts[0]), parts[1], parts[2], at=meta.start_pos)

    def identity(self, meta: Any, parts: Any) -> s.Identity:
        return s.Identity(str(parts[0]), parts[1], at=meta.start_pos)

    def cardatt(self, meta: Any, parts: Any) -> s.CardAtt:
        return s.CardAtt(*parts, at=meta.start_pos)


def _integer(token: Token) -> int:
    return int(token.lstrip("0") or "0")

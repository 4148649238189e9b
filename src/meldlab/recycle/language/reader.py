"""From text to syntax tree, by the grammar in ``recycle.lark``.

>>> read_expression("(top 2 (game vloc PILE))").count
Number(value=2)
>>> read_expression("(top (game vlok PILE))")
Traceback (most recent call last):
    ...
meldlab.recycle.language.findings.ProgramMistake: line 1: no word 'vlok'; did you mean vloc? [E002]
  (top (game vlok PILE))
             ^
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import cache
from typing import Any

from lark import Lark, Token, Transformer, UnexpectedToken, v_args
from lark.ast_utils import create_transformer
from lark.lexer import Lexer, PatternStr

from meldlab.errors import BadText, NoSuchThing
from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.findings import Finding
from meldlab.recycle.language.lexer import GRAMMAR, Word, words
from meldlab.recycle.language.mistakes import unexpected_word

__all__ = ["DIALECTS", "read", "read_expression"]

DIALECTS = ("0.6", "0.5")


def read(text: str, dialect: str = "0.6", warnings: list[Finding] | None = None) -> s.Program:
    """Return the syntax tree of a program, in terms of 0.6 whatever its dialect; raise ``BadText`` where it cannot be read."""
    if dialect not in DIALECTS:
        raise NoSuchThing("dialect", dialect, DIALECTS)
    tree: s.Program = _parse(text, "start", warnings)
    if dialect == "0.5":
        from meldlab.recycle.language.migration import migrated

        return migrated(tree)
    return tree


def read_expression(text: str) -> Any:
    """Return the syntax tree of one expression."""
    return _parse(text, "expr", None)


def _parse(text: str, start: str, warnings: list[Finding] | None) -> Any:
    found = words(text, warnings)
    try:
        return _TREE.transform(_parser(start).parse(found))
    except UnexpectedToken as problem:
        raise _explained(problem, found, text, _parser(start)) from None


# --- the parser


@cache
def _parser(start: str) -> Lark:
    return Lark(GRAMMAR, parser="lalr", lexer=_WordLexer, start=start, propagate_positions=True, maybe_placeholders=True)


class _WordLexer(Lexer):
    """Hands words to lark under the terminals of the grammar."""

    def __init__(self, conf: Any) -> None:
        patterns = [(terminal.name, re.compile(terminal.pattern.to_regexp())) for terminal in conf.terminals]
        self.terminal = cache(lambda text: next((name for name, pattern in patterns if pattern.fullmatch(text)), "QUOTE"))

    def lex(self, text: Any) -> Iterator[Token]:  # type: ignore[override]  # lark passes the text alone to a lexer of one argument
        for word in text:
            sort = {"name": "NAME", "number": "NUMBER", "var": "VAR"}.get(word.sort) or self.terminal(word.text)
            yield Token(sort, word.text, start_pos=word.at, end_pos=word.at + len(word.text))


# --- the tree


class _Tree(Transformer):  # type: ignore[type-arg]
    """What is no construct of its own: words, teams, and the program, in which two fields have many members."""

    def __default_token__(self, token: Token) -> str | int:
        # A literal beyond 32 bits is caught by the checker; a million digits need not be converted for that.
        return int(token.lstrip("0")[:12] or "0") if token.type == "NUMBER" else str(token).removeprefix("'")

    def team(self, parts: list[int]) -> tuple[int, ...]:
        return tuple(parts)

    @v_args(meta=True)
    def start(self, meta: Any, parts: list[Any]) -> s.Program:
        declares = tuple(part for part in parts if isinstance(part, s.Declare))
        setup, *phases, scoring, score = parts[len(declares) :]
        return s.Program(declares, setup, tuple(phases), scoring, score, at=meta.start_pos)


def _constructed(inline: bool, meta: bool) -> Callable[[Any], Any]:
    """Return what makes of a construct the function that lark calls with the parts of its rule: lark itself would not pass ``at``."""

    def constructed(construct: Any) -> Any:
        many = [str(part.type).startswith("tuple") for part in fields(construct) if not part.kw_only]
        if not any(many):
            return v_args(wrapper=lambda _, rule, parts, meta: construct(*parts, at=meta.start_pos))(construct)
        # The field with many members takes the parts that the others leave.
        first = many.index(True)
        behind = len(many) - first - 1

        def gathered(_: Any, rule: str, parts: list[Any], meta: Any) -> Any:
            last = len(parts) - behind
            return construct(*parts[:first], tuple(parts[first:last]), *parts[last:], at=meta.start_pos)

        return v_args(wrapper=gathered)(construct)

    return constructed


_TREE = create_transformer(s, _Tree(), _constructed)


# --- mistakes

# Terminals that are more than one word, for people.
_NAMES = {
    "NAME": "a NAME",
    "NUMBER": "a number",
    "VAR": "a 'VARIABLE",
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
}


def _explained(problem: UnexpectedToken, found: list[Word], text: str, parser: Lark) -> BadText:
    names = _NAMES | {terminal.name: terminal.pattern.value for terminal in parser.terminals if isinstance(terminal.pattern, PatternStr)}
    expected = sorted(names.get(name, name.lower()) for name in (problem.accepts or problem.expected) - {"$END"})
    at = len(text) if problem.token.type == "$END" else problem.token.start_pos
    stop = next((i for i, word in enumerate(found) if word.at == at), len(found))
    return unexpected_word(found, stop, expected, text).mistake(text)

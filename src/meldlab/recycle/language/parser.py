"""Parser: text to syntax tree, by the grammar in ``recycle.lark``.

>>> parse_expression("(top 2 (game vloc PILE))").count
Number(value=2)
>>> parse_expression("(top (game vlok PILE))")
Traceback (most recent call last):
    ...
meldlab.recycle.language.diagnostics.ProgramError: line 1: no word 'vlok'; did you mean vloc? [E002]
  (top (game vlok PILE))
             ^
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import cache
from typing import Any

import lark
from lark import Lark, Transformer, UnexpectedToken, v_args
from lark.ast_utils import create_transformer
from lark.lexer import Lexer, PatternStr

from meldlab.errors import BadText, NoSuchThing
from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.diagnostics import Diagnostic
from meldlab.recycle.language.lexer import GRAMMAR, Token, tokenize
from meldlab.recycle.language.parse_errors import unexpected_token

DIALECTS = ("0.6", "0.5")


def parse(text: str, dialect: str = "0.6", warnings: list[Diagnostic] | None = None) -> s.Program:
    """Return the syntax tree of a program, as of dialect 0.6; raise ``ProgramError`` where it cannot be read."""
    if dialect not in DIALECTS:
        raise NoSuchThing("dialect", dialect, DIALECTS)
    tree: s.Program = _parse(text, "start", warnings)
    if dialect == "0.5":
        from meldlab.recycle.language.migration import migrate

        return migrate(tree)
    return tree


def parse_expression(text: str) -> Any:
    """Return the syntax tree of one expression."""
    return _parse(text, "expr", None)


def _parse(text: str, start: str, warnings: list[Diagnostic] | None) -> Any:
    tokens = tokenize(text, warnings)
    try:
        return _TREE.transform(_parser(start).parse(tokens))
    except UnexpectedToken as error:
        raise _explain(error, tokens, text, _parser(start)) from None


# --- the parser


@cache
def _parser(start: str) -> Lark:
    return Lark(GRAMMAR, parser="lalr", lexer=_TokenLexer, start=start, propagate_positions=True, maybe_placeholders=True)


class _TokenLexer(Lexer):
    """Passes tokens to lark under the terminals of the grammar."""

    def __init__(self, conf: Any) -> None:
        patterns = [(terminal.name, re.compile(terminal.pattern.to_regexp())) for terminal in conf.terminals]
        self.terminal = cache(lambda text: next((name for name, pattern in patterns if pattern.fullmatch(text)), "QUOTE"))

    def lex(self, text: Any) -> Iterator[lark.Token]:  # type: ignore[override]  # lark passes the text alone to a lexer of one argument
        for token in text:
            terminal = {"name": "NAME", "number": "NUMBER", "var": "VAR"}.get(token.kind) or self.terminal(token.text)
            yield lark.Token(terminal, token.text, start_pos=token.offset, end_pos=token.offset + len(token.text))


# --- the tree


class _Tree(Transformer):  # type: ignore[type-arg]
    """Rules without a construct of their own: tokens, teams, and the program, in which two fields have several members."""

    def __default_token__(self, token: lark.Token) -> str | int:
        # The checker reports a literal beyond 32 bits; twelve digits are enough for that.
        return int(token.lstrip("0")[:12] or "0") if token.type == "NUMBER" else str(token).removeprefix("'")

    def team(self, parts: list[int]) -> tuple[int, ...]:
        return tuple(parts)

    @v_args(meta=True)
    def start(self, meta: Any, parts: list[Any]) -> s.Program:
        declares = tuple(part for part in parts if isinstance(part, s.Declare))
        setup, *phases, scoring, score = parts[len(declares) :]
        return s.Program(declares, setup, tuple(phases), scoring, score, offset=meta.start_pos)


def _constructed(inline: bool, meta: bool) -> Callable[[Any], Any]:
    """Return a decorator that lark applies to each construct, to call it with the parts of its rule; lark itself would not pass ``at``."""

    def constructed(construct: Any) -> Any:
        are_tuples = [str(part.type).startswith("tuple") for part in fields(construct) if not part.kw_only]
        if not any(are_tuples):
            return v_args(wrapper=lambda _, rule, parts, meta: construct(*parts, offset=meta.start_pos))(construct)
        # The field with several members takes the parts that the others leave.
        first = are_tuples.index(True)
        behind = len(are_tuples) - first - 1

        def gathered(_: Any, rule: str, parts: list[Any], meta: Any) -> Any:
            last = len(parts) - behind
            return construct(*parts[:first], tuple(parts[first:last]), *parts[last:], offset=meta.start_pos)

        return v_args(wrapper=gathered)(construct)

    return constructed


_TREE = create_transformer(s, _Tree(), _constructed)


# --- errors

# Names in messages of terminals with more than one token.
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


def _explain(error: UnexpectedToken, tokens: list[Token], text: str, parser: Lark) -> BadText:
    names = _NAMES | {terminal.name: terminal.pattern.value for terminal in parser.terminals if isinstance(terminal.pattern, PatternStr)}
    expected = sorted(names.get(name, name.lower()) for name in (error.accepts or error.expected) - {"$END"})
    offset = len(text) if error.token.type == "$END" else error.token.start_pos
    stop = next((i for i, token in enumerate(tokens) if token.offset == offset), len(tokens))
    return unexpected_token(tokens, stop, expected, text).error(text)

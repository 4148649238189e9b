"""Explanations of a text that cannot be parsed: the part that is missing, the correct form.

>>> from meldlab.recycle.language.parser import parse_expression
>>> parse_expression("(+ 1 -5)")
Traceback (most recent call last):
    ...
meldlab.recycle.language.diagnostics.ProgramError: line 1: a negative number is a difference: (- 0 5) [E003]
  (+ 1 -5)
       ^
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from meldlab.recycle.language.diagnostics import Diagnostic

if TYPE_CHECKING:
    from meldlab.recycle.language.lexer import Token

COMMENT = "comments begin with ;;"
_CHARACTERS = {
    ";": COMMENT,
    "=": "equal is written ==",
    "!": "unequal is written !=, and not (not TEST)",
    "/": "division is written //",
    "&": "write (and TEST TEST)",
    "|": "write (or TEST TEST)",
    '"': "names and words stand without quotes, in capital letters",
    ".": "there are no decimals; a range is FIRST .. LAST",
    "[": "all brackets are round",
    "{": "all brackets are round",
}
# Words of other languages, and the forms that do the same here.
_FOREIGN = {
    "if": "a condition is (TEST ITEM), with no word before it",
    "when": "a condition is (TEST ITEM), with no word before it",
    "then": "a condition is (TEST ITEM), with no word between",
    "else": "there is no else: write a second condition with the opposite test",
    "while": "what continues until a test holds is (stage player (end TEST) ..)",
    "until": "what continues until a test holds is (stage player (end TEST) ..)",
    "for": "for every member is (all COLLECTION 'V ITEM)",
    "foreach": "for every member is (all COLLECTION 'V ITEM)",
    "each": "for every member is (all COLLECTION 'V ITEM)",
    "true": "truth values come from tests, such as (== 1 1)",
    "false": "truth values come from tests, such as (== 1 2)",
    "deal": "cards are dealt by (repeat 5 (move (top STOCK) (top HAND)))",
    "draw": "a card is drawn by (move (top STOCK) (top HAND))",
    "of": "an attribute of a card is (cardatt COLOUR CARD), what a player has (PLAYER iloc HAND)",
    "add": "a sum is (+ A B); to add to storage is (inc CELL A)",
}
_OPERATORS = ("==", "!=", "<", ">", "<=", ">=", "+", "*", "-", "//", "%", "^", "and", "or")
_KINDS = ("sto", "str", "points", "vloc", "iloc", "hloc", "oloc", "mem")
_ACTIONS = ("move", "remember", "forget", "swap", "shuffle", "set", "update", "inc", "dec", "cycle", "turn", "repeat", "create")
_SETUP = "(setup ..) is missing: who plays, and with which cards"
_SCORING = "(scoring ..) is missing: (scoring max NUMBER) or (scoring min NUMBER) at the end of the game"
_PLAYERS = "(create players NUMBER) is missing, the first part of setup"
_DECK = "a deck is missing: (create deck (game iloc STOCK) (deck (RANK (ONE, TWO))))"
_END = "(end ..) is missing: (stage player (end TEST) ..), or once or simultaneous in its place"
_BODY = "a stage has nothing in it: a do, a choice or a stage is missing"


def _foreign_comment(source: str, offset: int, code: str) -> Diagnostic | None:
    """Return an error if ``offset`` follows ``//`` in its line, which is a division only directly after a bracket."""
    line = source.rfind("\n", 0, offset) + 1
    start = source.find("//", line, offset + 2)
    return None if start < 0 or source[line:start].rstrip().endswith("(") else Diagnostic(code, COMMENT, start)


def unknown_character(source: str, offset: int) -> Diagnostic:
    """Return the error for a character that starts no token."""
    comment = _foreign_comment(source, offset, "E001")
    if comment:
        return comment
    character = source[offset]
    if character == "_":
        whole = next(word[0] for word in re.finditer(r"\w+", source) if word.end() > offset)
        return Diagnostic("E001", f"names are capital letters only, without _: {whole.replace('_', '').upper() or 'NAME'}", offset)
    return Diagnostic("E001", _CHARACTERS.get(character) or f"no word begins with {character!r}", offset)


def unknown_word(source: str, offset: int, word: str, before: str, keywords: Iterable[str]) -> Diagnostic:
    """Return the error for a word in small letters that is not a keyword; ``before`` is the token before it."""
    comment = _foreign_comment(source, offset, "E002")
    if comment:
        return comment
    if before == "'":
        return Diagnostic("E002", f"variables are capital letters: '{word.upper()}", offset)
    if before in (*_KINDS, ":", ","):
        return Diagnostic("E002", f"names are capital letters: {word.upper()}", offset)
    if word in _FOREIGN:
        return Diagnostic("E002", f"no word {word!r}: {_FOREIGN[word]}", offset)
    near = get_close_matches(word, sorted(keywords), 1, 0.75)
    if not near:
        return Diagnostic("E002", f"no word {word!r}; names are capital letters: {word.upper()}", offset)
    return Diagnostic(
        "E002", f"no word {word!r}; did you mean {near[0]}{f', or the name {word.upper()}' if before == '(' else ''}?", offset
    )


@dataclass(frozen=True)
class _OpenList:
    """A list that is open where parsing stopped: its first word and its parts so far."""

    head: str
    parts: tuple[tuple[str, str], ...]  # the first two words of each list in it

    @property
    def first_words(self) -> list[str]:
        return [first for first, _ in self.parts]


def _open_lists(tokens: "list[Token]", stop: int) -> list[_OpenList]:
    """Return the lists that are open before a token, from the outside in."""
    opened: list[int] = []
    inside: dict[int, list[int]] = {}
    for i in range(stop):
        if tokens[i].text == "(":
            if opened:
                inside[opened[-1]].append(i)
            opened.append(i)
            inside[i] = []
        elif tokens[i].text == ")" and opened:
            opened.pop()
    texts = [token.text for token in tokens[:stop]] + ["", ""]
    return [_OpenList(texts[start + 1], tuple((texts[part + 1], texts[part + 2]) for part in inside[start])) for start in opened]


def unexpected_token(tokens: "list[Token]", stop: int, expected: list[str], text: str) -> Diagnostic:
    """Return the error where the grammar does not allow the token number ``stop``, or the text ends."""
    lists = _open_lists(tokens, stop)
    here, outer = (lists[-1] if lists else _OpenList("", ())), (lists[-2] if len(lists) > 1 else _OpenList("", ()))
    if stop == len(tokens):
        if not tokens:
            return Diagnostic("E004", "there is no program here: (game ..)", 0)
        return Diagnostic("E004", f"the text ends too early: {len(lists)} bracket{'s' * (len(lists) != 1)} open", len(text.rstrip()))
    word, offset = tokens[stop].text, tokens[stop].offset
    if word == "//" and not text[text.rfind("\n", 0, offset) + 1 : offset].strip():
        return Diagnostic("E003", COMMENT, offset)
    missing = _missing(word, here, outer, expected, any(token.text == "scoring" for token in tokens[stop:]))
    if missing:
        return Diagnostic("E008", missing, offset)
    wrong = _wrong_form(tokens, stop, here, outer, expected)
    if wrong:
        return Diagnostic("E003", wrong, offset)
    if word in ("choice", "stage"):
        return Diagnostic("E108", f"a {word} stands directly in game or stage, nowhere else", offset)
    hint = f" (expected {', '.join(expected[:8])}{', ..' if len(expected) > 8 else ''})" if expected else "; the program is complete"
    return Diagnostic("E003", f"{word!r} cannot stand here{hint}", offset)


def _missing(word: str, here: _OpenList, outer: _OpenList, expected: list[str], scored_later: bool) -> str | None:
    """Return the part that is missing, if one is."""
    match here.head, word:
        case "game", ")" if "setup" not in here.first_words:
            return _SETUP
        case "game", ")" if scored_later:
            return "this closes the game before its (scoring ..): a ) too many, here or before"
        case "game", ")":
            return _SCORING
        case "setup", ")":
            return _DECK if ("create", "players") in here.parts else _PLAYERS
        case "stage", ")":
            return _BODY if "end" in here.first_words or expected == ["("] else _END
        case "stage", "(" if expected == ["player", "team"]:
            return "player or team is missing: (stage player ..)"
        case "scoring", _ if expected == ["min or max"]:
            return "max or min is missing: (scoring max ..) or (scoring min ..)"
    if outer.head == "game" and expected == ["declare", "setup"]:
        return _SETUP
    if outer.head == "game" and word == "scoring":
        return "nothing happens in this game: a do, a choice or a stage is missing before its scoring"
    if expected == ["players"]:
        return _PLAYERS
    return _END if outer.head == "stage" and expected == ["end"] else None


def _wrong_form(tokens: "list[Token]", stop: int, here: _OpenList, outer: _OpenList, expected: list[str]) -> str | None:
    """Return the correct form, if it can be inferred."""
    token, before = tokens[stop], tokens[stop - 1] if stop else None
    after = tokens[stop + 1] if stop + 1 < len(tokens) else None
    touches = before is not None and before.offset + len(before.text) == token.offset
    if token.text == "'":
        return "a variable is ' and a name of capital letters"
    if token.text == "-" and after is not None and after.kind == "number" and after.offset == token.offset + 1:
        return f"a negative number is a difference: (- 0 {after.text})"
    if token.text in _OPERATORS and before is not None and before.text != "(" and here.head != "subsets":
        return f"the operator comes first: ({token.text} A B)" + (f"; {COMMENT}" if token.text == "//" else "")
    if token.kind == "number" and before is not None and before.kind in ("name", "var") and touches:
        return f"names are capital letters only, without digits: {before.text}"
    if token.kind == "number" and expected == ["a NAME"]:
        return "expected a name in capital letters: ONE, TWO, not 1, 2"
    if token.text == "end" and here.head == "stage":
        return "the end of a stage stands in brackets: (end TEST)"
    if expected == ["("] and (here.head in ("do", "choice") or outer.head in ("do", "choice")):
        holder = here.head if here.head in ("do", "choice") else outer.head
        return f"the items of {holder} stand in a bracket of their own: ({holder} (({token.text} ..) ..))"
    if expected == [")"] and token.text == "(":
        if here.head in ("do", "choice"):
            return f"{here.head} has one bracket with all its items; a ) is missing before this, or one is too many before it"
        if here.head == "(":
            return "a condition does one thing, (TEST ITEM); several are a do: (TEST (do (ITEM ITEM)))"
        if here.head == "game":
            return "nothing follows (scoring ..)"
    if outer.head in ("game", "stage") and {"choice", "do", "stage"} <= set(expected):
        if token.text in _ACTIONS:
            return f"{token.text} stands in a do or a choice: (do (({token.text} ..)))"
        if token.text == "(":
            return "a condition stands in a do or a choice: (do ((TEST ITEM)))"
    return None

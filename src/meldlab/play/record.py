"""A game written down in TOML: rules, players, deal, what was done, how it ended.

>>> record = Record("gin", {"preset": "eaai"}, ("simple", "random"), Deal(seed=7), ("p1 draw stock 7H",))
>>> Record.parse(str(record)) == record
True
"""

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from meldlab.errors import BadText, NotLegalHere
from meldlab.play.chance import Deal
from meldlab.play.protocol import Result

__all__ = ["FORMAT", "PERSON", "Record", "read_toml", "toml"]

FORMAT = "meldlab record 1"
PERSON = "you"  # how a person is called among the players
BARE = re.compile(r"[A-Za-z0-9_-]+")  # keys that need no quotes


@dataclass(frozen=True)
class Record:
    """All that is needed to play a game again, move by move."""

    game: str
    rules: Mapping[str, Any]
    players: tuple[str, ...]
    deal: Deal = field(default_factory=Deal)
    actions: tuple[str, ...] = ()
    result: Result | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a record; an error says which field is missing or wrong."""
        found = read_toml(text)
        fields = Fields(found, text)
        if fields.take("format", str) != FORMAT:
            raise BadText(f"no record format {found['format']!r} (use {FORMAT!r})", text, fields.place("format"))
        if "turned" in found:
            raise BadText(
                "deals are not turned any more, players change seats; without the line 'turned = 0' this can be read",
                text,
                fields.place("turned"),
            )
        seed, number = (fields.take(name, int, 0) for name in ("seed", "number"))
        deal = Deal(seed, number, fields.take_texts("deal", optional=True))
        record = cls(
            fields.take("game", str),
            fields.take("rules", dict, {}),
            fields.take_texts("players"),
            deal,
            fields.take_texts("actions"),
            _result(fields),
        )
        fields.done()
        return record

    def __str__(self) -> str:
        deal = self.deal
        lines = [f"format = {toml(FORMAT)}", f"game = {toml(self.game)}", f"players = {toml(self.players)}"]
        lines += [f"{name} = {value}" for name, value in (("seed", deal.seed), ("number", deal.game))]
        lines += [_column("deal", deal.given)] if deal.given else []
        lines += [_column("actions", self.actions)]
        lines += ["", "[rules]", *(f"{_key(name)} = {toml(value)}" for name, value in self.rules.items())]
        if self.result is not None:
            winners = [seat + 1 for seat in self.result.winners]
            lines += ["", "[result]", f"scores = {toml(self.result.scores)}", f"winners = {toml(winners)}"]
            lines += [f"reason = {toml(self.result.reason)}"]
        return "\n".join(lines) + "\n"


def read_toml(text: str) -> dict[str, Any]:
    """Return what a TOML text holds, or show where it is none."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise BadText(f"not TOML: {problem}", text, _place(problem, text)) from None
    except ValueError:
        raise BadText("a number has more digits than can be read", text, 0) from None


def toml(value: Any) -> str:
    """Write a value as TOML: text, number, truth, list or table in one line.

    >>> toml({"name": "A", "melds": ["5H", '"'], "big gin": True})
    '{ name = "A", melds = ["5H", "\\\\""], "big gin" = true }'
    """
    if isinstance(value, str):
        # TOML's basic strings are JSON's, except that a delete character must be escaped.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return repr(int(value))
    if isinstance(value, float):
        return repr(float(value))
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(name)} = {toml(each)}" for name, each in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml, value)) + "]"
    raise NotLegalHere(f"a record has no way to write a {type(value).__name__}")


def _key(name: object) -> str:
    if not isinstance(name, str):
        raise NotLegalHere(f"a name in a record is a text, not a {type(name).__name__}")
    return name if BARE.fullmatch(name) else toml(name)


class Fields:
    """The fields of a TOML text, taken one by one, so that a missing, wrong or unknown one can be named."""

    def __init__(self, found: Mapping[str, Any], text: str) -> None:
        self.left, self.text = dict(found), text

    def take(self, name: str, kind: type[Any], otherwise: Any = None) -> Any:
        """Return a field of the wanted kind; ``otherwise`` stands in for one that is not there."""
        if name not in self.left and otherwise is not None:
            return otherwise
        if name not in self.left:
            raise BadText(f"no {name!r} in the record", self.text, 0)
        value: Any = self.left.pop(name)
        if not isinstance(value, kind) or (kind is int and (value is True or value is False or value < 0)):
            raise BadText(f"{name!r} is not {KINDS[kind]}", self.text, self.place(name))
        return value

    def take_texts(self, name: str, *, optional: bool = False) -> tuple[str, ...]:
        """Return a list of texts."""
        values = self.take(name, list, [] if optional else None)
        if not all(isinstance(value, str) for value in values):
            raise BadText(f"{name!r} is not a list of texts", self.text, self.place(name))
        return tuple(values)

    def place(self, name: str) -> int:
        """Return where a field stands in the text."""
        found = re.search(rf"""^[ \t]*\[?[ \t]*["']?{re.escape(name)}["']?[ \t]*[=.\]]""", self.text, re.MULTILINE)
        return found.start() if found else 0

    def done(self) -> None:
        """Raise if a field is left that nobody asked for."""
        for name in self.left:
            raise BadText(f"unknown field {name!r}", self.text, self.place(name))


KINDS = {str: "a text", int: "a whole number from 0 up", list: "a list", dict: "a table"}


def _result(fields: Fields) -> Result | None:
    found = fields.take("result", dict, {})
    if not found:
        return None
    inner = Fields(found, fields.text)
    scores, winners = inner.take("scores", list), inner.take("winners", list)
    if not all(type(number) is int for number in [*scores, *winners]):
        raise BadText("scores and winners are lists of whole numbers", fields.text, fields.place("result"))
    result = Result(tuple(scores), tuple(winner - 1 for winner in winners), inner.take("reason", str))
    inner.done()
    return result


def _column(name: str, texts: tuple[str, ...]) -> str:
    return "\n".join([f"{name} = [", *(f"  {toml(text)}," for text in texts), "]"])


def _place(problem: tomllib.TOMLDecodeError, text: str) -> int:
    # Before Python 3.14 the place is in the message only: "... (at line 3, column 9)".
    words = str(problem).rstrip(")").split()
    if len(words) >= 4 and words[-4] == "line":
        line, column = int(words[-3].rstrip(",")), int(words[-1])
        return sum(len(each) + 1 for each in text.split("\n")[: line - 1]) + column - 1
    return len(text)

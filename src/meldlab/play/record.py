"""Records of games in TOML: rules, players, deal, actions and result.

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

FORMAT = "meldlab record 1"
USER = "you"  # the name of a user among the players
BARE = re.compile(r"[A-Za-z0-9_-]+")  # keys that need no quotes
# Forty parts of a dotted key, bare or quoted.
DOTTED = re.compile(r"""(?<![A-Za-z0-9_-])(?:(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){40}""")


@dataclass(frozen=True)
class Record:
    """A game as text: everything that is needed to replay it."""

    game: str
    rules: Mapping[str, Any]
    players: tuple[str, ...]
    deal: Deal = field(default_factory=Deal)
    actions: tuple[str, ...] = ()
    result: Result | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the record of a text; an error names the field that is missing or wrong."""
        table = read_toml(text)
        fields = Fields(table, text)
        if fields.take("format", str) != FORMAT:
            raise BadText(f"no record format {table['format']!r} (use {FORMAT!r})", text, fields.offset("format"))
        if "turned" in table:
            problem = "deals are not turned any more, players change seats; without the line 'turned = 0' this can be read"
            raise BadText(problem, text, fields.offset("turned"))
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
        fields.check_empty()
        return record

    def __str__(self) -> str:
        deal = self.deal
        lines = [f"format = {toml(FORMAT)}", f"game = {toml(self.game)}", f"players = {toml(self.players)}"]
        lines += [f"{name} = {value}" for name, value in (("seed", deal.seed), ("number", deal.number))]
        lines += [_column("deal", deal.given)] if deal.given else []
        lines += [_column("actions", self.actions)]
        lines += ["", "[rules]", *(f"{_key(name)} = {toml(value)}" for name, value in self.rules.items())]
        if self.result is not None:
            winners = [seat + 1 for seat in self.result.winners]
            lines += ["", "[result]", f"scores = {toml(self.result.scores)}", f"winners = {toml(winners)}"]
            lines += [f"reason = {toml(self.result.reason)}"]
        return "\n".join(lines) + "\n"


def read_toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text; raise BadText with the position of an error.

    >>> read_toml("x = " + 10_000 * "[")
    Traceback (most recent call last):
        ...
    meldlab.errors.BadText: brackets are nested too deeply
      x = [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
      ^
    """
    # tomllib takes quadratic time for a dotted key.
    dotted = DOTTED.search(text)
    if dotted:
        raise BadText("a key has too many parts", text, dotted.start())
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadText(f"not TOML: {error}", text, _error_offset(error, text)) from None
    except RecursionError:
        raise BadText("brackets are nested too deeply", text, 0) from None
    except ValueError:
        raise BadText("a number has more digits than can be read", text, 0) from None


def toml(value: Any) -> str:
    """Return a value as TOML in one line: text, number, boolean, list or table.

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
        return "{ " + ", ".join(f"{_key(name)} = {toml(item)}" for name, item in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml, value)) + "]"
    raise NotLegalHere(f"expected a text, number, boolean, list or table in a record, got a {type(value).__name__}")


def _key(name: object) -> str:
    if not isinstance(name, str):
        raise NotLegalHere(f"expected a text as a name in a record, got a {type(name).__name__}")
    return name if BARE.fullmatch(name) else toml(name)


class Fields:
    """The fields of a TOML text, taken one by one, so that an error can name a missing, wrong or unknown field."""

    def __init__(self, table: Mapping[str, Any], text: str) -> None:
        self.left, self.text = dict(table), text

    def take(self, name: str, kind: type[Any], otherwise: Any = None) -> Any:
        """Return a field of the required type; ``otherwise`` is the default of a missing one."""
        if name not in self.left and otherwise is not None:
            return otherwise
        if name not in self.left:
            raise BadText(f"no {name!r} in the record", self.text, 0)
        value: Any = self.left.pop(name)
        if not isinstance(value, kind) or (kind is int and (value is True or value is False or value < 0)):
            raise BadText(f"{name!r} is not {KINDS[kind]}", self.text, self.offset(name))
        return value

    def take_texts(self, name: str, *, optional: bool = False) -> tuple[str, ...]:
        """Return a list of texts."""
        values = self.take(name, list, [] if optional else None)
        if not all(isinstance(value, str) for value in values):
            raise BadText(f"{name!r} is not a list of texts", self.text, self.offset(name))
        return tuple(values)

    def offset(self, name: str) -> int:
        """Return the offset of a field in the text."""
        match = re.search(rf"""^[ \t]*\[?[ \t]*["']?{re.escape(name)}["']?[ \t]*[=.\]]""", self.text, re.MULTILINE)
        return match.start() if match else 0

    def check_empty(self) -> None:
        """Raise BadText if an unknown field is left."""
        for name in self.left:
            raise BadText(f"unknown field {name!r}", self.text, self.offset(name))


KINDS = {str: "a text", int: "a whole number from 0 up", list: "a list", dict: "a table"}


def _result(fields: Fields) -> Result | None:
    table = fields.take("result", dict, {})
    if not table:
        return None
    inner = Fields(table, fields.text)
    scores, winners = inner.take("scores", list), inner.take("winners", list)
    if not all(type(number) is int for number in [*scores, *winners]):
        raise BadText("scores and winners are lists of whole numbers", fields.text, fields.offset("result"))
    result = Result(tuple(scores), tuple(winner - 1 for winner in winners), inner.take("reason", str))
    inner.check_empty()
    return result


def _column(name: str, texts: tuple[str, ...]) -> str:
    return "\n".join([f"{name} = [", *(f"  {toml(text)}," for text in texts), "]"])


def _error_offset(error: tomllib.TOMLDecodeError, text: str) -> int:
    # Before Python 3.14 the position is in the message only: "... (at line 3, column 9)".
    words = str(error).rstrip(")").split()
    if len(words) >= 4 and words[-4] == "line":
        number, column = int(words[-3].rstrip(",")), int(words[-1])
        return sum(len(line) + 1 for line in text.split("\n")[: number - 1]) + column - 1
    return len(text)

"""The reference of RECYCLE: its sections, and what its examples give today.

``python -m tests.docs.reference`` writes the answers, the messages and the table of words into the page.
"""

import re
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.checker import check
from meldlab.recycle.language.diagnostics import Diagnostic, ProgramError
from meldlab.recycle.language.lexer import KEYWORDS
from meldlab.recycle.language.parser import parse, parse_expression
from meldlab.recycle.language.tree import walk
from tests.docs.rewriting import printed

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "recycle-reference.md"
FRAME = (ROOT / "docs" / "examples" / "reference.rcy").read_text()
HERE = " ;; here stands the example\n"
WHOLE = re.compile(r"\(game\s*\(")

_EXAMPLE = re.compile(r"```scheme\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)
_REFUSED = re.compile(r"^- `(\(.*\))`: (?P<code>[EW]\d{3})?(?:, )?(.*)$", re.MULTILINE)
# What shows the value of an expression of each class.
_SHOWN = [
    "(set (game sto VALUE) {})",
    "(set (game str VALUE) {})",
    "(do (({0} (set (game str VALUE) TRUE)) ((not {0}) (set (game str VALUE) FALSE))))",
    "(remember {} (top (game mem VALUE)))",
    "(all {} 'V (do ((inc (game sto N)) (all 'V 'W (remember 'W (top (game mem VALUE (game sto N))))))))",
    "(all {} 'V (remember 'V (top (game mem VALUE))))",
    "(cycle current {})",
    "(set (game sto VALUE) (tid {}))",
    "(all {} 'V (cycle current 'V))",
    "(all {} 'V (set (game str VALUE) 'V))",
    "(all {} 'V (set (game sto VALUE) 'V))",
]


@dataclass(frozen=True)
class Section:
    """One construct on the page."""

    construct: str
    words: str
    text: str

    @property
    def form(self) -> str:
        """Return the form as the page writes it."""
        return next(line.strip() for line in self.text.splitlines() if line.startswith("    "))

    @property
    def examples(self) -> list[tuple[str, str]]:
        """Return (example, what the page says it gives)."""
        return _EXAMPLE.findall(self.text)

    @property
    def refused(self) -> list[tuple[str, str, str]]:
        """Return (text, code or nothing, message)."""
        return _REFUSED.findall(self.text)


@cache
def sections() -> tuple[Section, ...]:
    parts = re.split(r"^### ", PAGE.read_text(), flags=re.MULTILINE)[1:]
    found = []
    for part in parts:
        heading, _, text = re.split(r"^## ", part, flags=re.MULTILINE)[0].partition("\n")
        construct, _, words = heading.partition(": ")
        found.append(Section(construct, words, text))
    return tuple(found)


def program(example: str) -> str:
    """Return the program in which an example stands: itself, or the table of the page with the example on it."""
    if WHOLE.match(example):
        return example
    if not is_expression(example):
        return FRAME.replace(HERE, f"{example}\n")
    for shown in _SHOWN:
        text = FRAME.replace(HERE, f"(do ({shown.format(example.strip())}))\n")
        if not any(diagnostic.is_error for diagnostic in diagnostics(text)):
            return text
    # Whatever is wrong with it shows where any value may stand.
    return FRAME.replace(HERE, f"(do ((let {example.strip()} 'V (turn pass))))\n")


def is_expression(example: str) -> bool:
    try:
        parse_expression(example)
    except ProgramError:
        return re.match(r"\((do|stage|choice|let|all|any)\b", example) is None
    return True


def diagnostics(text: str) -> tuple[Diagnostic, ...]:
    """Return what the checker finds, or the mistake at which reading stopped."""
    try:
        return check(text).diagnostics
    except ProgramError as mistake:
        return (mistake.diagnostic,)


def constructs_of(example: str) -> list[s.Node]:
    """Return all constructs of an example."""
    if WHOLE.match(example):
        return list(walk(parse(example)))
    if is_expression(example):
        return list(walk(parse_expression(example)))
    return [node for phase in parse(program(example)).phases[1:] for node in walk(phase)]


def told(text: str) -> str:
    """Return what a transcript tells of a program."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "example.rcy"
        file.write_text(text)
        return printed(f"meldlab recycle transcript {file} --seed 1 --events")


@cache
def _dealt() -> str:
    return told(FRAME).splitlines()[0]


def given(example: str) -> str:
    """Return what an example gives: a value, or what happens."""
    lines = told(program(example)).splitlines()
    if WHOLE.match(example):
        return "\n".join(lines) + "\n"
    lines[0] = lines[0].removeprefix(_dealt()).removeprefix("; ")
    if not is_expression(example):
        return "\n".join(line for line in lines[:-1] if line) + "\n"
    return _value(lines[0]) + "\n"


def _value(said: str) -> str:
    parts = []
    for each in said.split("; "):
        found = re.match(r"set VALUE to (.*)|remember (.*) in memory VALUE.*|turn to (.*)", each)
        if found:
            parts.append(next(value for value in found.groups() if value).replace(", ", " "))
    return (" | " if "memory VALUE 1" in said else " ").join(parts)


def refusal(example: str, code: str) -> str:
    """Return the message with which the checker, or else the machine, refuses an example."""
    text = program(example)
    if code:
        return next((diagnostic.message for diagnostic in diagnostics(text) if diagnostic.code == code), "nothing")
    return next((re.sub(r"^error: (line \d+: )?", "", line) for line in told(text).splitlines() if line.startswith("error")), "nothing")


def table_of_words() -> str:
    """Return the table of keywords and the sections that explain them."""
    lines = ["| word | in |", "|---|---|"]
    for word in sorted(KEYWORDS):
        places = [each for each in sections() if f"`{word}`" in each.words] or [
            each for each in sections() if re.search(rf"\b{word}\b", each.form) or f"`{word}`" in each.text
        ]
        links = ", ".join(f"[{each.construct}](#{anchor(each)})" for each in places)
        lines.append(f"| `{word}` | {links} |")
    return "\n".join(lines)


def anchor(section: Section) -> str:
    """Return the anchor that mkdocs and GitHub give a heading, as far as they agree."""
    heading = section.construct + (f": {section.words}" if section.words else "")
    return re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip())


def rewritten(page: str) -> str:
    """Return the text of the page with the answers of today."""
    page = _EXAMPLE.sub(lambda found: f"```scheme\n{found[1]}```\n\n```text\n{given(found[1])}```", page)
    page = _REFUSED.sub(
        lambda found: f"- `{found[1]}`: {found['code'] + ', ' if found['code'] else ''}{refusal(found[1], found['code'] or '')}", page
    )
    return re.sub(r"(?<=^## Words\n\n).*?(?=\n\n## )", lambda _: table_of_words(), page, flags=re.DOTALL | re.MULTILINE)


if __name__ == "__main__":
    PAGE.write_text(rewritten(PAGE.read_text()))

"""What the five publications claim, read from ``claims.toml``: the words, the numbers and the tolerances.

>>> book = publications()
>>> list(book), book["yang"].year
(['finkle', 'hertog', 'yang', 'nagai', 'valet'], 'undated')
>>> worst = next(each for each in book["finkle"].claims if each.id == "worst-3-low")
>>> worst.published, worst.tolerance, worst.kind
(19.18005509646004, 1e-09, 'exact')
"""

import hashlib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any

from meldlab.errors import NoSuchThing, NotLegalHere

__all__ = ["MEANINGS", "NAMES", "SIGNS", "Publication", "PublishedClaim", "Ruling", "book_digest", "chosen", "publications"]

NAMES = ("finkle", "hertog", "yang", "nagai", "valet")
KINDS = ("exact", "within", "shape", "erratum", "open")
BOOK = "claims.toml"


class Ruling(StrEnum):
    """What became of a claim."""

    EXACT = "exact"
    """Ours is the same to the last digit that was printed."""
    WITHIN = "within"
    """Ours is within the tolerance of the file."""
    SHAPE = "shape"
    """A figure or a sentence without numbers: every property that it shows or states holds here."""
    REFUTED = "refuted"
    """Ours contradicts it."""
    ERRATUM = "erratum"
    """What is printed is wrong, and we can show what is right."""
    OPEN = "open"
    """It could not be decided; what is missing is said."""


MEANINGS = {
    Ruling.EXACT: "the same to the last printed digit",
    Ruling.WITHIN: "within the stated tolerance",
    Ruling.SHAPE: "every stated property holds",
    Ruling.REFUTED: "ours contradicts it",
    Ruling.ERRATUM: "wrong as printed, with our proof",
    Ruling.OPEN: "not decided; what is missing is said",
}
SIGNS = {"[Re]": "every central claim holds", "[¬Re]": "a central claim does not hold"}
HOLDS = frozenset({Ruling.EXACT, Ruling.WITHIN, Ruling.SHAPE})


@dataclass(frozen=True)
class PublishedClaim:
    """One claim: where it stands, what it says, the value that was printed, and how ours is compared with it."""

    id: str
    where: str
    says: str
    kind: str
    published: Any
    """A number, a list of numbers, or words."""
    tolerance: float = 0.0
    """The most by which ours may differ."""
    why_tolerance: str = ""
    right: Any = None
    """Of an erratum: what is true; ours must come out as this."""
    proof: str = ""
    missing: str = ""
    command: str = ""
    central: bool = False
    """Whether the publication stands or falls with it."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise NoSuchThing("kind of claim", self.kind, KINDS)
        needed = {"erratum": self.proof and self.right is not None, "open": self.missing}
        if not needed.get(self.kind, True):
            raise NotLegalHere(f"claim {self.id}: an erratum needs what is right and its proof, an open claim what is missing")

    @property
    def margin(self) -> str:
        """Return the tolerance in words.

        >>> PublishedClaim("x", "p. 1", "", "within", 0.57, 0.01, "two errors").margin
        '± 0.01 (two errors)'
        """
        usual = {"shape": "every property holds", "open": "none"}.get(self.kind, "none: equal" if not self.tolerance else "")
        told = usual or f"± {self.tolerance:g}"
        return f"{told} ({self.why_tolerance})" if self.why_tolerance else told


@dataclass(frozen=True)
class Publication:
    """One of the five: what it is, a summary in the form of the Machine Learning Reproducibility Challenge, and its claims."""

    name: str
    title: str
    authors: str
    source: str
    year: str
    summary: Mapping[str, str]
    """Scope, method, results, easy, hard, contact."""
    claims: tuple[PublishedClaim, ...] = field(repr=False)


HEADINGS = ("scope", "method", "results", "easy", "hard", "contact")


@cache
def publications() -> dict[str, Publication]:
    """Return the publications by their names."""
    found = {}
    for name, one in tomllib.loads(_text()).items():
        claims = tuple(PublishedClaim(**each) for each in one["claim"])
        if len({each.id for each in claims}) < len(claims):
            raise NotLegalHere(f"two claims of {name} have the same id")
        summary = {heading: one[heading] for heading in HEADINGS}
        found[name] = Publication(name, one["title"], one["authors"], one["source"], one["year"], summary, claims)
    return found


def chosen(names: Iterable[str]) -> list[str]:
    """Return publications that were asked for, each once; all five where none was.

    >>> chosen(["yang", "finkle", "yang"]), chosen([]) == list(NAMES)
    (['yang', 'finkle'], True)
    """
    found = list(dict.fromkeys(names)) or list(NAMES)
    for name in found:
        if name not in NAMES:
            raise NoSuchThing("publication", name, NAMES)
    return found


def book_digest() -> str:
    """Return a digest of the file in which the tolerances are: that of the run must be that of the page."""
    return hashlib.sha256(_text().encode()).hexdigest()[:16]


def _text() -> str:
    return files(__package__).joinpath(BOOK).read_text("utf-8")

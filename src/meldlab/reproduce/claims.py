"""The claims of the five publications from ``claims.toml``, outcomes of our runs, and the rules by which an outcome gets its verdict.

>>> list(publications()), publications()["yang"].year
(['finkle', 'hertog', 'yang', 'nagai', 'valet'], 'undated')
>>> claim = Claim("rate", "p. 1", "it wins", "within", 0.57, 0.01)
>>> print(*(judge(claim, Outcome("", value, error=error)) for value, error in ((0.565, 0.0), (0.50, 0.0), (0.565, 0.02))))
within refuted open
"""

import hashlib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib.resources import files
from math import isclose
from numbers import Real
from typing import Any

from meldlab.errors import NoSuchThing, NotLegalHere

NAMES = ("finkle", "hertog", "yang", "nagai", "valet")
KINDS = ("exact", "within", "shape", "erratum", "open")
FILE = "claims.toml"
HEADINGS = ("scope", "method", "results", "easy", "hard", "contact")
SIGNS = {"[Re]": "every central claim holds", "[¬Re]": "a central claim does not hold"}


class Verdict(StrEnum):
    """The verdict on a claim."""

    EXACT = "exact"
    WITHIN = "within"
    SHAPE = "shape"
    REFUTED = "refuted"
    ERRATUM = "erratum"
    OPEN = "open"

    @property
    def meaning(self) -> str:
        """Return what the verdict says about the claim."""
        return MEANINGS[self]


MEANINGS = {
    Verdict.EXACT: "the same to the last printed digit",
    Verdict.WITHIN: "within the stated tolerance",
    Verdict.SHAPE: "every stated property holds",
    Verdict.REFUTED: "ours contradicts it",
    Verdict.ERRATUM: "wrong as printed, with our proof",
    Verdict.OPEN: "not decided; what is missing is said",
}
HOLDS = frozenset({Verdict.EXACT, Verdict.WITHIN, Verdict.SHAPE})


@dataclass(frozen=True)
class Claim:
    """A claim of a publication: its place, its text, the printed value, and how ours is compared with it."""

    id: str
    where: str
    says: str
    kind: str
    published: Any
    """A number, a list of numbers, or text."""
    tolerance: float = 0.0
    """The largest difference of ours."""
    why_tolerance: str = ""
    right: Any = None
    """The true value of an erratum, which ours must equal."""
    proof: str = ""
    missing: str = ""
    command: str = ""
    central: bool = False
    """Whether the publication depends on it."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise NoSuchThing("kind of claim", self.kind, KINDS)
        needed = {"erratum": self.proof and self.right is not None, "open": self.missing}
        if not needed.get(self.kind, True):
            raise NotLegalHere(f"claim {self.id}: an erratum needs what is right and its proof, an open claim what is missing")

    @property
    def margin(self) -> str:
        """Return the tolerance as text.

        >>> Claim("x", "p. 1", "", "within", 0.57, 0.01, "two errors").margin
        '± 0.01 (two errors)'
        """
        usual = {"shape": "every property holds", "open": "none"}.get(self.kind, "none: equal" if not self.tolerance else "")
        text = usual or f"± {self.tolerance:g}"
        return f"{text} ({self.why_tolerance})" if self.why_tolerance else text


@dataclass(frozen=True)
class Publication:
    """One of the five publications, its summary in the form of the Machine Learning Reproducibility Challenge, and its claims."""

    name: str
    title: str
    authors: str
    source: str
    year: str
    seconds: Mapping[str, float]
    """CPU seconds of a run by its size, quick or full, with compiled kernels on the machine of ``docs/reproduce.md``."""
    summary: Mapping[str, str]
    """Scope, method, results, easy, hard, contact."""
    claims: tuple[Claim, ...] = field(repr=False)


@cache
def publications() -> dict[str, Publication]:
    """Return the publications by their names."""
    by_name = {}
    for name, table in tomllib.loads(_text()).items():
        claims = tuple(Claim(**fields) for fields in table["claim"])
        if len({claim.id for claim in claims}) < len(claims):
            raise NotLegalHere(f"two claims of {name} have the same id")
        about = {key: table[key] for key in ("title", "authors", "source", "year", "seconds")}
        summary = {heading: table[heading] for heading in HEADINGS}
        by_name[name] = Publication(name=name, **about, summary=summary, claims=claims)
    return by_name


def select(names: Iterable[str]) -> list[str]:
    """Return the publications with these names, each once; all five without names.

    >>> select(["yang", "finkle", "yang"]), select([]) == list(NAMES)
    (['yang', 'finkle'], True)
    """
    selected = list(dict.fromkeys(names)) or list(NAMES)
    for name in selected:
        if name not in NAMES:
            raise NoSuchThing("publication", name, NAMES)
    return selected


def claims_digest() -> str:
    """Return a digest of the file with the tolerances, by which a page names them."""
    return hashlib.sha256(_text().encode()).hexdigest()[:16]


def _text() -> str:
    return files(__package__).joinpath(FILE).read_text("utf-8")


@dataclass(frozen=True)
class Outcome:
    """Our result for one claim."""

    ours: str
    """As text, with an interval or "exact"."""
    value: Any = None
    """Compared with the published value: a number, a list of numbers, text, or whether every property holds."""
    error: float = 0.0
    """Half of its 95 % interval; if that is wider than the tolerance nothing is decided."""
    verdict: Verdict | None = None
    """The verdict of the experiment, if it has a rule of its own."""
    note: str = ""
    reduced: str = ""
    """The difference in size from the publication's run, if there is one."""
    seed: int | None = None
    stored: str = ""
    """When and where it was computed, if not now."""
    missing_package: str = ""
    """A package that is needed and not installed: the claim is open and not compared with the baseline."""


def judge(claim: Claim, outcome: Outcome) -> Verdict:
    """Return the verdict on a claim."""
    if outcome.verdict is not None:
        return Verdict(claim.kind) if outcome.verdict in HOLDS and claim.kind in HOLDS else outcome.verdict
    if claim.kind == "open" or outcome.missing_package:
        return Verdict.OPEN
    if claim.kind == "shape":
        return Verdict.SHAPE if outcome.value else Verdict.REFUTED
    if claim.kind == "erratum":
        right, printed = (_equal(value, outcome.value, claim.tolerance) for value in (claim.right, claim.published))
        return Verdict.ERRATUM if right and not printed else Verdict.REFUTED
    if claim.kind == "within" and outcome.error > claim.tolerance:
        return Verdict.OPEN
    equal = _equal(claim.published, outcome.value, claim.tolerance)
    return Verdict(claim.kind) if equal else Verdict.REFUTED


def _equal(published: Any, ours: Any, tolerance: float) -> bool:
    """Return whether two values are equal: numbers within the tolerance, lists entry by entry, anything else as written."""
    if isinstance(published, list) and isinstance(ours, Iterable) and not isinstance(ours, str):
        values = list(ours)
        return len(values) == len(published) and all(_equal(a, b, tolerance) for a, b in zip(published, values, strict=True))
    if isinstance(published, bool) or isinstance(ours, bool) or not (isinstance(published, Real) and isinstance(ours, Real)):
        return bool(published == ours)
    # A tolerance that was printed in decimals may be missed by the last bit of a double.
    return isclose(published, ours, rel_tol=1e-15, abs_tol=tolerance * (1 + 1e-9))

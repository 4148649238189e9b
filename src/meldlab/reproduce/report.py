"""A run of claims: each computed, judged and timed, and compared with the verdicts that the package remembers."""

import platform
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from typing import Any

from meldlab.errors import NotLegalHere
from meldlab.parallel import core_count
from meldlab.reproduce.bench import Drawn, Findings, Reproducer
from meldlab.reproduce.claims import HOLDS, Publication, PublishedClaim, Ruling, book_digest, chosen, publications
from meldlab.reproduce.judging import Obtained, ruling
from meldlab.runs.store import code_version

__all__ = ["JudgedPublication", "Reproduction", "Row", "baseline", "reproduce", "this_machine"]

COLUMNS = (
    *("publication", "claim", "where", "says", "published", "ours", "tolerance", "verdict", "reduced", "note", "proof", "command"),
    *("seed", "version", "computed", "seconds"),
)


@dataclass(frozen=True)
class Row:
    """One claim, what came out, and the verdict."""

    publication: str
    claim: PublishedClaim
    found: Obtained
    ruling: Ruling
    seconds: float
    expected: str
    """The verdict that the package remembers; nothing where it has none."""

    @property
    def changed(self) -> bool:
        """Tell whether the verdict is another one than the package remembers; what could not be checked here does not count."""
        return not self.found.absent and bool(self.expected) and self.expected != self.ruling

    @property
    def computed(self) -> str:
        """Say when it was computed."""
        return self.found.stored or "now"

    def cells(self, version: str) -> dict[str, Any]:
        """Return the row as it is written."""
        claim, found = self.claim, self.found
        note = "; ".join(each for each in (found.absent and f"{found.absent} is not installed", claim.missing, found.note) if each)
        told = (self.publication, claim.id, claim.where, claim.says, _text(claim.published), found.ours, claim.margin, str(self.ruling))
        how = (found.reduced, note, claim.proof, claim.command, found.seed, version, self.computed, round(self.seconds, 2))
        return dict(zip(COLUMNS, told + how, strict=True))


@dataclass(frozen=True)
class JudgedPublication:
    """How a publication came out."""

    publication: Publication
    rows: tuple[Row, ...]
    seconds: float

    @property
    def counts(self) -> Mapping[Ruling, int]:
        """Return how many claims have each verdict."""
        return Counter(row.ruling for row in self.rows)

    @property
    def sign(self) -> str:
        """Return ReScience's sign: [Re] where no central claim fails, [¬Re] where one does."""
        central = [row.ruling for row in self.rows if row.claim.central and row.ruling is not Ruling.OPEN]
        return "[Re]" if central and all(each in HOLDS for each in central) else "[¬Re]"


@dataclass(frozen=True)
class Reproduction:
    """Everything that a run found."""

    tallies: tuple[JudgedPublication, ...]
    figures: tuple[tuple[str, Drawn], ...]
    """With the name of the publication."""
    full: bool
    seed: int
    version: str
    machine: str
    date: str
    book: str
    command: str
    """What makes it again."""

    @property
    def rows(self) -> list[Row]:
        """Return all claims."""
        return [row for tally in self.tallies for row in tally.rows]

    @property
    def changed(self) -> list[Row]:
        """Return the claims whose verdict is not the one that the package remembers."""
        return [row for row in self.rows if row.changed]

    @property
    def errata(self) -> list[Row]:
        """Return the claims that are wrong as printed, in the order of the book."""
        return [row for row in self.rows if row.ruling in (Ruling.ERRATUM, Ruling.REFUTED)]

    def as_json(self) -> dict[str, Any]:
        """Return what the command line answers."""
        return {
            "size": "full" if self.full else "quick",
            "seed": self.seed,
            "date": self.date,
            "version": self.version,
            "machine": self.machine,
            "claims_digest": self.book,
            "command": self.command,
            "publications": [
                {
                    "name": tally.publication.name,
                    "title": tally.publication.title,
                    "sign": tally.sign,
                    "claims": len(tally.rows),
                    "verdicts": {str(each): tally.counts[each] for each in Ruling},
                    "seconds": round(tally.seconds, 2),
                }
                for tally in self.tallies
            ],
            "claims": [row.cells(self.version) for row in self.rows],
            "changed": [
                {"claim": f"{row.publication}.{row.claim.id}", "baseline": row.expected, "now": str(row.ruling)} for row in self.changed
            ],
        }  # fmt: skip


def reproduce(
    names: Iterable[str], bench: Reproducer, progress: Callable[[str, float, int], None] = lambda what, done, whole: None
) -> Reproduction:
    """Compute and judge every claim of some publications; ``progress`` hears which claim, how many are done, and of how many."""
    wanted = chosen(names)
    book, known = publications(), baseline(bench.full)
    whole, done = sum(len(book[name].claims) for name in wanted), 0
    tallies, figures = [], []
    for name in wanted:
        claims, found, start = {each.id: each for each in book[name].claims}, dict[str, tuple[Obtained, float]](), time.perf_counter()
        bench.figures = []
        bench.progress = lambda part, name=name, before=done: progress(name, before + part, whole)  # type: ignore[misc]
        bench.progress(0.0)
        answers: Callable[[Reproducer], Findings] = import_module(f"meldlab.reproduce.{name}").claims
        last = start
        for id, one in answers(bench):
            if id not in claims or id in found:
                raise NotLegalHere(f"{name} has no claim {id}, or answers it twice")
            now = time.perf_counter()
            found[id], last, done = (one, now - last), now, done + 1
            bench.progress = lambda part, name=name, before=done: progress(name, before + part, whole)  # type: ignore[misc]
            bench.progress(0.0)
        if missing := claims.keys() - found.keys():
            raise NotLegalHere(f"{name}: nothing came out for {', '.join(sorted(missing))}")
        rows = tuple(
            Row(name, claim, found[id][0], ruling(claim, found[id][0]), found[id][1], known.get(f"{name}.{id}", ""))
            for id, claim in claims.items()
        )
        tallies.append(JudgedPublication(book[name], rows, time.perf_counter() - start))
        figures += [(name, each) for each in bench.figures]
    date = time.strftime("%Y-%m-%d", time.gmtime())
    command = f"meldlab reproduce {' '.join(wanted)} --{'full' if bench.full else 'quick'} --seed {bench.seed}"
    return Reproduction(
        tuple(tallies), tuple(figures), bench.full, bench.seed, code_version(), this_machine(), date, book_digest(), command
    )


def baseline(full: bool) -> dict[str, str]:
    """Return the verdicts that the package remembers for a size, by publication and claim; of what was never run there are none.

    >>> baseline(full=False)["yang.value"]
    'exact'
    """
    found: dict[str, dict[str, str]] = tomllib.loads(files(__package__).joinpath("baseline.toml").read_text("utf-8"))
    return found["full" if full else "quick"]


def this_machine() -> str:
    """Return what computes here, in words."""
    import numba
    import numpy

    return (
        f"Python {platform.python_version()}, numba {numba.__version__}, numpy {numpy.__version__}, {platform.machine()}, {_cores()} cores"
    )


def _cores() -> int:
    return core_count()


def _text(value: Any) -> str:
    """Return a published value as it is read.

    >>> _text([12, 0.25, 5.0]), _text(270725), _text("a picture")
    ('12; 0.25; 5', '270,725', 'a picture')
    """
    if isinstance(value, list):
        return "; ".join(map(_text, value))
    if isinstance(value, float):
        return f"{value:.15g}"
    return f"{value:,}" if isinstance(value, int) else str(value)

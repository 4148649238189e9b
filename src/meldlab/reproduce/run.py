"""A run of claims: each computed, judged and timed, and compared with the verdicts of the baseline."""

import json
import platform
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.resources import files
from time import gmtime, strftime
from typing import Any

from meldlab.errors import NotLegalHere, NotPossible
from meldlab.parallel import Progress, core_count, no_progress
from meldlab.reports.plot import Plot
from meldlab.reproduce.claims import HOLDS, Claim, Outcome, Publication, Verdict, claims_digest, judge, publications, select
from meldlab.runs.store import Run, Store, code_version

COLUMNS = (
    *("publication", "claim", "where", "says", "published", "ours", "tolerance", "verdict", "reduced", "note", "proof", "command"),
    *("seed", "version", "computed", "seconds"),
)
BUNDLED = {"nagai": ("track", "knock", "ensemble")}
PRINTED_PICTURE = "They printed the picture, not its numbers."

Outcomes = Iterator[tuple[str, Outcome]]
"""Outcomes by the id of the claim, as they are computed."""


@dataclass(frozen=True)
class ClaimFigure:
    """Our version of a figure of a publication."""

    name: str
    title: str
    plot: Plot
    theirs: str
    """A description of the publication's own numbers in it, or the reason why there are none."""
    claim: str = ""
    """The claim that it belongs to."""


@dataclass
class Context:
    """The settings of a run, and its figures."""

    full: bool = False
    seed: int = 1
    store: Store | None = None
    threads: int = 0
    recompute: bool = False
    """Whether to compute the bundled results again."""
    tiny: bool = False
    """The smallest sizes, for tests; its verdicts mean nothing."""
    part: Progress = no_progress
    """Receives the progress of the current claim."""
    figures: list[ClaimFigure] = field(default_factory=list)

    @property
    def size(self) -> str:
        """Return quick or full."""
        return "full" if self.full else "quick"

    def draw(self, name: str, title: str, plot: Plot, theirs: str = PRINTED_PICTURE, claim: str = "") -> None:
        """Add a figure to the page."""
        self.figures.append(ClaimFigure(name, title, plot, theirs, claim))

    def pick(self, full: Any, quick: Any, tiny: Any) -> Any:
        """Return the value for the size of this run."""
        return tiny if self.tiny else full if self.full else quick

    @property
    def opened(self) -> Store:
        """Return the store."""
        if self.store is None:
            raise NotPossible("this needs a store for its games")
        return self.store

    def bundled(self, name: str) -> Mapping[str, Any] | None:
        """Return a bundled experiment if this run uses it, which needs the same seed."""
        result = bundled_result(name) if self.full and not self.recompute else None
        return result if result is not None and result["settings"]["seed"] == self.seed else None

    def stored(self, run: Run) -> str:
        """Return when a run of the store was finished, if it was before: then nothing of it is played again."""
        return f"stored {strftime('%Y-%m-%d', gmtime(run.finished))} in {self.opened}" if run.finished else ""


def bundled_result(name: str) -> Mapping[str, Any] | None:
    """Return a long run that the package contains: its settings, date, version, machine, seconds and result."""
    file = files(__package__).joinpath("bundled", f"{name}.json")
    return json.loads(file.read_text("utf-8")) if file.is_file() else None


@dataclass(frozen=True)
class Row:
    """A claim, its outcome and its verdict."""

    publication: str
    claim: Claim
    outcome: Outcome
    verdict: Verdict
    seconds: float
    expected: str
    """The verdict of the baseline; empty if it has none."""

    @property
    def changed(self) -> bool:
        """Return whether the verdict differs from the baseline; claims that need a missing package do not count."""
        return not self.outcome.missing_package and bool(self.expected) and self.expected != self.verdict

    @property
    def computed(self) -> str:
        """Return when it was computed."""
        return self.outcome.stored or "now"

    @property
    def published(self) -> str:
        """Return the published value as text."""
        return _value_text(self.claim.published)

    def cells(self, version: str) -> dict[str, Any]:
        """Return the row by columns."""
        claim, outcome = self.claim, self.outcome
        missing = f"{outcome.missing_package} is not installed" if outcome.missing_package else ""
        note = "; ".join(filter(None, (missing, claim.missing, outcome.note)))
        what = (self.publication, claim.id, claim.where, claim.says, self.published, outcome.ours, claim.margin, str(self.verdict))
        how = (outcome.reduced, note, claim.proof, claim.command, outcome.seed, version, self.computed, round(self.seconds, 2))
        return dict(zip(COLUMNS, what + how, strict=True))


@dataclass(frozen=True)
class PublicationReport:
    """The verdicts on a publication."""

    publication: Publication
    rows: tuple[Row, ...]
    figures: tuple[ClaimFigure, ...]
    seconds: float

    @property
    def counts(self) -> Mapping[Verdict, int]:
        """Return the number of claims with each verdict."""
        return Counter(row.verdict for row in self.rows)

    @property
    def sign(self) -> str:
        """Return ReScience's sign: [Re] where no central claim fails, [¬Re] where one does."""
        central = [row.verdict for row in self.rows if row.claim.central and row.verdict is not Verdict.OPEN]
        return "[Re]" if central and all(verdict in HOLDS for verdict in central) else "[¬Re]"


@dataclass(frozen=True)
class Report:
    """The verdicts of a run."""

    publications: tuple[PublicationReport, ...]
    full: bool
    seed: int
    version: str
    machine: str
    date: str
    claims_digest: str
    command: str
    """The command that makes it again."""

    @property
    def rows(self) -> list[Row]:
        """Return all claims."""
        return [row for part in self.publications for row in part.rows]

    @property
    def changed(self) -> list[Row]:
        """Return the claims whose verdict differs from the baseline."""
        return [row for row in self.rows if row.changed]

    @property
    def errata(self) -> list[Row]:
        """Return the claims that are wrong as printed, in the order of the file."""
        return [row for row in self.rows if row.verdict in (Verdict.ERRATUM, Verdict.REFUTED)]

    def as_json(self) -> dict[str, Any]:
        """Return the result of the command line."""
        return {
            "size": "full" if self.full else "quick",
            "seed": self.seed,
            "date": self.date,
            "version": self.version,
            "machine": self.machine,
            "claims_digest": self.claims_digest,
            "command": self.command,
            "publications": [
                {
                    "name": part.publication.name,
                    "title": part.publication.title,
                    "sign": part.sign,
                    "claims": len(part.rows),
                    "verdicts": {str(verdict): part.counts[verdict] for verdict in Verdict},
                    "seconds": round(part.seconds, 2),
                }
                for part in self.publications
            ],
            "claims": [row.cells(self.version) for row in self.rows],
            "changed": [
                {"claim": f"{row.publication}.{row.claim.id}", "baseline": row.expected, "now": str(row.verdict)} for row in self.changed
            ],
        }


def reproduce(names: Iterable[str], context: Context, progress: Progress = no_progress) -> Report:
    """Compute and judge every claim of some publications; the message of ``progress`` is the publication."""
    selected = select(names)
    done, total = 0, sum(len(publications()[name].claims) for name in selected)
    parts = []
    for name in selected:
        parts.append(_publication(name, context, lambda now, name=name, before=done: progress(before + now, total, name)))  # type: ignore[misc]
        done += len(parts[-1].rows)
    date = time.strftime("%Y-%m-%d", time.gmtime())
    command = f"meldlab reproduce {' '.join(selected)} --{context.size} --seed {context.seed}"
    return Report(tuple(parts), context.full, context.seed, code_version(), this_machine(), date, claims_digest(), command)


def _publication(name: str, context: Context, progress: Callable[[float], None]) -> PublicationReport:
    claims, known = {claim.id: claim for claim in publications()[name].claims}, baseline(context.full)
    outcomes: dict[str, tuple[Outcome, float]] = {}
    context.figures = []
    context.part = lambda done, total, message: progress(len(outcomes) + min(1.0, done / max(1, total)))
    progress(0)
    compute: Callable[[Context], Outcomes] = import_module(f"meldlab.reproduce.{name}").claims
    start = last = time.perf_counter()
    for id, outcome in compute(context):
        if id not in claims or id in outcomes:
            raise NotLegalHere(f"{name} has no claim {id}, or answers it twice")
        now = time.perf_counter()
        outcomes[id], last = (outcome, now - last), now
        progress(len(outcomes))
    if missing := claims.keys() - outcomes.keys():
        raise NotLegalHere(f"{name}: no outcome for {', '.join(sorted(missing))}")
    rows = (
        Row(name, claim, outcomes[id][0], judge(claim, outcomes[id][0]), outcomes[id][1], known.get(f"{name}.{id}", ""))
        for id, claim in claims.items()
    )
    return PublicationReport(publications()[name], tuple(rows), tuple(context.figures), time.perf_counter() - start)


def plan(names: Iterable[str], context: Context) -> dict[str, Any]:
    """Return the CPU seconds of some publications as recorded in ``claims.toml``, with compiled kernels and an empty store.

    >>> plan(["yang"], Context())["seconds"] < 60
    True
    """
    parts = [
        {"name": name, "seconds": publications()[name].seconds[context.size], "note": _plan_note(name, context)} for name in select(names)
    ]
    return {"size": context.size, "dry_run": True, "seconds": sum(part["seconds"] for part in parts), "publications": parts}


def _plan_note(name: str, context: Context) -> str:
    """Return which experiments are bundled with the package, or are played again."""
    notes = []
    for experiment in BUNDLED.get(name, ()) if context.full else ():
        result = bundled_result(experiment)
        assert result is not None
        games = f"{experiment}: {result['games']:,} games"
        if context.bundled(experiment):
            notes.append(f"{games} of {result['date']} are bundled")
        else:
            notes.append(f"{games} to play, which took {result['seconds']:.0f} s ({result['machine']})")
    return "; ".join(notes)


def baseline(full: bool) -> dict[str, str]:
    """Return the verdicts of the baseline for a size, by publication and claim; there are none of claims that were never run.

    >>> baseline(full=False)["yang.value"]
    'exact'
    """
    by_size: dict[str, dict[str, str]] = tomllib.loads(files(__package__).joinpath("baseline.toml").read_text("utf-8"))
    return by_size["full" if full else "quick"]


def this_machine() -> str:
    """Return a text that describes this machine."""
    import numba
    import numpy

    tools = f"Python {platform.python_version()}, numba {numba.__version__}, numpy {numpy.__version__}"
    return f"{tools}, {platform.machine()}, {core_count()} cores"


def _value_text(value: Any) -> str:
    """Return a published value as text.

    >>> _value_text([12, 0.25, 5.0]), _value_text(270725), _value_text("a picture")
    ('12; 0.25; 5', '270,725', 'a picture')
    """
    if isinstance(value, list):
        return "; ".join(map(_value_text, value))
    if isinstance(value, float):
        return f"{value:.15g}"
    return f"{value:,}" if isinstance(value, int) else str(value)

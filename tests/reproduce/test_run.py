"""Runs of claims: a tiny run of each publication, signs, and resumed runs."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from meldlab import rummikub
from meldlab.errors import NoSuchThing, NotLegalHere
from meldlab.gin import Gin, Rules
from meldlab.reproduce import finkle, hertog, nagai
from meldlab.reproduce.claims import HOLDS, NAMES, Outcome, Verdict, judge, publications
from meldlab.reproduce.run import Context, Report, reproduce
from meldlab.runs.store import Store

# Claims whose verdict depends on the size of a run; for all others a tiny run must have the verdict of the baseline.
SIZED = {
    *("finkle.a-wash", "hertog.keeps", "valet.branching", "valet.spread", "valet.lead", "valet.leduc"),
    *(f"nagai.{name}" for name in ("tracking-rises", "tracking-adjacency", "tracking-times", "one-stage", "two-stages", "knock-rate")),
    *(f"nagai.{name}" for name in ("figure-2", "other-opponents", "iteration-gain", "later-iterations", "runs-over-sets", "m0-m1")),
    *(f"nagai.{name}" for name in ("deadwood-weight", "tuned", "shipped", "winners-curse")),
}


def tiny(name: str, folder: Path) -> Report:
    return reproduce([name], Context(tiny=True, store=Store.open(folder / "runs.sqlite"), threads=1))


# That of nagai is run below, where a run is killed.
@pytest.mark.parametrize("name", [name for name in NAMES if name != "nagai"])
def test_reproduce_has_an_outcome_for_every_claim(name: str, tmp_path: Path) -> None:
    assert_every_claim_has_an_outcome(name, tiny(name, tmp_path))


def assert_every_claim_has_an_outcome(name: str, report: Report) -> None:
    assert [row.claim for row in report.rows] == list(publications()[name].claims)
    assert all(row.outcome.ours for row in report.rows)
    assert {f"{name}.{row.claim.id}" for row in report.rows if row.changed} <= SIZED
    assert [publication["name"] for publication in report.as_json()["publications"]] == [name]


def test_sign_depends_on_central_claims(tmp_path: Path) -> None:
    [part] = tiny("yang", tmp_path).publications
    assert part.sign == "[Re]"
    assert all(row.verdict in HOLDS for row in part.rows)
    aside, central = (next(n for n, row in enumerate(part.rows) if row.claim.central is which) for which in (False, True))

    def with_verdict(index: int, verdict: Verdict) -> str:
        rows = [replace(row, verdict=verdict) if n == index else row for n, row in enumerate(part.rows)]
        return replace(part, rows=tuple(rows)).sign

    assert with_verdict(aside, Verdict.REFUTED) == "[Re]"
    assert with_verdict(central, Verdict.OPEN) == "[Re]"
    assert with_verdict(central, Verdict.REFUTED) == with_verdict(central, Verdict.ERRATUM) == "[¬Re]"


def test_reproduce_rejects_missing_and_repeated_outcomes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("meldlab.reproduce.yang.claims", lambda context: iter([("value", Outcome("one"))]))
    with pytest.raises(NotLegalHere, match="yang: no outcome for continue-or-not"):
        tiny("yang", tmp_path)
    monkeypatch.setattr("meldlab.reproduce.yang.claims", lambda context: iter([("value", Outcome("one"))] * 2))
    with pytest.raises(NotLegalHere, match="answers it twice"):
        tiny("yang", tmp_path)


def outcome_of(id: str, outcomes: Iterator[tuple[str, Outcome]]) -> Outcome:
    return next(outcome for claim, outcome in outcomes if claim == id)


def test_start_of_nagai_is_counted_at_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    assert outcome_of("start", nagai.claims(Context(tiny=True))).value == [31, 41]
    monkeypatch.setattr(nagai, "Gin", lambda: Gin(Rules(cards=7)))
    # 52 - 2 * 7 - 1 cards are in the stock, and the 7 of the other seat are unknown as well.
    assert outcome_of("start", nagai.claims(Context(tiny=True))).value == [37, 44]


def test_most_sets_of_hertog_depend_on_the_tiles_of_the_box(monkeypatch: pytest.MonkeyPatch) -> None:
    assert outcome_of("most-sets", hertog.claims(Context(tiny=True))).value == [35, 40]
    monkeypatch.setattr(hertog, "Rules", lambda: rummikub.Rules(copies=3))
    # 158 tiles make 52 sets at most, more than M.
    assert outcome_of("most-sets", hertog.claims(Context(tiny=True))).value == [52, None]


def test_hours_of_finkle_depend_on_the_hands_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = next(claim for claim in publications()["finkle"].claims if claim.id == "hours-4")
    assert judge(claim, outcome_of("hours-4", finkle.claims(Context(tiny=True)))) is Verdict.ERRATUM
    monkeypatch.setattr(finkle, "EXACT_4", 0.001)
    fitted, counted = outcome_of("hours-4", finkle.claims(Context(tiny=True))).value
    assert fitted == pytest.approx(225 * 0.001**-0.710)
    assert counted == pytest.approx(225 * 402_677_214 / 3_852_600)


class Killed(BaseException):
    """Raised where a signal would end the run."""


def test_reproduce_resumes_a_killed_run(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "runs.sqlite")

    def interrupt(done: float, total: float, name: str) -> None:
        if done > 5.5:  # in the middle of the knocking experiment
            raise Killed

    with pytest.raises(Killed):
        reproduce(["nagai"], Context(tiny=True, store=store, threads=1), interrupt)
    track, knock = store.runs()
    assert (track.experiment, knock.experiment) == ("track", "knock")
    assert track.finished
    assert not knock.finished
    before = knock.games()
    assert before > 0
    again = reproduce(["nagai"], Context(tiny=True, store=store, threads=1))
    computed = {row.claim.id: row.computed for row in again.rows}
    assert computed["tracking-rises"].startswith("stored 20")
    assert computed["one-stage"] == "now"
    assert [run.experiment for run in store.runs()] == ["track", "knock", "ensemble"]
    (tmp_path / "alone").mkdir()
    alone = tiny("nagai", tmp_path / "alone")
    assert_every_claim_has_an_outcome("nagai", alone)
    resumed, fresh = ([(row.claim.id, row.outcome.ours, row.verdict) for row in report.rows] for report in (again, alone))
    assert resumed == fresh


def test_reproduce_rejects_an_unknown_publication() -> None:
    with pytest.raises(NoSuchThing, match="no publication 'knuth'"):
        reproduce(["knuth"], Context())

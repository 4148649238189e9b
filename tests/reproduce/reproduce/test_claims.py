"""The book of claims, how a verdict comes about, and a tiny run of each publication."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from meldlab import rummikub
from meldlab.errors import NoSuchThing, NotLegalHere
from meldlab.gin import Gin, Rules
from meldlab.reproduce import hertog, nagai, report
from meldlab.reproduce.bench import Reproducer, kept_result
from meldlab.reproduce.claims import HOLDS, NAMES, PublishedClaim, Ruling, publications
from meldlab.reproduce.judging import Obtained, ruling
from meldlab.reproduce.report import Reproduction, baseline, reproduce
from meldlab.runs.store import Store

# What does not depend on the size of a run, so that a tiny one must come to the verdicts that are remembered.
SIZED = {
    *("finkle.a-wash", "hertog.keeps", "valet.branching", "valet.spread", "valet.lead", "valet.leduc"),
    *(f"nagai.{name}" for name in ("tracking-rises", "tracking-adjacency", "tracking-times", "one-stage", "two-stages", "knock-rate")),
    *(f"nagai.{name}" for name in ("figure-2", "other-opponents", "iteration-gain", "later-iterations", "runs-over-sets", "m0-m1")),
    *(f"nagai.{name}" for name in ("deadwood-weight", "tuned", "shipped", "winners-curse")),
}


def tiny(name: str, folder: Path) -> Reproduction:
    return reproduce([name], Reproducer(tiny=True, store=Store.open(folder / "runs.sqlite"), threads=1))


# That of nagai is played below, where a run is killed.
@pytest.mark.parametrize("name", [name for name in NAMES if name != "nagai"])
def test_a_tiny_run_answers_every_claim(name: str, tmp_path: Path) -> None:
    assert_every_claim_is_answered(name, tiny(name, tmp_path))


def assert_every_claim_is_answered(name: str, found: Reproduction) -> None:
    book = publications()[name]
    assert [row.claim for row in found.rows] == list(book.claims)
    assert all(row.found.ours for row in found.rows)
    assert {f"{name}.{row.claim.id}" for row in found.rows if row.changed} <= SIZED
    assert [each["name"] for each in found.as_json()["publications"]] == [name]


def test_every_claim_has_a_remembered_verdict() -> None:
    every = {f"{name}.{claim.id}" for name, book in publications().items() for claim in book.claims}
    quick, full = baseline(full=False), baseline(full=True)
    assert quick.keys() == every
    # A full run of everything takes hours; what has never been run at full size is not guarded.
    assert full.keys() <= every
    assert {name.split(".")[0] for name in full} >= {"finkle", "hertog", "yang", "nagai"}
    assert set(quick.values()) | set(full.values()) <= set(Ruling)
    assert any(quick[name] != full[name] for name in full)


def test_a_publication_rests_on_some_of_its_claims() -> None:
    for book in publications().values():
        assert any(claim.central for claim in book.claims)
        assert all(book.summary.values())


@pytest.mark.parametrize(
    ("kind", "published", "ours", "expected"),
    [
        ("exact", 1.25, 1.2504, Ruling.EXACT),
        ("exact", 1.25, 1.2506, Ruling.REFUTED),
        ("exact", [3, 1.25], [3, 1.2504], Ruling.EXACT),
        ("exact", [3, 1.25], [3], Ruling.REFUTED),
        ("exact", "min", "min", Ruling.EXACT),
        ("exact", "min", None, Ruling.REFUTED),
        ("within", 1.25, 1.2504, Ruling.WITHIN),
        ("shape", "a picture", True, Ruling.SHAPE),
        ("shape", "a picture", False, Ruling.REFUTED),
        ("erratum", 7, 9, Ruling.ERRATUM),
        ("erratum", 7, 7, Ruling.REFUTED),
        ("erratum", 7, 8, Ruling.REFUTED),
        ("open", 7, 7, Ruling.OPEN),
    ],
)
def test_verdicts(kind: str, published: object, ours: object, expected: Ruling) -> None:
    claim = PublishedClaim("it", "p. 1", "so", kind, published, 0.0005, right=9, proof="counted", missing="the machine")
    assert ruling(claim, Obtained("", ours)) is expected
    assert ruling(claim, Obtained("", ours, absent="a program")) is Ruling.OPEN
    assert ruling(claim, Obtained("", ours, judged=Ruling.WITHIN)) is Ruling.WITHIN


def test_what_is_measured_too_coarsely_stays_open() -> None:
    claim = PublishedClaim("it", "p. 1", "so", "within", 0.5, 0.01)
    assert ruling(claim, Obtained("", 0.5, error=0.009)) is Ruling.WITHIN
    assert ruling(claim, Obtained("", 0.5, error=0.02)) is Ruling.OPEN


def test_the_book_refuses_what_it_cannot_judge() -> None:
    with pytest.raises(NoSuchThing, match="kind of claim"):
        PublishedClaim("it", "p. 1", "so", "roughly", 1)
    with pytest.raises(NotLegalHere, match="an erratum needs what is right and its proof"):
        PublishedClaim("it", "p. 1", "so", "erratum", 1)


def test_the_sign_falls_with_a_claim_on_which_the_publication_rests(tmp_path: Path) -> None:
    [tally] = tiny("yang", tmp_path).tallies
    assert tally.sign == "[Re]"
    assert all(row.ruling in HOLDS for row in tally.rows)
    aside, central = (next(n for n, row in enumerate(tally.rows) if row.claim.central is which) for which in (False, True))

    def with_ruling(place: int, other: Ruling) -> str:
        rows = [replace(row, ruling=other) if n == place else row for n, row in enumerate(tally.rows)]
        return replace(tally, rows=tuple(rows)).sign

    assert with_ruling(aside, Ruling.REFUTED) == "[Re]"
    assert with_ruling(central, Ruling.OPEN) == "[Re]"
    assert with_ruling(central, Ruling.REFUTED) == with_ruling(central, Ruling.ERRATUM) == "[¬Re]"


def test_a_module_that_forgets_a_claim_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("meldlab.reproduce.yang.claims", lambda bench: iter([("value", Obtained("one"))]))
    with pytest.raises(NotLegalHere, match="yang: nothing came out for continue-or-not"):
        tiny("yang", tmp_path)
    monkeypatch.setattr("meldlab.reproduce.yang.claims", lambda bench: iter([("value", Obtained("one"))] * 2))
    with pytest.raises(NotLegalHere, match="answers it twice"):
        tiny("yang", tmp_path)


def test_findings_name_claims_of_the_book_by_their_ids() -> None:
    ids = {claim.id for claim in publications()["nagai"].claims}
    for experiment in ("track", "knock", "ensemble"):
        kept = kept_result(experiment)
        assert kept is not None
        found = {each["id"] for each in kept["result"]["findings"]}
        assert found - {""} <= ids
        assert found - {""}


def result(claims: Iterator[tuple[str, Obtained]], wanted: str) -> Obtained:
    return next(found for name, found in claims if name == wanted)


def test_start_of_nagai_is_counted_at_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    assert result(nagai.claims(Reproducer(tiny=True)), "start").value == [31, 41]
    monkeypatch.setattr(nagai, "Gin", lambda: Gin(Rules(cards=7)))
    # 52 - 2 * 7 - 1 cards lie in stock, and the 7 of the other seat are unknown as well.
    assert result(nagai.claims(Reproducer(tiny=True)), "start").value == [37, 44]


def test_most_sets_of_hertog_depend_on_the_tiles_of_the_box(monkeypatch: pytest.MonkeyPatch) -> None:
    assert result(hertog.claims(Reproducer(tiny=True)), "most-sets").value == [35, 40]
    monkeypatch.setattr(hertog, "Rules", lambda: rummikub.Rules(copies=3))
    # 158 tiles make 52 sets at most, more than M.
    assert result(hertog.claims(Reproducer(tiny=True)), "most-sets").value == [52, None]


class Killed(BaseException):
    """As a signal would end it."""


def test_a_run_that_is_killed_goes_on_where_it_stopped(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "runs.sqlite")

    def interrupt(what: str, done: float, whole: int) -> None:
        if done > 5.5:  # in the middle of the knocking experiment
            raise Killed

    with pytest.raises(Killed):
        reproduce(["nagai"], Reproducer(tiny=True, store=store, threads=1), interrupt)
    track, knock = store.runs()
    assert (track.experiment, knock.experiment) == ("track", "knock")
    assert track.finished
    assert not knock.finished
    before = knock.games()
    assert before > 0
    again = reproduce(["nagai"], Reproducer(tiny=True, store=store, threads=1))
    computed = {row.claim.id: row.computed for row in again.rows}
    assert computed["tracking-rises"].startswith("stored 20")
    assert computed["one-stage"] == "now"
    assert [run.experiment for run in store.runs()] == ["track", "knock", "ensemble"]
    (tmp_path / "alone").mkdir()
    alone = tiny("nagai", tmp_path / "alone")
    assert_every_claim_is_answered("nagai", alone)
    told = [[(row.claim.id, row.found.ours, row.ruling) for row in one.rows] for one in (again, alone)]
    assert told[0] == told[1]


def test_unknown_publications_are_named() -> None:
    with pytest.raises(NoSuchThing, match="no publication 'knuth'"):
        report.reproduce(["knuth"], Reproducer())

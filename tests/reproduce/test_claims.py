"""The claims of the publications, and the rules by which an outcome gets its verdict."""

import pytest

from meldlab.errors import NoSuchThing, NotLegalHere
from meldlab.reproduce.claims import HOLDS, Claim, Outcome, Verdict, judge, publications
from meldlab.reproduce.run import baseline, bundled_result


def test_baseline_has_a_verdict_for_every_claim() -> None:
    every = {f"{name}.{claim.id}" for name, book in publications().items() for claim in book.claims}
    quick, full = baseline(full=False), baseline(full=True)
    assert quick.keys() == every
    # A full run of everything takes hours; claims that were never run at full size are not guarded.
    assert full.keys() <= every
    assert {name.split(".")[0] for name in full} >= {"finkle", "hertog", "yang", "nagai"}
    assert set(quick.values()) | set(full.values()) <= set(Verdict)
    assert any(quick[name] != full[name] for name in full)


def test_publications_have_central_claims_and_recorded_times() -> None:
    for publication in publications().values():
        assert any(claim.central for claim in publication.claims)
        assert all(publication.summary.values())
        assert publication.seconds.keys() == {"quick", "full"}


@pytest.mark.parametrize(
    ("kind", "published", "ours", "expected"),
    [
        ("exact", 1.25, 1.2504, Verdict.EXACT),
        ("exact", 1.25, 1.2506, Verdict.REFUTED),
        ("exact", [3, 1.25], [3, 1.2504], Verdict.EXACT),
        ("exact", [3, 1.25], [3], Verdict.REFUTED),
        ("exact", "min", "min", Verdict.EXACT),
        ("exact", "min", None, Verdict.REFUTED),
        ("within", 1.25, 1.2504, Verdict.WITHIN),
        ("shape", "a picture", True, Verdict.SHAPE),
        ("shape", "a picture", False, Verdict.REFUTED),
        ("erratum", 7, 9, Verdict.ERRATUM),
        ("erratum", 7, 7, Verdict.REFUTED),
        ("erratum", 7, 8, Verdict.REFUTED),
        ("open", 7, 7, Verdict.OPEN),
    ],
)
def test_judge_compares_by_the_kind_of_claim(kind: str, published: object, ours: object, expected: Verdict) -> None:
    claim = Claim("it", "p. 1", "so", kind, published, 0.0005, right=9, proof="counted", missing="the machine")
    assert judge(claim, Outcome("", ours)) is expected
    assert judge(claim, Outcome("", ours, missing_package="a program")) is Verdict.OPEN


@pytest.mark.parametrize("kind", ["exact", "within", "shape"])
def test_judge_takes_the_verdict_of_an_experiment(kind: str) -> None:
    claim = Claim("it", "p. 1", "so", kind, 1)
    for verdict in HOLDS:
        assert judge(claim, Outcome("", verdict=verdict)) == kind
    for verdict in (Verdict.REFUTED, Verdict.OPEN):
        assert judge(claim, Outcome("", 1, verdict=verdict)) is verdict


def test_judge_leaves_a_coarse_measurement_open() -> None:
    claim = Claim("it", "p. 1", "so", "within", 0.5, 0.01)
    assert judge(claim, Outcome("", 0.5, error=0.009)) is Verdict.WITHIN
    assert judge(claim, Outcome("", 0.5, error=0.02)) is Verdict.OPEN


def test_claim_rejects_what_cannot_be_judged() -> None:
    with pytest.raises(NoSuchThing, match="kind of claim"):
        Claim("it", "p. 1", "so", "roughly", 1)
    with pytest.raises(NotLegalHere, match="an erratum needs what is right and its proof"):
        Claim("it", "p. 1", "so", "erratum", 1)


@pytest.mark.parametrize("experiment", ["track", "knock", "ensemble"])
def test_bundled_outcomes_are_of_claims(experiment: str) -> None:
    bundled = bundled_result(experiment)
    assert bundled is not None
    outcomes = bundled["result"]["outcomes"]
    assert outcomes
    assert outcomes.keys() <= {claim.id for claim in publications()["nagai"].claims}
    assert all(outcome["ours"] and Verdict(outcome["verdict"]) for outcome in outcomes.values())

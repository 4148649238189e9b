"""What a run would take is told place by place, and what the package or the store holds is not counted."""

from collections.abc import Callable
from pathlib import Path

import pytest

from meldlab import dry_run as estimates
from meldlab.analysis.study import analyse
from meldlab.cost import Cost
from meldlab.reproduce import nagai, planning, valet
from meldlab.reproduce.bench import Reproducer, kept_result
from meldlab.reproduce.claims import NAMES, publications
from meldlab.reproduce.planning import FIGURES, PlannedPlace, PlannedRun, plan
from meldlab.runs.store import Store
from meldlab.runs.tasks import Task, run_tasks


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimates, "PROBE_SECONDS", 0.0)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "runs.sqlite"


def test_the_cost_of_every_claim_is_recorded_at_both_sizes() -> None:
    costs = kept_result("costs")
    assert costs is not None
    assert costs["machine"]
    for size in ("quick", "full"):
        assert set(costs[size]) == set(NAMES)
        for name, book in publications().items():
            assert costs[size][name].keys() == {*(claim.id for claim in book.claims), FIGURES}


def test_every_claim_is_in_one_place(place: Path) -> None:
    planned = plan([], Reproducer(tiny=True), str(place))
    assert planned.publications == list(NAMES)
    for name, book in publications().items():
        assert sum(each.claims for each in planned.of(name).places) == len(book.claims)
    assert planned.seconds == pytest.approx(sum(planned.of(name).seconds for name in NAMES))
    assert planned.memory == max(planned.of(name).memory for name in NAMES)
    assert not place.exists()


def notes(bench: Reproducer, store: Path) -> dict[str, PlannedPlace]:
    return noted(plan(["nagai"], bench, str(store)))


def noted(planned: PlannedRun) -> dict[str, PlannedPlace]:
    return {each.where: each for each in planned.places if each.note}


def test_carried_experiments_cost_nothing_unless_they_are_asked_for_anew(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "tuning_cost", lambda typical, games, threads: Cost(3600.0, 0, "", ""))
    carried = plan(["nagai"], Reproducer(full=True), str(place))
    assert {where: one.note for where, one in noted(carried).items()} == {
        "section 5.1, figure 1": "2,382,000 games of 2026-11-16 are carried by the package",
        "section 5.2": "8,592,000 games of 2026-11-16 are carried by the package",
        "section 5.3": "24,820,000 games of 2026-11-15 are carried by the package",
    }
    for other in (Reproducer(full=True, anew=True), Reproducer(full=True, seed=2)):
        anew = plan(["nagai"], other, str(place))
        assert all(one.note.endswith(" games to be played") for one in noted(anew).values())
        assert anew.seconds == pytest.approx(carried.seconds + 3 * 3600)


def test_what_the_store_holds_is_told(place: Path) -> None:
    bench, store = Reproducer(tiny=True), Store.open(place)
    searches = nagai.searches(bench)
    assert {one.note for one in notes(bench, place).values()} == {f"{each.games:,} games to be played" for each in searches.values()}
    with store.start_run("track", searches["tracking-rises"].settings) as run:
        run.finish({"findings": []})
    with store.start_run("knock", searches["one-stage"].settings) as run:
        run_tasks([Task("contest", "simple", games=10)], run, jobs=1)
    found = notes(bench, place)
    assert found["section 5.1, figure 1"].note.startswith("finished 20")
    assert found["section 5.2"].note == f"{searches['one-stage'].games - 10:,} games to be played, 10 are in the store"


def test_searched_games_of_the_store_are_told(place: Path) -> None:
    bench = Reproducer(tiny=True)

    def told() -> list[str]:
        return [each.note for each in plan(["valet"], bench, str(place)).places if each.note]

    assert told() == ["4 games to be played"]
    analyse(*valet.study(bench), Store.open(place), jobs=1)
    assert told() == ["0 games to be played, 4 are in the store"]


def test_cores_help_what_is_played_in_parallel(place: Path) -> None:
    tell: Callable[[int], float] = lambda cores: plan(["finkle"], Reproducer(full=True, threads=cores), str(place)).seconds  # noqa: E731
    costs = kept_result("costs")
    assert costs is not None
    seven = costs["full"]["finkle"]["classes-7-round"]["seconds"]
    assert tell(1) - tell(4) == pytest.approx(0.75 * seven)

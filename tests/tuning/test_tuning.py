"""The tuning lab on small settings: grids, races, CMA-ES, and the three experiments through the store."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from math import comb
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meldlab.arena.evaluation import RunEvaluator
from meldlab.errors import NotLegalHere
from meldlab.gin.players import Ensemble
from meldlab.reproduce.nagai import ensemble as ensembles
from meldlab.reproduce.nagai import knocking, tracking
from meldlab.reproduce.nagai.ensemble import GRIDS, Grids, adjacency_in_floats, candidates, canonical, first_game, halve_grid, search_grid
from meldlab.reproduce.nagai.figures import save_figure
from meldlab.reproduce.nagai.significance import one_sample, paired, two_samples
from meldlab.runs.store import Store
from meldlab.statistics import Score, wilson
from meldlab.tuning.cma_es import CMAConfig, centroid, cma_es, finalists, tune
from meldlab.tuning.ensemble_space import DIMENSIONS, START, ensemble_at
from meldlab.tuning.halving import HalvingConfig, successive_halving
from tests.golden.test_counts import golden


def work_on(path: Path, name: str = "test") -> RunEvaluator:
    return RunEvaluator(Store.open(path).run(name, {}), planned=0, jobs=1)


# Grids.


@pytest.mark.parametrize(("name", "points", "distinct"), list(golden("grids.txt")))
def test_the_grids_are_as_large_as_ever(name: str, points: str, distinct: str) -> None:
    some = candidates(name.replace("_", " "), Ensemble())
    assert len(set(some)) == len(some) == int(points)
    assert len({canonical(each) for each in some}) == int(distinct)


def test_three_policies_judge_by_deadwood_so_3003_vectors_are_286_players() -> None:
    # Ten tenths in four heaps instead of six.
    assert len(GRIDS["weights"]()) == comb(15, 5)
    assert len({canonical(each) for each in candidates("weights", Ensemble())}) == comb(13, 3) == 286


@pytest.mark.parametrize("slope", [0.0, 0.1])
def test_vectors_that_are_one_player_play_the_same_games(slope: float, tmp_path: Path) -> None:
    base = Ensemble(turn_penalty=(slope, 1.0))
    chance = Random(3)
    by_player: dict[Ensemble, list[Ensemble]] = {}
    for each in candidates("weights", base):
        by_player.setdefault(canonical(each), []).append(each)
    several = [group for group in by_player.values() if len(group) > 4]
    work = work_on(tmp_path / "runs.sqlite")
    for group in chance.sample(several, 6):
        some = [canonical(group[0]), *chance.sample(group, 3)]
        games = [work.wins_by_deal(each, "simple", seed=2, first=0, games=40) for each in some]
        assert all(np.array_equal(each, games[0]) for each in games)


def test_floats_lose_two_adjacency_vectors() -> None:
    exact = {tuple(map(float, each)) for each in GRIDS["adjacency"]()}
    found = {tuple(round(value, 6) for value in each) for each in adjacency_in_floats()}
    assert (len(exact), len(found), len(exact - found)) == (36, 34, 2)
    assert found < exact
    assert all(each[1] == each[2] for each in exact - found), "what is lost are points on the edge a_c1 = a_c2"


# Measuring.


def test_measurements_add_up_and_have_the_intervals_of_pairs(tmp_path: Path) -> None:
    work = work_on(tmp_path / "runs.sqlite")
    whole, first, rest = (work.scores([Ensemble()], "simple", seed=5, first=a, games=b)[0] for a, b in ((0, 400), (0, 160), (160, 240)))
    assert first + rest == whole
    won = work.wins_by_deal(Ensemble(), "simple", seed=5, first=0, games=400)
    pairs = won / 2
    error = pairs.std(ddof=1) / np.sqrt(len(pairs))
    assert whole.wins == won.sum()
    assert (whole.win_rate().high - whole.win_rate().low) / 2 == pytest.approx(1.96 * error, rel=0.05)
    assert work.done == 800, "what is asked for twice counts once"
    with pytest.raises(NotLegalHere, match="mirrored pairs"):
        work.scores([Ensemble()], "simple", seed=5, first=1, games=4)


def test_progress_tells_what_the_store_knew_from_what_was_played(tmp_path: Path) -> None:
    reports: list[tuple[float, float, int]] = []
    for expected in (40, 0):
        work = work_on(tmp_path / "runs.sqlite")
        work.progress = lambda done, total, message, work=work: reports.append((done, total, work.played))  # type: ignore[misc]
        work.scores([Ensemble()], "simple", seed=1, first=0, games=40)
        assert reports[-1] == (40, 40, expected)


# Claims.


@given(st.integers(1, 4999), st.integers(1, 4999))
def test_two_samples_is_the_chi_square_of_the_table(first: int, second: int) -> None:
    from scipy.stats import chi2_contingency

    found = two_samples(Score(5000, first), Score(5000, second))
    expected = chi2_contingency([[first, 5000 - first], [second, 5000 - second]], correction=False)
    assert found.chi_square == pytest.approx(expected.statistic, abs=1e-9)
    assert found.p == pytest.approx(expected.pvalue, abs=1e-12)


def test_one_sample_takes_the_rate_before_as_known() -> None:
    from scipy.stats import chisquare

    expected = chisquare([3695, 1305], [0.701 * 5000, 0.299 * 5000])
    assert one_sample(0.701, Score(5000, 3695)).chi_square == pytest.approx(expected.statistic)


def test_pairs_show_what_two_samples_cannot() -> None:
    # The same luck for both players: a small difference is clear at once.
    luck = np.random.default_rng(4).random((2500, 2))
    before, after = ((luck < rate).sum(1) for rate in (0.70, 0.71))
    apart = two_samples(Score(5000, int(before.sum())), Score(5000, int(after.sum())))
    assert not apart.gain()
    assert paired(before, after).gain()
    assert paired(after, before).loss()
    assert paired(before, before).p == 1


def test_a_paired_test_without_a_difference_is_right_as_often_as_it_says() -> None:
    chance = np.random.default_rng(5)
    games = chance.random((400, 2, 200)) < 0.7
    false = sum(paired(one.astype(np.int64), other.astype(np.int64)).p < 0.1 for one, other in games)
    assert wilson(false / 400, 400).overlaps(0.1, 0.02)


# Racing.


def coins(players: Sequence[float], first: int, games: int) -> list[Score]:
    """Players that win by chance alone, all with the same luck."""
    luck = np.random.default_rng(first).random(games)
    return [Score(games, int((luck < player).sum())) for player in players]


@given(st.integers(1, 400), st.integers(1, 60), st.integers(1, 20), st.integers(2, 6))
def test_a_race_costs_what_it_says_and_leaves_nobody_out(runners: int, start: int, more: int, keep: int) -> None:
    heats = HalvingConfig(2 * start, 2 * start * more, keep)
    outcome = successive_halving([each / 1000 for each in range(runners)], coins, heats)
    assert sorted(outcome.order) == list(range(runners))
    assert outcome.games == heats.cost(runners) == sum(one.games for one in outcome.scores.values())
    assert outcome.scores[outcome.best].games == heats.most


def test_no_race_without_runners_or_sense() -> None:
    with pytest.raises(NotLegalHere, match="at least one candidate"):
        successive_halving([], coins, HalvingConfig(2, 4))
    with pytest.raises(NotLegalHere, match="start: expected an even number"):
        HalvingConfig(3, 10)


def test_racing_ends_in_the_best_group_with_a_tenth_of_the_games(tmp_path: Path) -> None:
    # Two-stage knocking against gin-only, late from draw 5 or 6 on; the whole grid is the judge.
    work, games = work_on(tmp_path / "runs.sqlite"), 400
    some = [knocking.player_name(*stages) for stages in knocking.two_stage_players((5, 6))]

    def play(players: Sequence[str], first: int, many: int) -> list[Score]:
        return work.scores_of_pairs([(player, "gin-only") for player in players], seed=6, first=first, games=many)

    whole = play(some, 0, games)
    best = max(whole, key=lambda one: one.wins)
    group = {player for player, one in zip(some, whole, strict=True) if one.win_rate().value >= best.win_rate().low}
    raced = successive_halving(some, play, HalvingConfig(12, games, keep=4, least=2))
    assert raced.games <= len(some) * games / 10
    assert some[raced.best] in group
    assert len(group) <= len(some) / 5, "a group of everybody would prove nothing"
    assert raced.scores[raced.best] == whole[raced.best], "the same deals"


def test_a_raced_grid_plays_the_deals_of_the_whole_one(tmp_path: Path) -> None:
    work = work_on(tmp_path / "runs.sqlite")
    whole = search_grid("adjacency", Ensemble(), work.scores, seed=6, games=40)
    raced = halve_grid("adjacency", Ensemble(), work.scores, HalvingConfig(4, 40), seed=6)
    assert raced.candidates == whole.candidates
    assert raced.games < whole.games / 2
    assert raced.after == whole.measured[raced.order[0]]
    assert canonical(raced.best) in whole.best_group()


def test_searches_share_no_deals() -> None:
    firsts = [first_game(iteration, name, 5000) for iteration in (1, 2, 3) for name in GRIDS]
    assert sorted(set(firsts)) == firsts == list(range(0, 75_000, 5000))


# CMA-ES.


def bowl(candidates: Sequence[Ensemble], opponent: str, *, seed: int, first: int, games: int) -> list[Score]:
    """Pretend that players are the better the nearer their price of feeding is to 5 and their need to 3."""
    return [Score(10**6, round(10**6 / (1 + (one.feed[0] - 5) ** 2 + (one.draw_need - 3) ** 2))) for one in candidates]


def test_the_cloud_moves_to_where_games_are_won() -> None:
    generations = list(islice(cma_es(bowl, CMAConfig(population=12, seed=3)), 80))
    end = centroid(generations[-10:])
    assert [end["feed"], end["draw_need"]] == pytest.approx([5, 3], abs=0.8)
    assert max(generations[-1].scores) > 3 * max(generations[0].scores)
    assert len(finalists(generations)) == 17


def test_every_point_of_the_box_is_a_player() -> None:
    chance = Random(1)
    ends = [{each.name: chance.choice((each.low, each.high)) for each in DIMENSIONS} for _ in range(60)]
    inside = [{each.name: chance.uniform(each.low, each.high) for each in DIMENSIONS} for _ in range(60)]
    for point in [START, *ends, *inside]:
        player = ensemble_at(point)
        assert Ensemble.parse(str(player)) == player
    assert all(each.low <= each.start <= each.high for each in DIMENSIONS)


def test_a_search_killed_and_started_again_comes_to_the_same_answer(tmp_path: Path) -> None:
    plan = CMAConfig(population=5, games=20, seed=2)

    class Killed(Exception):
        pass

    def dying(work: RunEvaluator, after: int) -> RunEvaluator:
        calls = iter(range(after))

        def check(done: float, total: float, message: str) -> None:
            if next(calls, None) is None:
                raise Killed

        work.progress = check
        return work

    alone = tune(work_on(tmp_path / "alone.sqlite").scores, plan, 3, 40)
    for after in (7, 30):
        with pytest.raises(Killed):
            tune(dying(work_on(tmp_path / "killed.sqlite"), after).scores, plan, 3, 40)
    again = work_on(tmp_path / "killed.sqlite")
    assert tune(again.scores, plan, 3, 40) == alone
    assert 0 < again.played < again.done
    assert alone.as_json()["test_scores"].keys() == {"simple", "ensemble:paper"}


# The experiments, tiny.


def test_knocking(tmp_path: Path) -> None:
    size = knocking.KnockingSize(20, 40, 4, 400, turns=(5, 6, 7))
    work, some = work_on(tmp_path / "runs.sqlite"), knocking.two_stage_players(size.turns)
    told = knocking.search_knocks(work, size, seed=1)
    assert work.done == size.planned()
    assert len(told["one_stage"]) == 121
    assert len(told["two_stages"]) == len(some)
    assert told["best"]["win_rate"] == max(each["win_rate"] for each in told["two_stages"])
    assert told["inflation"] == pytest.approx(told["best"]["win_rate"] - told["best"]["fresh"]["win_rate"])
    assert told["inflation"] > 0, "the best of 165 in 40 games each is mostly luck"
    check_figure(told, tmp_path, "knocking", len(some))


def test_two_stage_players_are_825() -> None:
    assert len(set(knocking.two_stage_players())) == 825
    assert [len(row) for row in knocking.FIGURE_2] == list(range(1, 11))


def test_tracking(tmp_path: Path) -> None:
    size = tracking.TrackingSize(population=8, generations=4, games=20, final=120)
    told = tracking.search_trackers(work_on(tmp_path / "runs.sqlite"), size, seed=1)
    assert len(told["individuals"]) == 8
    for genes in told["individuals"].values():
        assert all(genes[start] >= genes[start + 1] for start in (0, 3, 6))
        assert all(0 <= gene <= 1 for gene in genes)
    for history in told["history"].values():
        assert len(history) == 4
        assert history == sorted(history), "the best one stays, and all meet the same games"
    assert told["outcomes"]["tracking-adjacency"]["verdict"] == "within", "adjacency updates beat the baseline"
    check_figure(told, tmp_path, "tracking", sum(len(each["turns"]) for each in told["curves"]))


def test_an_evolution_of_trackers_depends_on_its_seed_alone(tmp_path: Path) -> None:
    size = tracking.TrackingSize(population=6, generations=3, games=10, final=20)

    def best(seed: int, path: str) -> list[tuple[tracking.Genes, float]]:
        return list(tracking.evolve_trackers(work_on(tmp_path / path), size, seed=seed, allowance=3, schedule="every draw"))

    assert best(1, "a") == best(1, "b") == best(1, "a") != best(2, "c")


def test_a_generation_keeps_its_best_and_crosses_winners_between_two_places() -> None:
    chance = np.random.default_rng(3)
    people, scores = tracking._ordered(chance.random((41, 9))), chance.random(41)
    size = tracking.TrackingSize(population=41, generations=1, games=2, final=2, mutation=0.0)
    children = tracking._children(people, scores, size, key=5)
    assert children[0].tolist() == people[scores.argmax()].tolist()
    assert (children[:, 0::3] >= children[:, 1::3]).all()
    # Nothing mutates, so every gene comes from somebody; ordering may swap two genes of one action.
    assert set(children.ravel().tolist()) <= set(people.ravel().tolist())
    # Winners of tournaments of three: the mean of the best of three is 0.75 of the ranks.
    ranks = np.argsort(np.argsort(scores))
    first = {value: ranks[at] for at, value in enumerate(people[:, 2])}  # a gene that is never reordered
    assert 0.65 < np.mean([first[value] for value in children[1:, 2]]) / 40 < 0.9
    # Crossing cuts behind the first gene: the second individual of a pair has genes of both parents.
    owners = [{int(np.flatnonzero((people == gene).any(1))[0]) for gene in child} for child in children[1:]]
    assert max(map(len, owners)) == 2
    assert sum(len(each) == 2 for each in owners) > 10
    wild = tracking._children(people, scores, replace(size, mutation=1.0), key=5)
    assert not set(wild[1:].ravel().tolist()) & set(people.ravel().tolist())


def test_mutation_and_crossover_change_individuals(tmp_path: Path) -> None:
    size = tracking.TrackingSize(population=10, generations=6, games=10, final=20, mutation=0.0)
    found = list(tracking.evolve_trackers(work_on(tmp_path / "a"), size, seed=1, allowance=0, schedule="every draw"))
    mutated = list(
        tracking.evolve_trackers(work_on(tmp_path / "b"), replace(size, mutation=0.5), seed=1, allowance=0, schedule="every draw")
    )
    assert found[0] == mutated[0], "the first generation is the same"
    assert found[-1] != mutated[-1]


def thinned(points: int) -> Grids:
    """The paper's grids, of each about so many points."""
    return {name: (lambda grid=grid: grid()[:: max(1, len(grid()) // points)]) for name, grid in GRIDS.items()}  # type: ignore[misc]


def test_searching(tmp_path: Path) -> None:
    size = ensembles.SearchSize(grid=False, test_games=200, halving=HalvingConfig(4, 40))
    told = ensembles.search_ensembles(work_on(tmp_path / "runs.sqlite"), size, seed=1, grids=thinned(12))
    assert [each["search"] for each in told["searches"]] == list(GRIDS)
    for before, after in zip(told["searches"], told["searches"][1:], strict=False):
        assert before["fresh_after"] == after["fresh_before"], "each starts from the best of the one before"
    for each in told["searches"]:
        assert each["inflation"] == pytest.approx(each["after"]["win_rate"] - each["fresh_after"]["win_rate"])
        assert {"one_sample", "two_samples", "paired", "fresh_paired"} < each.keys()
    assert told["adjacency_vectors"]["in_floats"] == 34
    assert Ensemble.parse(told["player"])
    check_figure(told, tmp_path, "inflation", 5)


def test_whole_grids_and_races_beside_each_other(tmp_path: Path) -> None:
    size = ensembles.SearchSize(grid=True, iterations=2, test_games=20, games=20, halving=HalvingConfig(4, 20))
    told = ensembles.search_ensembles(work_on(tmp_path / "runs.sqlite"), size, seed=1, grids=thinned(6))
    assert len(told["searches"]) == 10
    assert all(each["race"]["share_of_games"] > 0 for each in told["searches"])
    assert told["notes"][-1].startswith("races end in the best group")
    assert "later-iterations" in told["outcomes"]


def check_figure(told: dict[str, object], folder: Path, name: str, rows: int) -> None:
    paths = save_figure(told, folder / "figures")
    assert sorted(path.name for path in paths) == [f"{name}.csv", f"{name}.png", f"{name}.svg"]
    assert len((folder / "figures" / f"{name}.csv").read_text().splitlines()) == rows + 1
    assert (folder / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")

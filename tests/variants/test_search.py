"""A search from its spec to its winner: what it tries, stops, refuses to call a game, and finds again after a fall."""

from pathlib import Path

import pytest

from meldlab.analysis.study import StudyConfig
from meldlab.recycle import RecycleGame
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.language.settings import declared_numbers
from meldlab.runs.store import Store
from meldlab.runs.tasks import TaskRunner
from meldlab.variants.page import search_page, write_search
from meldlab.variants.runner import VariantRunner
from meldlab.variants.search import SearchBudget, SearchResult, search
from meldlab.variants.spec import Constraint, IntRange, Objective, SearchSpec
from tests.variants.tiny import GAME

LIMITS = Limits(decisions=60)


def found_by(
    folder: Path,
    *ranges: str,
    objective: Objective,
    keep: tuple[str, ...] = (),
    budget: SearchBudget,
    player: str = "mcts",
    text: str = GAME,
    seed: int = 1,
) -> tuple[SearchResult, int]:
    """Return what is found, and how many games were played and not read from the store."""
    game = RecycleGame("dare", text, "0.6", LIMITS)
    config = StudyConfig(budget.games, player=player, simulations=4, seed=seed)
    spec = SearchSpec.for_game(game, list(map(IntRange.parse, ranges)), objective, list(map(Constraint.parse, keep)), player != "random")
    run = Store.open(folder / "runs.sqlite").run(
        "search", {"budget": [budget.trials, budget.games], "player": player, "seed": seed, **spec.as_json()}
    )
    before = run.games()
    return search(game, spec, budget, VariantRunner(config, TaskRunner(run, 0, 1))), run.games() - before


@pytest.fixture(scope="module")
def dare(tmp_path_factory: pytest.TempPathFactory) -> SearchResult:
    """All variants of the tiny game, impossible and endless ones among them."""
    return found_by(
        tmp_path_factory.mktemp("dare"),
        *("DEAL=5..6", "TURNS=-1..4"),
        objective=Objective("decisions", -1),
        keep=("fairness > 0.1", "options < 2.5"),
        budget=SearchBudget(trials=12, games=16, test_games=10),
    )[0]


def test_the_game_as_it_is_written_comes_first_though_it_lies_outside(dare: SearchResult) -> None:
    assert dict(dare.baseline.variant.settings) == {"DEAL": 1, "TURNS": 2}
    assert len(dare.trials) == 13
    assert len({one.variant.settings_text for one in dare.trials}) == 13


def test_what_is_no_game_is_reported_and_not_fatal(dare: SearchResult) -> None:
    by_name = {one.variant.settings_text: one for one in dare.trials}
    assert by_name["DEAL=6, TURNS=2"].problem.startswith("fails: there is no card here")
    assert by_name["DEAL=5, TURNS=-1"].problem == "does not end: 8 of 8 games of random players took more decisions than allowed"
    # Without a turn there is nothing to choose, and no number of options.
    assert by_name["DEAL=5, TURNS=0"].problem == "options is not defined for it"
    assert all(one.games == 0 for one in dare.trials if one.problem.startswith(("fails", "does not end")))


def test_the_shortest_game_wins_and_the_longer_ones_are_stopped(dare: SearchResult) -> None:
    winner = dare.winner
    assert winner is not None
    assert (winner.variant.settings_text, winner.games) == ("DEAL=5, TURNS=1", 16)
    longer = [one for one in dare.trials if one.variant.settings["TURNS"] > 1 and not one.problem]
    assert [one.variant.settings_text for one in longer] == ["DEAL=1, TURNS=2", "DEAL=5, TURNS=2", "DEAL=5, TURNS=3", "DEAL=5, TURNS=4"]
    assert {(one.stopped, one.games) for one in longer} == {("worse than DEAL=5, TURNS=1", 8)}
    assert (dare.games_played, dare.max_games) == (
        2 * (16 + 4 * 8 + 8),
        2 * (5 * 16 + 8),
    )  # and the one without options, after a first rung
    assert dare.share_saved == pytest.approx(1 - 112 / 176)


def test_the_winner_is_measured_again_beside_the_game_as_it_is_written(dare: SearchResult) -> None:
    assert dare.winner is not None
    assert set(dare.tested) == {0, dare.winner.number}
    assert {gathered.games for gathered in dare.tested.values()} == {10}
    assert dare.gain is not None
    assert (dare.gain.value, dare.gain.low, dare.gain.high) == (-1, -1, -1)  # a turn less on every deal
    answer = dare.as_json()
    assert answer["winner"]["fresh"]["decisions"]["value"] == 1
    assert answer["written"]["fresh"]["decisions"]["value"] == 2
    assert {effect["number"] for effect in answer["effects"]} == {"DEAL", "TURNS"}


def test_nobody_on_the_front_is_beaten(dare: SearchResult) -> None:
    assert dare.winner in dare.pareto_front
    points = [dare._point(one) for one in dare.pareto_front]
    for mine in points:
        assert mine is not None
        assert not any(theirs and theirs != mine and all(a >= b for a, b in zip(theirs, mine, strict=True)) for theirs in points)


def test_the_winners_text_has_its_numbers_and_says_so(dare: SearchResult) -> None:
    assert dare.winner is not None
    text = dare.program_text(dare.winner)
    assert declared_numbers(text) == {"DEAL": 5, "TURNS": 1, "PRIZE": 3}
    assert "DEAL=5, TURNS=1 in place of DEAL=1, TURNS=2" in next(line for line in text.splitlines() if line.startswith(";; A variant"))
    assert dare.program_text(dare.baseline) == GAME


def test_page_and_files(dare: SearchResult, tmp_path: Path) -> None:
    page = search_page(dare)
    assert dare.winner is not None
    for words in (
        "Variants of Dare",
        "does not end: 8 of 8",
        "Racing saved",
        'download="dare.rcy"',
        "<svg",
        dare.winner.variant.settings_text,
    ):
        assert words in page
    # A row for each variant, and one for each on the front.
    assert "determinizations" in dare.winner.determinizations_text
    assert page.count(f"<td>{dare.winner.determinizations_text}</td>") >= 2
    tested = dare.tested[dare.winner.number].skilled
    assert tested is not None
    assert f'An estimate rests on</td><td class="number">{tested.determinizations_text}<' in page
    assert "http://" not in page
    assert "https://" not in page
    names = {str(path.relative_to(tmp_path)) for path in write_search(dare, tmp_path)}
    assert {"index.html", "variants.csv", "effects.csv", "search.json", "dare.rcy", "figures/front.svg", "figures/numbers.svg"} <= names
    assert (tmp_path / "variants.csv").read_text().count("\n") == 1 + 13 * 14


def test_optuna_finds_the_best_of_many_and_a_second_search_only_reads(tmp_path: Path) -> None:
    def sought(folder: Path, seed: int = 1) -> tuple[SearchResult, int]:
        budget = SearchBudget(trials=20, games=4, test_games=4)
        ranges, keep = ("TURNS=1..40", "PRIZE=1..9"), ("decisions >= 3",)
        return found_by(folder, *ranges, objective=Objective("decisions", -1), keep=keep, budget=budget, player="random", seed=seed)

    first, played = sought(tmp_path)
    assert first.winner is not None
    # Of 360 variants twenty are tried; the shortest that are allowed have three turns.
    assert len(first.trials) == 20
    assert 3 <= first.winner.variant.settings["TURNS"] <= 6
    again, read = sought(tmp_path)
    assert played > 0
    assert read == 0
    assert {**again.as_json(), "seconds": 0} == {**first.as_json(), "seconds": 0}
    other, _ = sought(tmp_path, seed=2)
    assert [one.variant.settings_text for one in other.trials] != [one.variant.settings_text for one in first.trials]


def test_where_nothing_keeps_the_demands_there_is_no_winner_but_a_front(tmp_path: Path) -> None:
    budget = SearchBudget(trials=4, games=4, test_games=4)
    found, _ = found_by(tmp_path, "TURNS=1..4", objective=Objective("ties"), keep=("decisions < 0.5",), budget=budget, player="random")
    assert found.winner is None
    assert "None of the 4 variants" in search_page(found)
    assert found.as_json()["winner"] is None


def test_heats_double_and_end_with_all_games() -> None:
    assert [SearchBudget(games=games).rungs for games in (2, 15, 16, 60, 1000)] == [[2], [15], [8, 16], [15, 30, 60], [125, 250, 500, 1000]]

"""A search from its wishes to its winner: what it tries, stops, refuses to call a game, and finds again after a fall."""

from pathlib import Path

import pytest

from meldlab.analysis.study import Effort
from meldlab.recycle.game import Described
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.language.settings import declared_numbers
from meldlab.runs.store import Store
from meldlab.variants.page import discovery_page, write_discovery
from meldlab.variants.runner import Workbench
from meldlab.variants.search import Discovery, Sizes, search
from meldlab.variants.spec import Aim, Demand, Span, Wishes
from tests.variants.tiny import GAME

LIMITS = Limits(decisions=60)


def found_by(
    folder: Path, *spans: str, aim: Aim, keep: tuple[str, ...] = (), sizes: Sizes, player: str = "mcts", text: str = GAME, seed: int = 1
) -> tuple[Discovery, int]:
    """Return what is found, and how many games were played and not read from the store."""
    game = Described("dare", text, "0.6", LIMITS)
    effort = Effort(sizes.games, player=player, simulations=4, seed=seed)
    wishes = Wishes.of(game, list(map(Span.parse, spans)), aim, list(map(Demand.parse, keep)), player != "random")
    run = Store.open(folder / "runs.sqlite").run(
        "search", {"sizes": [sizes.trials, sizes.games], "player": player, "seed": seed, **wishes.as_json()}
    )
    before = run.games()
    return search(game, wishes, sizes, Workbench(effort, run, 1)), run.games() - before


@pytest.fixture(scope="module")
def dare(tmp_path_factory: pytest.TempPathFactory) -> Discovery:
    """All variants of the tiny game, impossible and endless ones among them."""
    return found_by(
        tmp_path_factory.mktemp("dare"),
        *("DEAL=5..6", "TURNS=-1..4"),
        aim=Aim("decisions", -1),
        keep=("fairness > 0.1", "options < 2.5"),
        sizes=Sizes(trials=12, games=16, fresh=10),
    )[0]


def test_the_game_as_it_is_written_comes_first_though_it_lies_outside(dare: Discovery) -> None:
    assert dict(dare.written.variant.settings) == {"DEAL": 1, "TURNS": 2}
    assert len(dare.attempts) == 13
    assert len({one.variant.name for one in dare.attempts}) == 13


def test_what_is_no_game_is_reported_and_not_fatal(dare: Discovery) -> None:
    by_name = {one.variant.name: one for one in dare.attempts}
    assert by_name["DEAL=6, TURNS=2"].problem.startswith("fails: there is no card here")
    assert by_name["DEAL=5, TURNS=-1"].problem == "does not end: 8 of 8 games of random players took more decisions than allowed"
    # Without a turn there is nothing to choose, and no number of options.
    assert by_name["DEAL=5, TURNS=0"].problem == "options is not defined for it"
    assert all(one.games == 0 for one in dare.attempts if one.problem.startswith(("fails", "does not end")))


def test_the_shortest_game_wins_and_the_longer_ones_are_stopped(dare: Discovery) -> None:
    winner = dare.winner
    assert winner is not None
    assert (winner.variant.name, winner.games) == ("DEAL=5, TURNS=1", 16)
    longer = [one for one in dare.attempts if one.variant.settings["TURNS"] > 1 and not one.problem]
    assert [one.variant.name for one in longer] == ["DEAL=1, TURNS=2", "DEAL=5, TURNS=2", "DEAL=5, TURNS=3", "DEAL=5, TURNS=4"]
    assert {(one.stopped, one.games) for one in longer} == {("worse than DEAL=5, TURNS=1", 8)}
    assert (dare.played, dare.whole) == (2 * (16 + 4 * 8 + 8), 2 * (5 * 16 + 8))  # and the one without options, after a first heat
    assert dare.saved == pytest.approx(1 - 112 / 176)


def test_the_winner_is_measured_again_beside_the_game_as_it_is_written(dare: Discovery) -> None:
    assert dare.winner is not None
    assert set(dare.fresh) == {0, dare.winner.number}
    assert {gathered.games for gathered in dare.fresh.values()} == {10}
    assert dare.gain is not None
    assert (dare.gain.value, dare.gain.low, dare.gain.high) == (-1, -1, -1)  # a turn less on every deal
    answer = dare.as_json()
    assert answer["winner"]["fresh"]["decisions"]["value"] == 1
    assert answer["written"]["fresh"]["decisions"]["value"] == 2
    assert {effect["number"] for effect in answer["effects"]} == {"DEAL", "TURNS"}


def test_nobody_on_the_front_is_beaten(dare: Discovery) -> None:
    assert dare.winner in dare.front
    points = [dare._point(one) for one in dare.front]
    for mine in points:
        assert mine is not None
        assert not any(theirs and theirs != mine and all(a >= b for a, b in zip(theirs, mine, strict=True)) for theirs in points)


def test_the_winners_text_has_its_numbers_and_says_so(dare: Discovery) -> None:
    assert dare.winner is not None
    text = dare.text_of(dare.winner)
    assert declared_numbers(text) == {"DEAL": 5, "TURNS": 1, "PRIZE": 3}
    assert "DEAL=5, TURNS=1 in place of DEAL=1, TURNS=2" in next(line for line in text.splitlines() if line.startswith(";; A variant"))
    assert dare.text_of(dare.written) == GAME


def test_page_and_files(dare: Discovery, tmp_path: Path) -> None:
    page = discovery_page(dare)
    assert dare.winner is not None
    for words in ("Variants of Dare", "does not end: 8 of 8", "Racing saved", 'download="dare.rcy"', "<svg", dare.winner.variant.name):
        assert words in page
    assert "http://" not in page
    assert "https://" not in page
    names = {str(path.relative_to(tmp_path)) for path in write_discovery(dare, tmp_path)}
    assert {"index.html", "variants.csv", "effects.csv", "search.json", "dare.rcy", "figures/front.svg", "figures/numbers.svg"} <= names
    assert (tmp_path / "variants.csv").read_text().count("\n") == 1 + 13 * 14


def test_optuna_finds_the_best_of_many_and_a_second_search_only_reads(tmp_path: Path) -> None:
    def sought(folder: Path, seed: int = 1) -> tuple[Discovery, int]:
        sizes = Sizes(trials=20, games=4, fresh=4)
        spans, keep = ("TURNS=1..40", "PRIZE=1..9"), ("decisions >= 3",)
        return found_by(folder, *spans, aim=Aim("decisions", -1), keep=keep, sizes=sizes, player="random", seed=seed)

    first, played = sought(tmp_path)
    assert first.winner is not None
    # Of 360 variants twenty are tried; the shortest that are allowed have three turns.
    assert len(first.attempts) == 20
    assert 3 <= first.winner.variant.settings["TURNS"] <= 6
    again, read = sought(tmp_path)
    assert played > 0
    assert read == 0
    assert {**again.as_json(), "seconds": 0} == {**first.as_json(), "seconds": 0}
    other, _ = sought(tmp_path, seed=2)
    assert [one.variant.name for one in other.attempts] != [one.variant.name for one in first.attempts]


def test_where_nothing_keeps_the_demands_there_is_no_winner_but_a_front(tmp_path: Path) -> None:
    sizes = Sizes(trials=4, games=4, fresh=4)
    found, _ = found_by(tmp_path, "TURNS=1..4", aim=Aim("ties"), keep=("decisions < 0.5",), sizes=sizes, player="random")
    assert found.winner is None
    assert "None of the 4 variants" in discovery_page(found)
    assert found.as_json()["winner"] is None


def test_heats_double_and_end_with_all_games() -> None:
    assert [Sizes(games=games).heats for games in (2, 15, 16, 60, 1000)] == [[2], [15], [8, 16], [15, 30, 60], [125, 250, 500, 1000]]

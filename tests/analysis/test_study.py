"""Studies of real games: the same on any split, kept and resumed, and the published shape of Rummy's branching."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from meldlab.analysis import playing
from meldlab.analysis.figures import GRID, draw_spread, lead_curves, normalised_spread
from meldlab.analysis.playing import LineUp
from meldlab.analysis.study import Analysis, StudyConfig, analyse
from meldlab.analysis.variant import Variant
from meldlab.recycle import RecycleGame, library
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.players.search import play_games
from meldlab.runs.store import Counts, Store
from meldlab.runs.tasks import Task
from tests.analysis.samples import BY_HAND, Row, sample_of

SMALL = StudyConfig(games=4, random_scores=100, simulations=20, seed=3)


def study(name: str, folder: Path, config: StudyConfig = SMALL, **settings: int) -> Analysis:
    folder.mkdir(exist_ok=True)
    return analyse(Variant(RecycleGame.load(name), settings), config, Store.open(folder / "runs.sqlite"), jobs=1)


def findings(analysis: Analysis) -> dict[str, object]:
    """Return everything that does not depend on the clock."""
    samples = [sample.as_json() for sample in (analysis.random, analysis.skilled, analysis.single)]
    for sample in samples:
        del sample["seconds"]
    return {"samples": samples, "heuristics": [str(each) for each in analysis.heuristics], "movement": analysis.movement.edges}


def test_random_branching_of_rummy_has_its_bands() -> None:
    machine = Machine.compile(library.entry("block_rummy").text)
    sample = playing.sample_from_games(play_games(machine, LineUp.parse("random,random").players, 100, seed=0), "min", 0)
    assert sample.scores.tolist() == machine.random_games(100, 0).scores.tolist()
    counts = Counter(sample.options.tolist())
    # Drawing has two options, melding and laying off mostly one or two, discarding from a full hand ten or eleven.
    assert (counts[1] + counts[2]) / len(sample.options) > 0.7
    assert counts[10] > 2 * counts[9]
    assert counts[11] > 2 * counts[9]
    assert sum(many for options, many in counts.items() if options > 11) <= 2  # rarely many melds at once
    first = {move: Counter(sample.options[sample.move == move].tolist()) for move in (0, 1)}
    assert first[0] == {2: 100}
    assert first[1][1] + first[1][2] > 75
    # On the first turn, whoever has not melded discards: ten options after taking from the pile, eleven after the stock.
    discards = sample.options[(sample.move == 3) & (sample.options > 8)]
    assert set(discards.tolist()) == {10, 11}
    assert len(discards) > 60


def test_a_study_is_the_same_again_and_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = study("kuhn_poker", tmp_path / "a")
    played: list[tuple[str, int]] = []

    def noting(task: Task) -> Counts:
        played.append((str(task.player), task.first))
        if len(played) == 4:
            raise KeyboardInterrupt
        return original(task)

    original = playing.search_task
    monkeypatch.setattr(playing, "search_task", noting)
    with pytest.raises(KeyboardInterrupt):
        study("kuhn_poker", tmp_path / "b")
    before = len(played) - 1
    again = study("kuhn_poker", tmp_path / "b")
    assert findings(again) == findings(whole)
    # Nine pieces in all: the random games at once, the others one by one; none of the finished ones was played twice.
    assert len(played) - 1 == 9
    assert len(set(played)) == 9
    assert before == 3
    study("kuhn_poker", tmp_path / "b")
    assert len(played) - 1 == 9


def test_more_games_keep_the_first_ones(tmp_path: Path) -> None:
    few, many = study("kuhn_poker", tmp_path), study("kuhn_poker", tmp_path, StudyConfig(6, 100, simulations=20, seed=3))
    assert many.skilled.games == 6
    assert many.skilled.scores[:4].tolist() == few.skilled.scores.tolist()
    assert Store.open(tmp_path / "runs.sqlite").runs()[0].finished is not None


def test_variants_are_studies_of_their_own(tmp_path: Path) -> None:
    config = StudyConfig(games=6, random_scores=200, player="random", seed=1)
    plain, easy = study("gin_rummy", tmp_path, config), study("gin_rummy", tmp_path, config, LIMIT=60)
    assert easy.random.decisions.mean() < plain.random.decisions.mean()
    assert easy.variant.title == "Gin Rummy (LIMIT=60)"
    assert easy.as_json()["settings"] == {"LIMIT": 60}
    assert len(Store.open(tmp_path / "runs.sqlite").runs()) == 2


def test_games_that_do_not_end_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "endless.rcy"
    path.write_text(
        """(game (setup (create players 2) (create deck (game iloc S) (deck (RANK (A, B)))))
        (stage player (end (== 1 2)) (choice ((turn pass) (inc ((current player) sto N))))
         (do (((== ((1 player) sto N) 4) (move (top (game iloc EMPTY)) (top (game iloc S)))))))
        (scoring max ((current player) sto N)))"""
    )
    from meldlab.recycle.language.limits import Limits

    game = RecycleGame.load(str(path), limits=Limits(decisions=12))
    found = analyse(Variant(game, {}), StudyConfig(20, 50, "random"), Store.open(tmp_path / "runs.sqlite"), jobs=1)
    assert found.random.capped > 0
    assert found.random.failed > 0
    assert found.random.capped + found.random.failed == 20
    summary = found.as_json()["line_ups"]["random"]
    assert (summary["finished"], summary["capped"], summary["failed"]) == (0, found.random.capped, found.random.failed)
    assert found.random.win_shares[~found.random.ended].sum() == 0


def test_lead_curves_run_from_the_first_estimate_to_the_result() -> None:
    curves = lead_curves(BY_HAND)
    assert {place: each.shape for place, each in curves.items()} == {0: (2, 101), 1: (2, 101)}
    # The first game: winner p1, estimates 0.25, 0.4 (seen by p2 as 0.6 for itself), 0.9, 0.9, then the result.
    first = curves[0][0]
    assert first[[0, 25, 50, 75, 100]] == pytest.approx([0.25, 0.4, 0.9, 0.9, 1.0])
    assert np.interp(0.1, [0, 0.25], [0.25, 0.4]) == pytest.approx(first[10])
    assert curves[0] + curves[1] == pytest.approx(np.ones((2, 101)))
    assert len(GRID) == 101


def test_spread_is_divided_by_the_largest_of_all_games_and_of_the_game() -> None:
    portion, published, spread = normalised_spread(BY_HAND)
    # The largest of all is 4, in the first game; the largest of the second is 1.
    assert published.tolist() == pytest.approx([0.5, 0, 0, 1, 0, 0.25, 0, 0, 0, 0, 0])
    _, data = draw_spread(BY_HAND)
    assert (data["published"], data["spread"]) == (published.tolist(), spread.tolist())
    assert portion.tolist() == pytest.approx([0, 1 / 3, 2 / 3, 1, 0, 0.25, 0.5, 0.75, 1, 0, 1])
    assert spread.tolist() == pytest.approx([0.5, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0])


def test_final_ranks_share_ties_or_break_them_by_seat() -> None:
    sample = sample_of("min", 3, [Row((5, 2, 2), ())])
    assert sample.ranks.tolist() == [[2, 0, 0]]
    assert sample.places.tolist() == [[2, 0, 1]]
    assert sample.win_shares.tolist() == [[0, 0.5, 0.5]]

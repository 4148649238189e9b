"""Contests: what is counted, the same by kernel and at the table, and that nobody can take an arena down."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meldlab.arena.contest import ContestResult, play_contest, seatings
from meldlab.errors import NotLegalHere, NotPossible
from meldlab.gin import Gin, Rules, View, players
from meldlab.play import Batch, Chance, Deal, RandomPlayer, Result, Table, TimeLimit
from meldlab.rummikub import PRESETS
from meldlab.rummikub import game as rummikub
from meldlab.rummikub.players import PLAYERS
from tests.play.toy import HighCard

KEYS = {
    *("game", "games", "deals", "players", "drawn", "deals_ahead", "deals_behind", "sign_test_p", "score_lead", "score_lead_ci95"),
    *("unended", "failures", "seconds", "games_per_second"),
}
OF_A_PLAYER = {"player", "seats", "wins", "win_rate", "ci95", "fair_share", "score", "score_ci95", "forfeits"}


def same(one: ContestResult, other: ContestResult) -> bool:
    alike = [(each.moments.products.tolist(), each.deal_wins.tolist(), each.failures) for each in (one, other)]
    return alike[0] == alike[1]


@pytest.fixture
def copycat(tmp_path: Path) -> str:
    """The simple player, from a file, so that it has to sit at the Table."""
    path = tmp_path / "copycat.py"
    path.write_text("from meldlab.gin.players import GinPlayer\nclass Copycat(GinPlayer):\n    name = 'copycat'\n")
    return f"{path}:Copycat"


@pytest.mark.parametrize("rules", ["eaai", "pagat", "oklahoma"])
def test_table_and_kernel_count_the_same(copycat: str, rules: str) -> None:
    game = Gin(Rules.preset(rules))
    kernel, table = (play_contest(game, [first, "gin-only"], 20, seed=7) for first in ("simple", copycat))
    assert same(kernel, table)
    assert table.players == ("copycat", "gin-only")
    assert table.mean_score(0).value > 0


def test_all_games_answer_alike() -> None:
    gin, tiles = (
        play_contest(Gin(), ["simple", "gin-only"], 40, seed=1, threads=1),
        play_contest(rummikub.Rummikub(), ["greedy", "random"], 2),
    )
    for found, more, own in ((gin, {"rounds", "rounds_per_game"}, {"gins_per_round"}), (tiles, {"turns", "turns_per_game"}, set())):
        answer = json.loads(json.dumps(found.as_json(), allow_nan=False))
        assert set(answer) >= KEYS | more
        assert all(set(row) >= OF_A_PLAYER | own for row in answer["players"])
    row = gin.as_json()["players"][0]  # type: ignore[index]
    assert gin.games == 40
    assert row["ci95"][0] < row["win_rate"] < row["ci95"][1]


def test_the_same_seed_gives_the_same_games_on_any_number_of_threads() -> None:
    one, every, other = (
        play_contest(Gin(), ["ensemble", "simple"], 100, seed, threads=threads) for seed, threads in ((3, 1), (3, 0), (4, 1))
    )
    assert same(one, every)
    assert not same(one, other)


def test_seatings_take_luck_out() -> None:
    plain, turned = (play_contest(Gin(), ["ensemble", "simple"], 4000, seed=5, mirrored=turning).win_rate() for turning in (False, True))
    assert turned.high - turned.low < plain.high - plain.low


def test_equal_players_share_every_deal() -> None:
    found = play_contest(Gin(), ["simple", "simple"], 100, seed=1)
    assert found.win_rate().value == 0.5
    assert (found.deals_ahead, found.score_margin.value, found.sign_test) == ((0, 0), 0, 1)


@pytest.mark.parametrize(("games", "deals"), [(1, 1), (6, 2), (7, 3)])
def test_games_are_whole_deals_in_all_seatings(games: int, deals: int) -> None:
    found = play_contest(HighCard(), [RandomPlayer()] * 3, games, seed=2)
    assert (found.deals, found.games, len(found.deal_wins)) == (deals, 3 * deals, deals)
    assert sum(map(found.wins, range(3))) == pytest.approx(found.games - found.drawn)


def batch(wins: list[list[float]], scores: list[list[int]]) -> Batch:
    return Batch(np.array(scores), np.array(wins), {}, {})


def test_a_player_at_several_seats_has_the_wins_of_all_and_the_score_of_a_seat() -> None:
    ways = [(0, 1, 1), (1, 0, 1), (1, 1, 0)]
    tied = batch([[0.5, 0.5, 0.0]], [[6, 6, 0]])
    found = ContestResult.from_batches(HighCard(), ["a", "b"], ways, [tied] * 3)
    assert (found.wins(0), found.wins(1), found.fair_share) == (1.0, 2.0, (1 / 3, 2 / 3))
    assert (found.mean_score(0).value, found.mean_score(1).value, found.score_margin.value) == (4, 4, 0)
    assert found.deals_ahead == (0, 0)


@pytest.mark.parametrize("points", [100, 2**31])
@given(st.lists(st.integers(0, 6), min_size=2, max_size=60), st.data())
def test_result_does_not_depend_on_how_the_deals_were_cut(points: int, winners: list[int], data: st.DataObject) -> None:
    ways = seatings(HighCard(), 3)
    shares = np.array(
        [[(1 / 3, 1 / 3, 1 / 3), (0.5, 0.5, 0), (0, 0.5, 0.5), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 0)][one] for one in winners]
    )
    scores = (points * shares).astype(np.int64) - np.arange(3)

    def part(first: int, end: int) -> ContestResult:
        batches = [Batch(np.roll(scores, way[0], 1)[first:end], np.roll(shares, way[0], 1)[first:end], {}, {}) for way in ways]
        return ContestResult.from_batches(HighCard(), ["a", "b", "c"], ways, batches, first)

    cuts = sorted(data.draw(st.sets(st.integers(1, len(winners) - 1))))
    joined = ContestResult.join([part(*ends) for ends in itertools.pairwise([0, *cuts, len(winners)])])
    assert json.dumps(joined.as_json()) == json.dumps(part(0, len(winners)).as_json())


def test_draws_are_nobodys_and_no_lead() -> None:
    drawn, won = batch([[0.0, 0.0]], [[0, 0]]), batch([[1.0, 0.0]], [[9, 2]])
    found = ContestResult.from_batches(HighCard(), ["a", "b"], [(0, 1), (1, 0)], [won, drawn])
    assert (found.drawn, found.wins(0), found.deals_ahead, found.score_margin.value) == (1, 1, (1, 0), 3.5)


@pytest.mark.parametrize(("points", "value"), [([-132, 109, 23], 0.0), ([400, -399], 0.25), ([3, -2, 1, 0], 0.25)])
def test_scores_have_an_interval_of_points(points: list[int], value: float) -> None:
    here = batch([[1.0, 0.0]] * len(points), [[each, 0] for each in points])
    there = batch([[1.0, 0.0]] * len(points), [[0, 0]] * len(points))
    row = json.loads(
        json.dumps(ContestResult.from_batches(HighCard(), ["a", "b"], [(0, 1), (1, 0)], [here, there]).as_json(), allow_nan=False)
    )["players"][0]
    low, high = row["score_ci95"]
    assert row["score"] == pytest.approx(value)
    assert (low + high) / 2 == pytest.approx(value)
    assert low < 0 < 0.6 < high


def test_a_single_deal_has_no_interval_of_points() -> None:
    found = play_contest(HighCard(), [RandomPlayer()] * 2, 2)
    assert found.as_json()["score_lead_ci95"] is None
    assert "no interval" in str(found.mean_score())


@pytest.mark.parametrize(("players", "seats"), [(1, 2), (2, 2), (3, 3), (4, 4)])
def test_every_player_sits_everywhere_equally_often(players: int, seats: int) -> None:
    ways = seatings(rummikub.Rummikub(), players)
    assert {len(way) for way in ways} == {seats}
    for player in range(players):
        assert len({sum(way[seat] == player for way in ways) for seat in range(seats)}) == 1


def test_too_many_players_are_named() -> None:
    with pytest.raises(NotLegalHere, match="3 players for 2 seats"):
        play_contest(Gin(), ["simple"] * 3, 2)


class Raising:
    name = "raising"

    def choose(self, view: rummikub.View, chance: Chance) -> rummikub.Turn:
        raise KeyError("lost my glasses")


class Drawing(Raising):
    name = "drawing"

    def choose(self, view: rummikub.View, chance: Chance) -> rummikub.Turn:
        return rummikub.Draw()


class Looping(Raising):
    name = "looping"

    def choose(self, view: rummikub.View, chance: Chance) -> rummikub.Turn:
        while True:
            pass


def test_who_raises_loses_games_points_and_deals() -> None:
    game = rummikub.Rummikub(PRESETS["paper"])
    found = play_contest(game, [Raising(), PLAYERS["greedy"]], games=20, seed=1)
    assert (found.wins(), found.deals_ahead, found.forfeits(0), found.forfeits(1), found.forfeits(None)) == (0, (0, 10), 20, 0, 0)
    assert found.sign_test is not None
    assert found.sign_test < 0.01
    honest = play_contest(game, [PLAYERS["random"], PLAYERS["greedy"]], games=4, seed=1)
    assert found.score_margin.high < honest.score_margin.value
    line = Raising.choose.__code__.co_firstlineno + 1
    why = f"forfeits: raising gave no answer: KeyError: 'lost my glasses' (test_contest.py:{line})"
    assert found.as_json()["failures"] == [
        {"games": 10, "first_game": 0, "why": f"p1 {why}"},
        {"games": 10, "first_game": 1, "why": f"p2 {why}"},
    ]


def test_a_time_limit_for_players_of_this_process() -> None:
    limit = TimeLimit(per_move=0.5, per_game=0.5)
    found = play_contest(rummikub.Rummikub(), [Drawing(), Looping()], games=2, seed=1, time_limit=limit)
    assert (found.forfeits(0), found.forfeits(1), found.wins()) == (0, 2, 2)
    assert found.score_margin.value > 0


def test_games_without_an_end_are_no_forfeits() -> None:
    here = Batch(np.zeros((2, 2), np.int64), np.zeros((2, 2)), {}, {5: "no end after 9 actions", 6: "p2 forfeits: b gave no answer: 'p1 '"})
    found = ContestResult.from_batches(HighCard(), ["a", "b"], [(0, 1), (1, 0)], [here, batch([[1, 0]] * 2, [[1, 0]] * 2)], first=5)
    assert (found.forfeits(0), found.forfeits(1), found.forfeits(None)) == (0, 1, 1)
    assert [(one.games, one.first) for one in found.failures] == [(1, 10), (1, 12)]


def test_a_player_that_breaks_down_loses_and_the_arena_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "fool.py"
    path.write_text("class Fool:\n    name = 'fool'\n    def choose(self, view, chance):\n        return 1 / (view.number - 2)\n")
    found = play_contest(Gin(), [f"{path}:Fool", "simple"], 4, seed=1)
    assert (found.wins(), found.forfeits(0), found.forfeits(1)) == (0, 4, 0)
    assert "fool answered" in found.failures[0].why


SUBCLASSES = """
from meldlab.gin.players import EnsemblePlayer, SimplePlayer

class Mine(EnsemblePlayer):
    name = "mine"
    def drop(self, view, chance):
        return super().drop(view, chance)._replace(knock=False)

class Nameless(SimplePlayer):
    def drop(self, view, chance):
        return super().drop(view, chance)._replace(knock=False)

class Broken(SimplePlayer):
    name = "broken"
    def choose(self, view, chance):
        raise RuntimeError("asked")
"""


@pytest.fixture
def subclasses(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(SUBCLASSES)
    return path


def test_a_subclass_of_a_built_in_player_is_played_as_itself(subclasses: Path) -> None:
    never = play_contest(Gin(), [f"{subclasses}:Mine", "simple"], 6, seed=1)
    assert never.players == ("mine", "simple")
    # It never knocks, so all it can do is to undercut.
    assert never.total("gins") == 0 < play_contest(Gin(), ["ensemble", "simple"], 60, seed=1).total("gins")
    nameless = play_contest(Gin(), [f"{subclasses}:Nameless", "simple"], 6, seed=1)
    assert nameless.players == (f"{subclasses}:Nameless", "simple")
    assert nameless.total("gins") == 0 < play_contest(Gin(), ["simple", "gin-only"], 60, seed=1).total("gins")


def test_a_subclass_that_fails_forfeits(subclasses: Path) -> None:
    found = play_contest(Gin(), [f"{subclasses}:Broken", "simple"], 2, seed=1)
    assert found.players == ("broken", "simple")
    assert found.forfeits(0) == 2
    assert "RuntimeError: asked" in found.failures[0].why


def test_progress_reaches_the_end() -> None:
    seen: list[float] = []
    play_contest(Gin(), ["random", "simple"], 6, seed=1, progress=lambda done, total, text: seen.append(done))
    assert seen == [2, 4, 6]


def test_what_cannot_be_played_is_refused() -> None:
    with pytest.raises(NotLegalHere, match="number of games"):
        play_contest(Gin(), ["simple", "simple"], 0)
    with pytest.raises(NotPossible, match="999 threads asked for"):
        play_contest(Gin(), ["simple", "simple"], 2, threads=999)
    with pytest.raises(NotLegalHere, match="high card has no players by name"):
        play_contest(HighCard(), ["simple", "simple"], 2)


def test_a_match_that_nobody_wins_ends() -> None:
    class Timid(players.GinPlayer):
        name = "timid"

        def drop(self, view: View, chance: Chance) -> players.Drop:
            return super().drop(view, chance)._replace(knock=False)

    played = Table(Gin(), [Timid(), Timid()], max_actions=2_000).play(Deal(1))
    assert played.result == Result((0, 0), (), "no end after 2,000 actions")


def test_one_hand_can_be_drawn() -> None:
    found = play_contest(Gin(Rules.preset("openspiel")), ["random", "random"], 20, seed=1)
    rounds = [Table(Gin(Rules.preset("openspiel")), [RandomPlayer()] * 2).play(Deal(1, n)).result for n in range(10)]
    assert found.drawn == 2 * sum(result.winners == () for result in rounds) > 0
    assert found.wins() == sum(len(result.winners) for result in rounds)

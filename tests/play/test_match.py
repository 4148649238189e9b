"""Matches: totals by hand, the same match from records, and the batch equal to the table."""

import pickle
from typing import Any

import numpy as np
import pytest

from meldlab.arena.contest import play_contest
from meldlab.errors import NotLegalHere
from meldlab.games import load_game, parse_player
from meldlab.play import Chance, Deal, RandomPlayer, Record, Table, replay
from meldlab.play.match import MatchGame, with_seats_of_match
from meldlab.recycle.game import RecycleGame
from meldlab.recycle.match import RecycleMatch
from tests.play.leaks import assert_no_leaks
from tests.play.toy import HighCard

KUHN = RecycleGame.load("kuhn_poker")
CUT = """(game (setup (create players 3) (create deck (game iloc STOCK) (deck (RANK (A, B, C, D, E)))))
 (do ((set (game points VALUE) (((RANK : A) 1) ((RANK : B) 2) ((RANK : C) 3) ((RANK : D) 4) ((RANK : E) 5)))
      (shuffle (game iloc STOCK)) (all player 'P (move (top (game iloc STOCK)) (top ('P iloc HAND))))))
 (stage player (end (all player 'P (== (size ('P iloc HAND)) 0)))
  (choice ((any ((current player) iloc HAND) 'C (move 'C (top ((current player) vloc TABLE)))) (turn pass))))
 (scoring SIGN (sum ((current player) vloc TABLE) using (game points VALUE))))"""


def cut(scoring: str) -> RecycleGame:
    return RecycleGame("cut", CUT.replace("SIGN", scoring))


def test_match_totals_are_sums_of_deals_with_rotated_seats() -> None:
    match = MatchGame(HighCard(), deals=4)
    played = Table(match, [RandomPlayer()] * 3).play(Deal(7, 5))
    totals, actions = [0, 0, 0], iter(played.actions)
    for number in range(4):
        state = HighCard().start(3, Deal(7, (number << 32) + 5))
        while state.result is None:
            state = state.apply(next(actions))
        for seat in range(3):
            totals[(seat + number) % 3] += state.result.scores[seat]
    assert played.result.scores == tuple(totals)
    assert next(actions, None) is None


@pytest.mark.parametrize("scoring", ["max", "min"])
def test_match_ends_when_a_total_reaches_the_target(scoring: str) -> None:
    match = RecycleMatch(cut(scoring), target=9)
    played = Table(match, [RandomPlayer()] * 3).play(Deal(1))
    deals = [state.result.scores for state, _ in played.last.ended]
    totals = np.cumsum([np.roll(scores, number) for number, scores in enumerate(deals)], axis=0)
    assert totals[-1].max() >= 9 > totals[-2].max()
    assert played.result.scores == tuple(totals[-1])
    best = (min if scoring == "min" else max)(played.result.scores)
    assert all((played.result.scores[seat] == best) == (seat in played.result.winners) for seat in range(3))


def test_match_to_a_target_that_is_never_reached_stops() -> None:
    never = CUT.replace("(sum ((current player) vloc TABLE) using (game points VALUE))", "0").replace("SIGN", "max")
    played = Table(RecycleMatch(RecycleGame("never", never), target=1), [RandomPlayer()] * 3).play(Deal(1))
    assert len(played.last.ended) == 1000
    assert "stopped: 1 is not reached" in played.result.reason


@pytest.mark.parametrize("players", [("random",) * 3, ("mcts:2", "random", "pimc:2")])
@pytest.mark.parametrize("settings", [{"target": 12}, {"deals": 5}])
def test_match_batch_equals_the_table(players: tuple[str, ...], settings: dict[str, int]) -> None:
    match = RecycleMatch(cut("max"), **settings)
    seated = [parse_player(match, name) for name in players]
    assert match.can_batch(seated)
    batch = match.batch(seated, seed=3, first=2, games=8)
    for row in range(8):
        played = Table(match, seated).play(Deal(3, 2 + row))
        assert tuple(batch.scores[row]) == played.result.scores
        assert set(np.flatnonzero(batch.wins[row])) == set(played.result.winners)
        counted = match.counted(played)
        assert counted == {name: int(batch.counts[name][row]) for name in counted}


def test_match_record_is_read_and_replayed() -> None:
    played = Table(RecycleMatch(KUHN, deals=3), [RandomPlayer()] * 2).play(Deal(4))
    record = Record.parse(str(played.record))
    assert record == played.record
    steps = list(replay(load_game(record), record))
    assert steps[-1].after == played.last
    assert pickle.loads(pickle.dumps(steps[0].before)) == steps[0].before


def test_match_forfeit_has_the_worst_total() -> None:
    class Broken:
        name = "broken"

        def choose(self, view: object, chance: Chance) -> object:
            raise ValueError("broken")

    played = Table(MatchGame[Any](HighCard(), deals=3), [RandomPlayer(), Broken(), RandomPlayer()]).play(Deal(1))
    assert played.result.scores[1] < min(played.result.scores[0], played.result.scores[2])
    assert played.result.winners == (0, 2)


def test_match_views_do_not_leak() -> None:
    assert_no_leaks(RecycleMatch(cut("max"), deals=3), [RandomPlayer()] * 3, deals=2)


def test_recycle_match_numbers_the_deals() -> None:
    text = CUT.replace("SIGN", "max").replace("(game (setup", "(game (declare 3 'DEAL) (setup")
    text = text.replace("(sum ((current player) vloc TABLE) using (game points VALUE))", "(+ 'DEAL 10)")
    match = RecycleMatch(RecycleGame("numbered", text), deals=4)
    played = Table(match, [RandomPlayer()] * 3).play(Deal(1))
    assert [state.result.scores[0] for state, _ in played.last.ended] == [11, 12, 13, 11]
    assert match.game_of_deal(2) is match.game


@pytest.mark.parametrize("settings", [{}, {"target": 5, "deals": 5}, {"target": 0}, {"deals": 1001}])
def test_match_rejects_wrong_settings(settings: dict[str, int]) -> None:
    with pytest.raises(NotLegalHere):
        MatchGame[Any](KUHN, **settings)


def test_match_texts_name_the_seats_of_the_match() -> None:
    assert with_seats_of_match("p1 p4 p5 TOP1 p12", 3, 4) == "p4 p3 p5 TOP1 p12"


def test_match_in_the_arena_uses_both_paths() -> None:
    match = RecycleMatch(KUHN, deals=4)
    fast = play_contest(match, ["mcts:5", "random"], 8, seed=1)
    slow = play_contest(match, ["mcts:5", "random"], 8, seed=1, raise_errors=True)
    assert fast.total("deals") == slow.total("deals") == 32
    assert fast.moments.sums[:5].tolist() == slow.moments.sums[:5].tolist()
    assert fast.count("finished").value == 1

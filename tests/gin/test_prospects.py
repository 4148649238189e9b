"""What moves lead to: rounds played out by the light player as at the table, and scores worth what an exact recursion says."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from meldlab.chance import Purpose
from meldlab.chance.kernel import address
from meldlab.errors import NotLegalHere
from meldlab.gin import Gin, Move, Phase, Round, Rules, Verb
from meldlab.gin.advice import advise, imagined_view
from meldlab.gin.batch import playing_out
from meldlab.gin.equity import Equity, equity_of, match_equity
from meldlab.gin.players import parse
from meldlab.gin.players.kernel_rollout import rollouts
from meldlab.gin.players.sight import rules_of, situation_of
from meldlab.gin.prospects import KINDS, prospects
from meldlab.play import Chance, Deal, Table
from tests.gin.test_rollout import DEALS, KEY, dealt

LIGHT = parse("computed:light")


def slow_playout(round: Round, first: Move, theirs: tuple[int, ...], stock: list[int], root: int, scores: tuple[int, int]) -> int:
    """The points that seat 0 wins at the table when it begins like this and both go on as the light player; everybody remembers all."""
    hands, masks = (round.hands[0], theirs), (round.masks[0], sum(1 << card for card in theirs))
    deck = (*[0] * (52 - len(stock)), *stock)
    round, step = round._replace(deck=deck, hands=hands, masks=masks).apply(first), 1
    while round.outcome is None:
        round, step = round.apply(LIGHT.choose(round.view(round.seat, scores), Chance(root, step, round.seat))), step + 1
    winner = round.outcome.winner
    return 0 if winner is None else round.outcome.points if winner == 0 else -round.outcome.points


def test_the_kernel_plays_out_what_light_players_play_at_the_table() -> None:
    both, tried = playing_out(LIGHT, LIGHT), set()
    for number in range(8):
        for step in list(Table(Gin(), [LIGHT, LIGHT], most_actions=50).steps(Deal(8, number)))[number % 4 :: 4]:
            view = step.before.view(0)
            if step.seat != 0 or view.phase not in (Phase.OFFER, Phase.DRAW, Phase.DROP):
                continue
            moves = [view.legal_actions()[-1], LIGHT.choose(view, Chance(0, 0, 0))]
            points = np.zeros((2, DEALS), np.int32)
            candidates = np.array([(KINDS[move.verb], max(move.index, 0)) for move in moves], np.int64)
            rollouts(candidates, np.uint64(KEY), situation_of(view), both, rules_of(view), points)
            for deal, (theirs, stock) in enumerate(dealt(view)):
                root = int(address(KEY, deal, 0, 0, int(Purpose.PLAYOUT)))
                slow = [slow_playout(step.before.round, move, theirs, stock, root, view.scores) for move in moves]
                assert points[:, deal].tolist() == slow, (view, moves)
            tried |= {move.verb for move in moves}
    assert tried == {Verb.PASS, Verb.TAKE, Verb.DRAW, Verb.DROP, Verb.KNOCK}


@pytest.mark.parametrize("results", [(3, -2, 5, 0), (1, -1), (-7, 2, 2)])
def test_a_score_is_worth_what_an_exact_recursion_says(results: tuple[int, ...]) -> None:
    scoring = [points for points in results if points]

    @cache
    def chance(own: int, other: int) -> Fraction:
        if own >= 10 or other >= 10:
            return Fraction(own >= 10)
        after = [chance(own + max(points, 0), other + max(-points, 0)) for points in scoring]
        return sum(after, Fraction(0)) / len(scoring)

    found = match_equity(np.array(results), wanted=10)
    for own in range(10):
        for other in range(10):
            assert found[own, other] == pytest.approx(float(chance(own, other)))


def test_the_chances_of_equal_players_mirror_each_other() -> None:
    equity = equity_of(Rules())
    zero = np.zeros(1, np.int64)
    assert equity.after(zero, 0, 0)[0] == pytest.approx(0.5)
    assert equity.after(zero, 60, 20)[0] == pytest.approx(1 - equity.after(zero, 20, 60)[0])
    assert equity.after(np.array([100, -100]), 30, 30).tolist() == [1, 0]
    long = Equity(np.array([20, -20, 30, -30]), 10_000)
    assert 0.5 < long.after(np.array([5000]), 0, 0)[0] < 1
    assert Equity(np.zeros(1, np.int64), 0).after(np.array([4, 0, -4]), 0, 0).tolist() == [1, 0, 0]


def test_every_move_is_there_once_and_gin_is_best() -> None:
    view = imagined_view(hand="2C 2D 2H 2S 4D 4H 4S 8D 8H 8S AC")
    found = prospects(view)
    assert {(one.move.verb, one.move.index) for one in found} == {(move.verb, move.index) for move in view.legal_actions()}
    assert len({str(one.move) for one in found}) == len(found)
    assert [one.win for one in found] == sorted((one.win for one in found), reverse=True)
    assert str(found[0].move).startswith("knock AC | ")
    # Gin wins its bonus and the whole hand of the other.
    assert found[0].points > 25
    assert found[0].win > 0.5


def test_big_gin_is_played_out() -> None:
    found = prospects(imagined_view(hand="2C 2D 2H 2S 4D 4H 4S 8D 8H 8S 8C", rules=Rules.preset("oklahoma")))
    assert found[0].move.verb is Verb.BIG_GIN
    assert found[0].points > Rules.preset("oklahoma").big_gin_bonus


def test_the_score_decides_what_points_are_worth() -> None:
    hand = "2C 3C 4C 9D 9H 9S KC KD KH 4H 5S"
    even, behind = (advise(imagined_view(hand, scores=scores)).prospects for scores in ((0, 0), (0, 95)))
    assert even[0].win > behind[0].win
    assert advise(imagined_view(hand)).prospects == even
    with pytest.raises(NotLegalHere, match="with 100 points the match is over, it goes to 100"):
        imagined_view(hand, scores=(0, 100))


def test_nothing_is_told_where_there_is_no_choice() -> None:
    for step in Table(Gin(), [LIGHT, LIGHT], most_actions=60).steps(Deal(1)):
        view = step.before.view(step.seat)
        if view.phase in (Phase.FORCED, Phase.SHOW):
            assert prospects(view) == []
        assert prospects(step.before.view(1 - step.seat)) == []

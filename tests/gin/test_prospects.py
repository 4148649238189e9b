"""What moves lead to: every move once, the best first, by the score; the reviewer's own tests show that its values are right."""

import pytest

from meldlab.errors import NotLegalHere
from meldlab.gin import Gin, Phase, Rules, Verb
from meldlab.gin.advice import advise, imagined_view
from meldlab.gin.players import parse
from meldlab.gin.prospects import prospects
from meldlab.play import Deal, Table

LIGHT = parse("computed:light")


def test_every_move_is_there_once_and_gin_is_best() -> None:
    view = imagined_view(hand="2C 2D 2H 2S 4D 4H 4S 8D 8H 8S AC")
    found = prospects(view)
    assert {(one.move.verb, one.move.index) for one in found} == {(move.verb, move.index) for move in view.legal_actions()}
    assert [one.chance for one in found] == sorted((one.chance for one in found), reverse=True)
    assert str(found[0].move).startswith("knock AC | ")
    # Gin wins its bonus and the whole hand of the other.
    assert found[0].points > 25
    assert found[0].chance > 0.5


def test_big_gin_is_played_out() -> None:
    found = prospects(imagined_view(hand="2C 2D 2H 2S 4D 4H 4S 8D 8H 8S 8C", rules=Rules.preset("oklahoma")))
    assert found[0].move.verb is Verb.BIG_GIN
    assert found[0].points > Rules.preset("oklahoma").big_gin_bonus


def test_the_score_decides_what_points_are_worth() -> None:
    hand = "2C 3C 4C 9D 9H 9S KC KD KH 4H 5S"
    even, behind = (advise(imagined_view(hand, scores=scores)).prospects for scores in ((0, 0), (0, 95)))
    assert even[0].chance > behind[0].chance
    assert advise(imagined_view(hand)).prospects == even
    with pytest.raises(NotLegalHere, match="with 100 points the match is over, it goes to 100"):
        imagined_view(hand, scores=(0, 100))


def test_nothing_is_told_where_there_is_no_choice() -> None:
    for step in Table(Gin(), [LIGHT, LIGHT], most_actions=60).steps(Deal(1)):
        view = step.before.view(step.seat)
        if view.phase is Phase.FORCED:
            assert prospects(view) == ()
        assert prospects(step.before.view(1 - step.seat)) == ()

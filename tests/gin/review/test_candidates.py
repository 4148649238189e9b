"""Candidates of a position: every move once, the best first, by the score; test_reviewer shows that their values are right."""

from typing import Any

import pytest

from meldlab.errors import NotLegalHere
from meldlab.gin import Gin, Phase, Rules, Verb
from meldlab.gin.advice import advise, position_view
from meldlab.gin.players import parse
from meldlab.gin.review import Reviewer
from meldlab.play import Deal, Table

LIGHT, REVIEWER = parse("network:light"), Reviewer.from_name()


def test_candidates_have_every_move_once_and_gin_first() -> None:
    view = position_view(hand="2C 2D 2H 2S 4D 4H 4S 8D 8H 8S AC")
    found = REVIEWER.candidates(view)
    assert {(one.move.verb, one.move.index) for one in found} == {(move.verb, move.index) for move in view.legal_actions()}
    assert [one.win_probability for one in found] == sorted((one.win_probability for one in found), reverse=True)
    assert str(found[0].move).startswith("knock AC | ")
    # Gin wins its bonus and the whole hand of the other.
    assert found[0].points > 25
    assert found[0].win_probability > 0.5


def test_candidates_include_big_gin() -> None:
    found = REVIEWER.candidates(position_view(hand="2C 2D 2H 2S 4D 4H 4S 8D 8H 8S 8C", rules=Rules.preset("oklahoma"), limit=10))
    assert found[0].move.verb is Verb.BIG_GIN
    assert found[0].points > Rules.preset("oklahoma").big_gin_bonus


OKLAHOMA = Rules.preset("oklahoma")
ELEVEN = "2C 3C 4C 9D 9H 9S KC KD KH KS 5H"


@pytest.mark.parametrize(
    ("known", "limit"),
    [
        ({"discards": "7D"}, 7),
        ({"discards": "AD 7D"}, 0),
        ({"upcard": "QD"}, 10),
        ({"limit": 4}, 4),
        ({"discards": "7D", "limit": 3}, 3),
    ],
)
def test_imagined_view_takes_an_oklahoma_limit_from_the_pile_or_the_caller(known: dict[str, Any], limit: int) -> None:
    assert position_view(ELEVEN, rules=OKLAHOMA, **known).limit == limit


@pytest.mark.parametrize(
    ("known", "why"),
    [
        ({"rules": OKLAHOMA}, "expected the discard pile or the knock limit: under Oklahoma rules the first upcard sets the limit"),
        ({"rules": OKLAHOMA, "limit": 11}, "knock limit must be a whole number from 0 to 10, not 11"),
        ({"limit": 4}, "expected no knock limit: these rules set it to 10"),
    ],
)
def test_imagined_view_rejects_an_unknown_or_impossible_limit(known: dict[str, Any], why: str) -> None:
    with pytest.raises(NotLegalHere, match=why):
        position_view(ELEVEN, **known)


def test_advise_depends_on_the_score() -> None:
    hand = "2C 3C 4C 9D 9H 9S KC KD KH 4H 5S"
    even, behind = (advise(position_view(hand, scores=scores)).candidates for scores in ((0, 0), (0, 95)))
    assert even[0].win_probability > behind[0].win_probability
    assert advise(position_view(hand)).candidates == even
    with pytest.raises(NotLegalHere, match="with 100 points the match is over, it goes to 100"):
        position_view(hand, scores=(0, 100))


def test_candidates_are_empty_where_there_is_no_choice() -> None:
    for step in Table(Gin(), [LIGHT, LIGHT], max_actions=60).steps(Deal(1)):
        view = step.before.view(step.seat)
        if view.phase is Phase.FORCED:
            assert REVIEWER.candidates(view) == ()
        assert REVIEWER.candidates(step.before.view(1 - step.seat)) == ()

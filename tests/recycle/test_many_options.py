"""A choice of thousands of options at the table: nothing is told that nobody asks for, and nothing twice."""

import pytest

from meldlab.play import Deal, RandomPlayer, Table
from meldlab.recycle import RecycleGame
from meldlab.recycle.machine.position import LogEvent, Position
from meldlab.recycle.players import parse
from meldlab.recycle.state import State

MANY = 6_000
GAME = RecycleGame(
    "many",
    f"""(game
 (setup (create players 2) (create deck (game hloc STOCK) (deck (N (A, B, C)))))
 (stage player (end (== (game sto TURNS) 6))
  (choice ((any (range 1 .. {MANY}) 'N (do ((set (game sto X) 'N) (inc (game sto TURNS)))))
           (any (range 1 .. 3) 'N (move (top (game hloc STOCK)) (top ((current player) iloc HAND)))))))
 (scoring max (game sto X)))""",
)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The options whose events are computed for a text, one by one."""
    indexes: list[int] = []
    preview = Position.preview

    def recorded(self: Position, index: int) -> tuple[Position, list[LogEvent]]:
        indexes.append(index)
        return preview(self, index)

    monkeypatch.setattr(Position, "preview", recorded)
    return indexes


def start() -> State:
    return GAME.start(2, Deal(seed=1))


def test_who_plays_by_number_has_nothing_told(told: list[int]) -> None:
    played = Table(GAME, [RandomPlayer(), parse("random")], max_actions=20).play(Deal(seed=1))
    assert len(played.actions) >= 3
    view = played.first.view(0)
    assert len(view.legal_actions()) == MANY + 3
    assert view.parse(str(MANY)).index == MANY - 1
    view.verify(view.legal_actions()[-1])
    assert not told


def test_each_option_is_told_once_however_often_it_is_asked_for(told: list[int]) -> None:
    view = start().view(0)
    options = view.legal_actions()
    for option in (*options[700:690:-1], *options[:50]):
        assert view.parse(str(option)) == option
    assert told == list(range(701))
    texts = [str(option) for option in options]
    assert told == list(range(MANY + 3))
    assert len(set(texts)) == MANY + 3
    assert [view.parse(text).index for text in texts] == [option.index for option in options]
    assert len(told) == MANY + 3


def test_options_that_read_alike_are_numbered_and_go_through_a_record() -> None:
    state = start()
    view = state.view(0)
    last = [str(option) for option in view.legal_actions()[-3:]]
    assert last == ["move ?? from STOCK to HAND of p1", "move ?? from STOCK to HAND of p1 (2)", "move ?? from STOCK to HAND of p1 (3)"]
    line = state.describe(view.legal_actions()[-1])
    assert line.startswith("move ?? from STOCK to HAND of p1 (3) -> move ")
    assert view.parse(line) == view.legal_actions()[-1]

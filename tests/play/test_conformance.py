"""Every game: nonsense is refused and changes nothing, actions read back, an ended game lists nothing, a forfeit is the worst loss."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import pytest

from meldlab.cards import Card, Hand
from meldlab.errors import NotLegalHere
from meldlab.gin import PRESETS as GIN
from meldlab.gin import Gin, Move, Verb
from meldlab.gin.move import DRAW, DROPS, PASS, TAKES
from meldlab.melds import Meld
from meldlab.play import Deal, Game, Played, RandomPlayer, Table
from meldlab.recycle import library
from meldlab.recycle.game import Described, Option
from meldlab.rummikub import PRESETS as RUMMIKUB
from meldlab.rummikub import Tile, TileSet
from meldlab.rummikub.game import Draw, Fail, Pass, Play, Rummikub
from tests.play.toy import HighCard, Swap

GAMES: dict[str, Callable[[], Game[Any]]] = {
    **{f"gin {name}": lambda rules=rules: Gin(rules) for name, rules in GIN.items()},  # type: ignore[misc]
    **{f"rummikub {name}": lambda rules=rules: Rummikub(rules) for name, rules in RUMMIKUB.items()},  # type: ignore[misc]
    "rummikub manipulate": lambda: Rummikub(replace(RUMMIKUB["official"], after_opening="manipulate")),
    **{f"recycle {name}": lambda name=name: Described.named(name) for name in library.names()},  # type: ignore[misc]
    "toy": HighCard,
}


@cache
def played(name: str) -> Played[Any]:
    game = GAMES[name]()
    return Table(game, [RandomPlayer()] * game.seats[0]).play(Deal(seed=5))


def some_states(name: str, most: int = 12) -> Iterator[Any]:
    """Give up to ``most`` states, spread over a game between random players, and the last one."""
    game = played(name)
    state, every = game.first, max(1, len(game.actions) // most)
    for step, action in enumerate(game.actions):
        if step % every == 0:
            yield state
        state = state.apply(action)
    yield state


class Agreeing:
    """Equal to everything, and will not say what it is."""

    number, path, words, verb, index, table = 1, (), "", Verb.DRAW, 0, ()

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0

    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


class Disagreeing(Agreeing):
    """Breaks down when it is compared."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison")

    __hash__ = Agreeing.__hash__


def forged(kind: type[Any], **fields: object) -> Any:
    """Return a value that its constructor has never seen."""
    made = object.__new__(kind)
    for name, value in fields.items():
        object.__setattr__(made, name, value)
    return made


RUN = TileSet.parse("R1 R2 R3")
KINGS = Meld(Hand.parse("KC KD KH"))
ODD = (None, "x", -1, 99, 10**30, 1.5, float("nan"), np.int64(99), ("x",), Agreeing(), Disagreeing())
NONSENSE: list[Any] = [
    *ODD,
    *(Exception, object(), [], {}, b"draw", "draw", "pass", "draw stock", "fail", "1", True, 0, 1),
    *(np.zeros(3), np.zeros(0), np.array(None), np.float64(1.0), Card.parse("KD"), Hand.parse("KD"), Verb.DRAW, Verb.PASS),
    *(Move, Draw, Option, lambda: None, NotImplemented, Ellipsis, RandomPlayer(), Deal(), range(3)),
    # Actions of their game whose fields are nonsense, and those that nobody holds the cards for.
    *(forged(kind) for kind in (Move, Play, Option, TileSet, Tile, Swap)),
    *(forged(Move, verb=verb, index=index, melds=(), laid=Hand()) for verb in (Verb.DROP, Verb.KNOCK, Verb.TAKE) for index in ODD),
    *(forged(Move, verb=verb, index=-1, melds=(), laid=Hand()) for verb in ODD),
    *(forged(Move, verb=verb, index=-1, melds=melds, laid=Hand()) for verb in (Verb.SHOW, Verb.BIG_GIN) for melds in ODD),
    *(forged(Move, verb=Verb.SHOW, index=-1, melds=(forged(Meld, hand=odd),), laid=Hand()) for odd in ODD),
    *(forged(Move, verb=Verb.SHOW, index=-1, melds=(forged(Meld, hand=forged(Hand, mask=odd)),), laid=Hand()) for odd in ODD),
    *(forged(Move, verb=Verb.SHOW, index=-1, melds=(), laid=odd) for odd in ODD),
    *(forged(Move, verb=Verb.SHOW, index=-1, melds=(), laid=forged(Hand, mask=odd)) for odd in ODD),
    *(Move(Verb.KNOCK, 0, (KINGS, KINGS)), Move(Verb.BIG_GIN), Move(Verb.SHOW, melds=(KINGS, KINGS))),
    *(forged(Play, table=odd) for odd in ODD),
    *(forged(Play, table=(forged(TileSet, tiles=odd),)) for odd in ODD),
    *(forged(Play, table=(forged(TileSet, tiles=(Tile(0, 1), odd, Tile(0, 3))),)) for odd in ODD),
    *(forged(Play, table=(forged(TileSet, tiles=(Tile(0, 1), forged(Tile, colour=odd, number=2, joker=False))),)) for odd in ODD),
    *(forged(Play, table=(forged(TileSet, tiles=(Tile(0, 1), forged(Tile, colour=0, number=odd, joker=False))),)) for odd in ODD),
    *(forged(Play, table=(forged(TileSet, tiles=(Tile(0, 1), forged(Tile, colour=0, number=2, joker=odd))),)) for odd in ODD),
    *(Play(()), Play((RUN,) * 4), Play((RUN,) * 100_000), Play((TileSet((Tile(0, 1, joker=True),) * 40),) * 3), Play([RUN])),  # type: ignore[arg-type]
    *(Option(0, (), ""), Option(1, (), "draw"), Option(-1, (0,), "x"), Option(99, (0,), "x"), Option("1", (0,), "x")),  # type: ignore[arg-type]
    *(forged(Option, number=1, path=odd, words=odd) for odd in ODD),
    *(forged(Swap, card=odd) for odd in ODD[1:]),
]
OF_GAME = {"gin": (DRAW, PASS, *TAKES, *DROPS), "rummikub": (Draw(), Fail(), Pass()), "toy": (Swap(None),)}


@pytest.mark.parametrize("name", GAMES)
def test_nonsense_is_refused_and_changes_nothing(name: str) -> None:
    for state in some_states(name, 6):
        before, seat = str(state.view(0)), state.seat
        for action in NONSENSE:
            with pytest.raises(NotLegalHere):
                state.verify(action)
            with pytest.raises(NotLegalHere):
                state.apply(action)
        for other, actions in OF_GAME.items():
            for action in () if name.startswith(other) else actions:
                with pytest.raises(NotLegalHere):
                    state.apply(action)
        assert (str(state.view(0)), state.seat) == (before, seat)


@pytest.mark.parametrize("name", GAMES)
def test_actions_read_back_and_are_legal(name: str) -> None:
    for state in some_states(name):
        listed = list(islice(state.legal_actions(), 40))
        assert bool(listed) == (state.seat is not None)
        for action in listed:
            assert state.parse(str(action)) == action
            state.verify(action)


@pytest.mark.parametrize("name", GAMES)
def test_only_the_acting_seat_lists_anything(name: str) -> None:
    seats = len(played(name).players)
    for state in some_states(name):
        listing = [seat for seat in range(seats) if any(True for _ in state.view(seat).legal_actions())]
        assert listing == ([] if state.seat is None else [state.seat])


@pytest.mark.parametrize("name", GAMES)
def test_an_ended_game_refuses_everything(name: str) -> None:
    last = played(name).last
    assert last.result is not None
    for action in {str(action): action for state in some_states(name) for action in islice(state.legal_actions(), 5)}.values():
        with pytest.raises(NotLegalHere):
            last.verify(action)
        with pytest.raises(NotLegalHere):
            last.apply(action)


@pytest.mark.parametrize("name", GAMES)
def test_no_loss_is_worse_than_a_forfeit(name: str) -> None:
    result, seats = played(name).last.result, range(len(played(name).players))
    for state in some_states(name):
        for seat in () if state.seat is None else seats:
            forfeited = state.forfeit(seat, "why")
            assert forfeited.reason == "why"
            assert seat not in forfeited.winners
            if name.startswith("recycle"):
                # Nothing is known of the scores that may still come; the player is last for certain.
                worst = max if state.position.machine.best == "min" else min
                assert forfeited.scores[seat] == worst(forfeited.scores)
                assert all(forfeited.scores[winner] != forfeited.scores[seat] for winner in forfeited.winners)
                continue
            assert forfeited.winners == tuple(other for other in seats if other != seat)
            assert forfeited.scores[seat] <= result.scores[seat]
            if name.startswith("rummikub"):
                assert sum(forfeited.scores) == 0
            if result.winners and seat not in result.winners and len(seats) == 2:
                assert forfeited.scores[1 - seat] >= result.scores[1 - seat]

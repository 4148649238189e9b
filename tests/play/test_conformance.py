"""One contract, kept by every game and every player: what a view reads and judges, what a record makes again, and what nobody can see."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import pytest

from meldlab.cards import Card, Hand
from meldlab.errors import NotLegalHere
from meldlab.games import load_game
from meldlab.gin import PRESETS as GIN
from meldlab.gin import Gin, Move, Verb
from meldlab.gin import players as gin_players
from meldlab.gin.move import DRAW, DROPS, PASS, TAKES
from meldlab.melds import Meld
from meldlab.play import Deal, FinishedGame, Game, Player, RandomPlayer, Record, Table, replay
from meldlab.recycle import library
from meldlab.recycle import players as recycle_players
from meldlab.recycle.game import RecycleGame
from meldlab.recycle.state import Option
from meldlab.rummikub import PRESETS as RUMMIKUB
from meldlab.rummikub import Tile, TileSet
from meldlab.rummikub.game import Draw, Fail, Pass, Play, Rummikub
from meldlab.rummikub.players import PLAYERS as RUMMIKUB_PLAYERS
from meldlab.rummikub.players import find_player
from meldlab.rummikub.rules import JOKER_RULES
from tests.gin.test_computed_player import full_table
from tests.play.leaks import assert_no_leaks
from tests.play.toy import HighCard, Swap

OFFICIAL = RUMMIKUB["official"]
GAMES: dict[str, Callable[[], Game[Any]]] = {
    **{f"gin {name}": lambda rules=rules: Gin(replace(rules, match_points=min(rules.match_points, 50))) for name, rules in GIN.items()},  # type: ignore[misc]
    **{f"rummikub {name}": lambda name=name: Rummikub(replace(OFFICIAL, joker_rule=name)) for name in JOKER_RULES},  # type: ignore[misc]
    "rummikub paper": lambda: Rummikub(RUMMIKUB["paper"]),
    "rummikub manipulate": lambda: Rummikub(replace(OFFICIAL, after_opening="manipulate")),
    **{f"recycle {name}": lambda name=name: RecycleGame.load(name) for name in library.names()},  # type: ignore[misc]
    "toy": HighCard,
}
# Who sits at the tables of a game, by its first word; where there are two, they sit in turn.
GIN_PLAYERS = ("random", "simple", "gin-only", "ensemble", "ensemble:best", "computed:light", "computed:light-ensemble", "marjj", "mc:4")
RECYCLE_TABLES = ("random", "mcts:2 ismcts:2:taken", "pimc:2:taken:rank ismcts:2", "pimc:2 mcts:2:taken")
TABLES: dict[str, dict[str, list[Callable[[], Player[Any, Any]]]]] = {
    "gin": {
        **{name: [partial(gin_players.parse, name)] for name in GIN_PLAYERS},
        "computed:DIR": [lambda: gin_players.ComputedPlayer(full_table(6))],
    },
    "rummikub": {name: [partial(find_player, name)] for name in RUMMIKUB_PLAYERS},
    "recycle": {names: [partial(recycle_players.parse, name) for name in names.split()] for names in RECYCLE_TABLES},
    "toy": {"random": [RandomPlayer]},
}


@cache
def played(name: str) -> FinishedGame[Any]:
    game = GAMES[name]()
    return Table(game, [RandomPlayer()] * game.seats[0]).play(Deal(seed=5))


def some_states(name: str, most: int = 12) -> Iterator[Any]:
    """Give up to ``most`` states, spread over a game between random players, and the last one."""
    every = max(1, len(played(name).actions) // most)
    yield from (step.before for step in played(name).steps() if step.number % every == 0)
    yield played(name).last


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
    seats = range(len(played(name).players))
    for state in some_states(name, 6):
        before, views, acting = str(state.view(0)), [state.view(seat) for seat in seats], state.seat
        for action in NONSENSE:
            with pytest.raises(NotLegalHere):
                state.apply(action)
            for view in views:
                with pytest.raises(NotLegalHere):
                    view.verify(action)
        for other, actions in OF_GAME.items():
            for action in () if name.startswith(other) else actions:
                with pytest.raises(NotLegalHere):
                    state.apply(action)
        assert (str(state.view(0)), state.seat) == (before, acting)


@pytest.mark.parametrize("name", GAMES)
def test_actions_read_back_and_are_legal_for_the_acting_seat_alone(name: str) -> None:
    for state in some_states(name):
        views = [state.view(seat) for seat in range(len(played(name).players))]
        assert [view.seat for view in views] == list(range(len(views)))
        assert [view.seat for view in views if view.legal_actions()] == ([] if state.seat is None else [state.seat])
        for action in [] if state.seat is None else views[state.seat].legal_actions()[:40]:
            assert views[state.seat].parse(str(action)) == action
            assert views[state.seat].parse(state.describe(action)) == action
            for view in views:
                if view.seat == state.seat:
                    view.verify(action)
                else:
                    with pytest.raises(NotLegalHere):
                        view.verify(action)


@pytest.mark.parametrize("name", GAMES)
def test_an_ended_game_is_seen_and_refuses_everything(name: str) -> None:
    last, seats = played(name).last, range(len(played(name).players))
    assert last.result is not None
    seen = [step.action for step in played(name).steps()]
    for action in {str(action): action for action in seen[:: max(1, len(seen) // 40)]}.values():
        with pytest.raises(NotLegalHere):
            last.apply(action)
        for seat in seats:
            with pytest.raises(NotLegalHere):
                last.view(seat).verify(action)


@pytest.mark.parametrize("name", GAMES)
def test_a_record_makes_its_game_again(name: str) -> None:
    text = str(played(name).record)
    record = Record.parse(text)
    assert str(record) == text
    game: Game[Any] = HighCard() if name == "toy" else load_game(record)
    assert game.rules() == GAMES[name]().rules()
    for again, step in zip(replay(game, record), played(name).steps(), strict=True):
        assert (again.action, again.after, again.line) == (step.action, step.after, record.actions[step.number])
    assert again.result == played(name).result


@pytest.mark.parametrize("name", GIN)
def test_a_record_makes_its_preset_again(name: str) -> None:
    # The matches above are shorter than those of the presets.
    game = Gin(GIN[name])
    record = Record.parse(str(Table(game, [RandomPlayer()] * 2, max_actions=20).play(Deal(5)).record))
    assert load_game(record).rules() == game.rules()


@pytest.mark.parametrize(("name", "players"), [(name, players) for name in GAMES for players in TABLES[name.split()[0]]])
def test_no_player_can_tell_what_looks_alike(name: str, players: str) -> None:
    game, made = GAMES[name](), [make() for make in TABLES[name.split()[0]][players]]
    if isinstance(game, Gin):
        game = Gin(replace(game.rule, match_points=0))  # one round
    if isinstance(game, Rummikub):
        game = Rummikub(replace(game.house, dealt=7))
    seats = game.seats[0]
    for first in range(len(made) if seats == 1 else 1):
        assert_no_leaks(game, (made * seats)[first:][:seats], deals=1, looks=4 * len(made))


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
                worst = max if state.position.machine.scoring == "min" else min
                assert forfeited.scores[seat] == worst(forfeited.scores)
                assert all(forfeited.scores[winner] != forfeited.scores[seat] for winner in forfeited.winners)
                continue
            assert forfeited.winners == tuple(other for other in seats if other != seat)
            assert forfeited.scores[seat] <= result.scores[seat]
            if name.startswith("rummikub"):
                assert sum(forfeited.scores) == 0
            if result.winners and seat not in result.winners and len(seats) == 2:
                assert forfeited.scores[1 - seat] >= result.scores[1 - seat]

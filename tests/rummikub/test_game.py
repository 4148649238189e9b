"""The game: its rules by example, nothing leaks, every record plays again, every score sums to zero."""

from dataclasses import replace
from pathlib import Path

import pytest

from meldlab.errors import NoSuchThing, NotLegalHere
from meldlab.play import Deal, Record, Table, replay
from meldlab.rummikub import PRESETS, Rules, TileSet, parse_rack, parse_table
from meldlab.rummikub.game import Draw, Fail, Pass, Play, Rummikub, State
from meldlab.rummikub.players import PLAYERS, find_player

PAPER = Rummikub(PRESETS["paper"])


def at(table: str, *racks: str, pool: str = "K1", opened: bool = True, rules: Rules | None = None) -> State:
    seats = len(racks)
    return State(rules or Rules(), parse_table(table), tuple(map(parse_rack, racks)), parse_rack(pool), (opened,) * seats)


@pytest.mark.parametrize("names", [("greedy", "optimal"), ("optimal", "patient"), ("random", "greedy", "optimal"), ("greedy",) * 4])
def test_games_end_sum_to_zero_and_play_again(names: tuple[str, ...]) -> None:
    for number in range(2):
        played = Table(PAPER, [PLAYERS[name] for name in names]).play(Deal(5, number))
        assert not played.forfeit
        assert sum(played.result.scores) == 0
        assert played.result.winners
        again = Record.parse(str(played.record))
        assert list(replay(PAPER, again))[-1].after == played.last
        on_table = sum(len(one) for one in played.last.table)
        assert on_table + sum(map(len, played.last.racks)) + len(played.last.pool) == 106


def test_modern_games_are_legal() -> None:
    game = Rummikub(Rules(joker_rule="modern", dealt=10))
    played = Table(game, [PLAYERS["greedy"], PLAYERS["optimal"]]).play(Deal(1))
    assert not played.forfeit
    assert sum(played.result.scores) == 0


def test_a_deal_can_be_given() -> None:
    state = Rummikub(Rules(dealt=2)).start(2, Deal(given=("R1 R2 K1 K2 B5 J",)))
    assert state.racks == (parse_rack("R1 R2"), parse_rack("K1 K2"))
    assert [str(tile) for tile in state.pool] == ["B5", "J"]
    with pytest.raises(NotLegalHere, match="3 tiles R1"):
        Rummikub(Rules(dealt=2)).start(2, Deal(given=("R1 R1 R1 K2",)))


@pytest.mark.parametrize(
    ("state", "turn", "rule"),
    [
        (at("R1 R2 R3", "R4", "K5"), "play R1 R2 R3", "needs a tile from the rack"),
        (at("R1 R2 R3", "R4", "K5"), "play R2 R3 R4", "R1 has left the table"),
        (at("", "R1 R2 R3 R9", "K5", opened=False), "play R1 R2 R3", "needs 30 points, not 6"),
        (at("R10 R11 R12", "R13 K13 B13 O13", "K5", opened=False), "play R10 R11 R12 R13", "may not be touched before the opening"),
        (at("", "R1", "K5"), "pass", "there are tiles to draw"),
        (at("", "R1", "K5", pool=""), "draw", "the pool is empty"),
        (at("R5 J=R6 R7", "R1 K1 K2", "K5", rules=Rules(joker_rule="modern")), "play R5 J=R6 R7 R8", "R8 came from nowhere"),
        (at("R5 R6 R7 J=R8", "O1 O2", "K5", rules=Rules(joker_rule="strict")), "play R5 R6 R7 | O1 O2 J=O3", "against the rules"),
    ],
)
def test_rules_are_named(state: State, turn: str, rule: str) -> None:
    with pytest.raises(NotLegalHere, match=rule):
        state.apply(state.view(0).parse(turn))


def test_an_opening_counts_jokers_as_their_tiles() -> None:
    state = at("", "R13 K13 J R1", "K5", opened=False)
    after = state.apply(state.view(0).parse("play R13 K13 J=B13"))
    assert after.opened == (True, False)
    assert after.racks[0] == parse_rack("R1")


def test_an_opening_may_go_on_at_the_table() -> None:
    rules = Rules(after_opening="manipulate")
    state = at("K9 B9 O9", "R9 R10 R11 R12", "K5", opened=False, rules=rules)
    assert state.apply(state.view(0).parse("play R9 K9 B9 O9 | R10 R11 R12")).result is not None
    poor = at("K9 B9 O9", "R9 R1 R2 R3", "K5", opened=False, rules=rules)
    with pytest.raises(NotLegalHere, match="an opening needs 30 points from the rack alone"):
        poor.apply(poor.view(0).parse("play R9 K9 B9 O9"))


def test_a_failed_turn_draws_three() -> None:
    state = at("R1 R2 R3", "R4", "K5", pool="K1 K2 K3 K4")
    after = state.apply(Fail())
    assert after.racks[0] == parse_rack("R4 K1 K2 K3")
    assert after.table == state.table
    assert state.describe(Fail()) == "fail K1 K2 K3"
    assert state.view(0).parse("fail K1 K2 K3") == Fail()


def test_going_out_wins_what_the_others_hold() -> None:
    state = at("R1 R2 R3", "R4", "K5 J", "O13")
    result = state.apply(state.view(0).parse("play R1 R2 R3 R4")).result
    assert result is not None
    assert result.scores == (48, -35, -13)
    assert result.winners == (0,)


def test_an_empty_pool_ends_when_nobody_plays() -> None:
    state = at("R1 R2 R3", "O7", "K5", pool="")
    once = state.apply(Pass())
    assert once.result is None
    result = once.apply(Pass()).result
    assert result is not None
    assert result.scores == (-7, 7)
    assert result.winners == (1,)


def test_players_by_name() -> None:
    with pytest.raises(NoSuchThing, match="did you mean greedy"):
        find_player("gredy")


def test_greedy_never_rearranges_and_patient_keeps_its_joker() -> None:
    chance = Deal(1).chance(0, 0)
    state = at("R3 R4 R5 R6", "K3 B3 J", "K5 K6 K7 K8 K9")
    assert PLAYERS["greedy"].choose(state.view(0), chance) != Draw()
    rearrange = at("R3 R4 R5 R6", "K3 B3", "K5 K6 K7 K8 K9")
    assert PLAYERS["greedy"].choose(rearrange.view(0), chance) == Draw()
    assert PLAYERS["optimal"].choose(rearrange.view(0), chance) != Draw()
    holding = at("R3 R4 R5 R6", "R7 J K13", "K5 K6 K7 K8 K9")
    kept = PLAYERS["patient"].choose(holding.view(0), chance)
    assert isinstance(kept, Play)
    assert not any(tile.joker for one in kept.table for tile in one.tiles)
    assert replace(holding, turn=0).apply(kept).racks[0] == parse_rack("J K13")
    assert isinstance(kept.table[0], TileSet)


def test_a_failed_turn_must_cost_something() -> None:
    # With no penalty tile it would be a free pass, as often as one likes.
    with pytest.raises(NotLegalHere, match="0 penalty tiles"):
        Rules(penalty=0)


def test_rules_named_jokers_are_before_are_read(tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_text('preset = "official"\njokers_are = "strict"\n')
    strict = Rules(joker_rule="strict")
    assert Rules.named(str(path)) == Rules.read({"preset": "official", "jokers_are": "strict"}) == strict
    assert strict.as_record() == {"preset": "paper", "joker_rule": "strict"}

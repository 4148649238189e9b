"""A round of gin rummy: every rule, its error, and what an ending is worth."""

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meldlab.cards import CARDS, Deck, Hand
from meldlab.errors import BadText, MeldlabError, NoSuchThing, NotLegalHere
from meldlab.gin import PRESETS, Gin, Move, Outcome, Phase, Round, Rules, players
from meldlab.gin.move import DRAW, DROPS, PASS, TAKES
from meldlab.gin.rules import Rules as RulesClass
from meldlab.play import Deal, RandomPlayer, Table, replay

EAAI, PAGAT = Rules.preset("eaai"), Rules.preset("pagat")


def deck(first: str, second: str, upcard: str, stock: str = "") -> Deck:
    """A deck that gives the starter ``first``, the other ``second``, then the upcard, then the stock."""
    front = [*Deck.parse(first).cards, *Deck.parse(second).cards, *Deck.parse(upcard).cards, *Deck.parse(stock).cards]
    return Deck((*front, *(card for card in CARDS if card not in front)))


KNOCKER = "2C 3C 4C 9D 9H 9S KC KD KH 5S"
DEFENDER = "5C 6C 7D 8D QS JS TD 2H 3H 7S"


def play(rules: Rules, cards: Deck, *moves: str) -> Round:
    round = Round.deal(rules, cards, starter=0)
    for move in moves:
        round = round.apply(Move.parse(move))
    return round


def test_the_starter_gets_the_first_ten_cards_and_the_first_choice() -> None:
    round = Round.deal(EAAI, deck(KNOCKER, DEFENDER, "AS"), starter=1)
    assert round.view(1).hand == Hand.parse(KNOCKER)
    assert [str(move) for move in round.view(1).legal_actions()] == ["pass", "take AS"]
    assert round.view(0).legal_actions() == []
    both = round.apply(Move.parse("pass")).apply(Move.parse("pass"))
    assert (both.seat, both.phase) == (1, Phase.FORCED)
    assert [str(move) for move in both.view(1).legal_actions()] == ["draw stock"]


@pytest.mark.parametrize(
    ("rules", "show", "kind", "points", "deadwood"),
    [
        # The knocker has 5; the defender has 68 and lays 5C 6C on the clubs: 57 against 5.
        (EAAI, "show", "knock", 52, (5, 57)),
        (PAGAT, "show lay off 5C 6C", "knock", 52, (5, 57)),
        (PAGAT, "show lay off 5C", "knock", 58, (5, 63)),
        (PAGAT, "show", "knock", 63, (5, 68)),
    ],
)
def test_a_knock_is_worth_the_difference(rules: Rules, show: str, kind: str, points: int, deadwood: tuple[int, int]) -> None:
    cards = deck(KNOCKER, DEFENDER, "AS", "JD")
    round = play(rules, cards, "pass", "pass", "draw stock", "knock JD | 2C 3C 4C | 9D 9H 9S | KC KD KH", show)
    assert round.outcome is not None
    assert (round.outcome.kind, round.outcome.winner, round.outcome.points) == (kind, 0, points)
    assert round.outcome.deadwood == deadwood


def test_gin_allows_no_lay_off() -> None:
    cards = deck(KNOCKER, DEFENDER, "AS", "KS")
    knock = ("pass", "pass", "draw stock", "knock 5S | 2C 3C 4C | 9D 9H 9S | KC KD KH KS")
    round = play(EAAI, cards, *knock, "show")
    assert round.outcome is not None
    assert (round.outcome.kind, round.outcome.points) == ("gin", 68 + 25)
    with pytest.raises(NotLegalHere, match="nothing is laid off against gin"):
        play(PAGAT, cards, *knock, "show lay off 5C 6C")


@pytest.mark.parametrize(("rules", "kind", "winner", "points"), [(EAAI, "undercut", 1, 25), (PRESETS["openspiel"], "equal", None, 0)])
def test_equal_deadwood(rules: Rules, kind: str, winner: int | None, points: int) -> None:
    defender = "6D 7D 8D TD JD QD AC AD AH 5H"
    show = "show 6D 7D 8D | TD JD QD | AC AD AH"
    round = play(
        rules, deck(KNOCKER, defender, "AS", "JH"), "pass", "pass", "draw stock", "knock JH | 2C 3C 4C | 9D 9H 9S | KC KD KH", show
    )
    assert round.outcome is not None
    assert (round.outcome.kind, round.outcome.winner, round.outcome.points) == (kind, winner, points)


def test_big_gin_needs_no_discard() -> None:
    hand = "2C 3C 4C 9D 9H 9S KC KD KH 5C"
    moves = ("pass", "pass", "draw stock", "big gin | 2C 3C 4C 5C | 9D 9H 9S | KC KD KH KS")
    round = play(PRESETS["oklahoma"], deck(hand, "5D 6C 7D 8D QS JS TD 2H 3H 7S", "JC", "KS"), *moves, "show")
    assert round.outcome is not None
    assert (round.outcome.kind, round.outcome.points) == ("big gin", 68 + 31)
    with pytest.raises(NotLegalHere, match="these rules have no big gin"):
        play(EAAI, deck(hand, DEFENDER.replace("5C", "5D"), "JC", "KS"), *moves)


@pytest.mark.parametrize(("upcard", "limit"), [("AS", 0), ("4S", 4), ("QH", 10)])
def test_oklahoma_takes_the_limit_from_the_upcard(upcard: str, limit: int) -> None:
    assert Round.deal(PRESETS["oklahoma"], deck(KNOCKER, DEFENDER, upcard), 0).limit == limit


@pytest.mark.parametrize(
    ("moves", "why"),
    [
        (["draw stock"], "draw stock is not possible now: pass, take"),
        (["take KD"], "KD is not the upcard, AS is"),
        (["pass", "pass", "take AS"], "take is not possible now: draw stock"),
        (["take AS", "drop AS"], "AS was just taken and may not be returned"),
        (["take AS", "drop QC"], "QC is not in the hand"),
        (["take AS", "knock AS | 2C 3C 4C"], "AS was just taken"),
        (["take AS", "knock 5S | 2C 3C 4C"], "these melds leave 58 points, the knock limit is 10"),
        (["take AS", "knock 5S | 2C 3C 4C | KC KD KH | 9D 9H 9C"], "9C is not in the hand"),
        (["take AS", "knock 5S | 2C 3C 4C | KC KD KH | KC KD KH"], "KC KD KH cannot be in two melds"),
        (["take AS", "show"], "show is not possible now: drop, knock, big gin"),
        (["take AS", "knock 5S | KC AS QC"], "neither a set nor a run"),
    ],
)
def test_an_illegal_move_names_the_rule(moves: list[str], why: str) -> None:
    with pytest.raises(MeldlabError, match=why.replace("[", "\\[")):
        play(EAAI, deck(KNOCKER, DEFENDER, "AS"), *moves)


@pytest.mark.parametrize(
    ("show", "why"),
    [
        ("show lay off 7D", "7D cannot all be laid off"),
        ("show lay off 6C", "6C cannot all be laid off"),
        ("show lay off 4H", "4H is not a loose card"),
        ("show 5C 6C 7C", "7C is not in the hand"),
    ],
)
def test_an_illegal_show_names_the_rule(show: str, why: str) -> None:
    cards = deck(KNOCKER, DEFENDER, "AS", "JD")
    with pytest.raises(NotLegalHere, match=why):
        play(PAGAT, cards, "pass", "pass", "draw stock", "knock JD | 2C 3C 4C | 9D 9H 9S | KC KD KH", show)


def test_the_table_lays_off_under_eaai() -> None:
    cards = deck(KNOCKER, DEFENDER, "AS", "JD")
    with pytest.raises(NotLegalHere, match="the table lays off"):
        play(EAAI, cards, "pass", "pass", "draw stock", "knock JD | 2C 3C 4C | 9D 9H 9S | KC KD KH", "show lay off 5C")


def test_a_round_is_void_when_two_stock_cards_remain() -> None:
    round = play(EAAI, deck(KNOCKER, DEFENDER, "AS"), "pass", "pass")
    while round.outcome is None:
        round = round.apply(Move.parse("draw stock"))
        assert round.stock >= 2
        round = round.apply(Move.parse(f"drop {CARDS[round.hands[round.seat][-1]]}"))
    assert (round.outcome.kind, round.stock, round.outcome.draws) == ("void", 2, 29)


def test_the_same_starter_after_a_void_round_and_the_other_after_a_scored_one() -> None:
    table = Table(Gin(), [players.parse("random"), players.parse("random")])
    starters: list[int] = []
    outcomes: tuple[Outcome, ...] = ()
    for state in (step.after for step in replay(Gin(), table.play(Deal(4)).record)):
        if len(starters) <= state.number:
            starters.append(state.round.starter)
        outcomes = state.outcomes
    assert len(outcomes) == len(starters)
    for before, after, outcome in zip(starters, starters[1:], outcomes, strict=False):
        assert (before == after) == (outcome.winner is None)
    assert {one.winner is None for one in outcomes} == {True, False}


def test_bonuses_of_the_match() -> None:
    played = Table(Gin(PAGAT), [players.parse("simple"), players.parse("random")]).play(Deal(1))
    won = [sum(one.winner == seat for one in played.last.outcomes) for seat in range(2)]
    assert played.last.scores[1] == 0
    assert played.result.scores == (played.last.scores[0] + 200 + 20 * won[0], 0)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(sorted(PRESETS)))
def test_every_listed_move_is_legal_and_reads_back(seed: int, preset: str) -> None:
    for step in Table(Gin(replace(PRESETS[preset], match_points=0)), [RandomPlayer()] * 2).steps(Deal(seed)):
        assert not step.forfeit
        view, round = step.before.view(step.seat), step.before.round
        for move in view.legal_actions():
            view.verify(move)
            assert Move.parse(str(move)) == move
            assert Move.parse(step.before.describe(move)) == move
        assert sorted([*round.hands[0], *round.hands[1], *round.pile, *round.deck[52 - round.stock :]]) == list(range(52))


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(sorted(PRESETS)))
def test_applying_refuses_what_the_view_refuses(seed: int, preset: str) -> None:
    # The commonest moves are applied without asking the view; they must be judged alike.
    for step in Table(Gin(replace(PRESETS[preset], match_points=0)), [RandomPlayer()] * 2).steps(Deal(seed)):
        view = step.before.view(step.seat)
        for move in (PASS, DRAW, *TAKES, *DROPS):
            try:
                view.verify(move)
            except NotLegalHere as refused:
                with pytest.raises(NotLegalHere, match=re.escape(str(refused))):
                    step.before.apply(move)
            else:
                assert step.before.apply(move).round.history[-1:] in (((step.seat, move),), ())
        with pytest.raises(NotLegalHere):
            step.before.view(1 - step.seat).verify(step.action)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("jump", "no move 'jump'"),
        ("drop", "expected one card, got none"),
        ("drop 5H 6H", "expected one card, got 2"),
        ("pass 5H", "expected no card here"),
        ("knock KD | 5H 6H 8H", "neither a set nor a run"),
        ("big gin KD | 5H 6H 7H", "big gin has no discard"),
        ("show 5H 6H 7H lay off 9X", "no suit 'X'"),
    ],
)
def test_bad_text_is_shown(text: str, why: str) -> None:
    with pytest.raises((BadText, NoSuchThing), match=why):
        Move.parse(text)


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ({"preset": "eaia"}, "no rules 'eaia' .use eaai, pagat, oklahoma, openspiel.; did you mean eaai"),
        ({"nock_limit": 5}, "no rule 'nock_limit' .*did you mean knock_limit"),
        ({"knock_limit": "ten"}, "knock_limit is a whole number, not 'ten'"),
        ({"knock_limit": -1}, "knock_limit must be a whole number from 0 to 10000, not -1"),
        ({"oklahoma": 1}, "oklahoma is true or false, not 1"),
        ({"lay_off": "never"}, "no lay_off 'never' .use greedy, choice"),
        ({"max_draws": 0}, "expected max_draws from 1 to 10000"),
        ({"stock_floor": 31}, "expected stock_floor from 0 to 30"),
    ],
)
def test_bad_rules_are_named(table: dict[str, object], why: str) -> None:
    with pytest.raises(MeldlabError, match=why):
        Rules.read(table)


@pytest.mark.parametrize("preset", PRESETS)
def test_rules_are_told_by_preset(preset: str) -> None:
    assert PRESETS[preset].as_record() == {"preset": preset}
    changed = replace(PRESETS[preset], gin_bonus=20)
    assert changed.as_record() == {"preset": preset, "gin_bonus": 20}
    assert RulesClass.read(changed.as_record()) == changed


def test_read_takes_the_former_names_of_rules() -> None:
    former = {"preset": "eaai", "most_draws": 9, "most_upcard_draws": 3}
    assert Rules.read(former) == Rules.read({"preset": "eaai", "max_draws": 9, "max_upcard_draws": 3})


def test_at_the_wall_an_upcard_that_would_have_to_go_again_is_no_knock() -> None:
    rules = replace(EAAI, wall_knock=True, stock_floor=30)
    cards = deck(DEFENDER, "2C 3C 4C 9D 9H 9S AD 2D 3S AS", "KS", "KH")
    told = {}
    for back in (False, True):
        view = play(replace(rules, return_upcard=back), cards, "pass", "pass", "draw stock", "drop QS").view(1)
        assert view.phase is Phase.WALL
        told[back] = [str(move) for move in view.legal_actions()]
    # Ten cards with 7 points may knock, but not with the queen in place of one of them.
    assert told == {False: ["pass"], True: ["pass", "take QS"]}


def test_redealing_a_round_builds_no_view(monkeypatch: pytest.MonkeyPatch) -> None:
    built, build = [0], Round.view

    def counting(round: Round, *arguments: Any) -> Any:
        built[0] += 1
        return build(round, *arguments)

    round = Round.deal(EAAI, Deck.shuffled(seed=1), starter=0)
    monkeypatch.setattr(Round, "view", counting)
    round.redeal(0, Deal(1).chance(0, 0))
    assert built[0] == 0

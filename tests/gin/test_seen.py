"""The open actions that a round sums up, against a plain walk over the history of every view."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meldlab.cards import CARDS, Hand
from meldlab.gin import MINI, PRESETS, Gin, Match, Move, Phase, Round, Rules, Verb, View, players
from meldlab.gin.advice import position_view
from meldlab.gin.seen import OpenActions, packed_from
from meldlab.play import Chance, Deal, Player, RandomPlayer, Table
from tests.gin import histories

SMALL = Rules(cards=5, ranks=8, suits=3, stock_floor=0, match_points=20, return_upcard=True, void_if_returned_twice=True)
RULES = {
    **PRESETS,
    "mini": MINI,
    "small": SMALL,
    "unasked": Rules(offer_upcard=False, match_points=30),
    "short": replace(PRESETS["openspiel"], max_upcard_draws=3),
    "wall": replace(PRESETS["openspiel"], stock_floor=14),
}
PLAYERS: list[list[Player[View, Move]]] = [
    [RandomPlayer(), RandomPlayer()],
    [RandomPlayer(), players.parse("simple")],
    [players.parse("simple"), players.parse("simple")],
]


class Taker:
    """Takes and knocks whenever it can, else plays at random."""

    name = "taker"

    def choose(self, view: View, chance: Chance) -> Move:
        moves = view.legal_actions()
        preferred = [move for move in moves if move.verb in (Verb.TAKE, Verb.KNOCK, Verb.BIG_GIN)]
        return preferred[0] if preferred else moves[chance.below(len(moves))]


PLAYERS += [[Taker(), Taker()], [players.parse("gin-only"), players.parse("gin-only")]]


def check_view(view: View) -> None:
    """Compare everything that a view sums up with walks over its history."""
    history, pile, own, other = view.history, view.pile_indices, view.seat, 1 - view.seat
    sums = tuple(histories.seen(history, pile, seat) for seat in range(2))
    assert view.seen == sums
    assert (view.seen_of(0), view.seen_of(1)) == sums
    assert view.known_mask == view.known.mask == histories.known(history, other)
    assert view.first_pile == histories.first_pile(history, pile)
    assert view.turn == sums[own].turns
    assert view.draws == histories.draws(history)
    for seat in range(2):
        assert view.seen[seat].declined == histories.declined(history, pile, seat)
    # The upcard that is taken at the wall does not count; a knock follows it.
    verbs = [move.verb for _, move in history]
    at_wall = view.phase is Phase.LAST or (view.knock is not None and wall_taken(view))
    assert view.upcards == histories.upcards(history, offered=view.rules.offer_upcard) - at_wall, verbs


def wall_taken(view: View) -> bool:
    """Whether the knock was with an upcard taken at the wall: the stock was at the floor before."""
    last = [move.verb for _, move in view.history if move.verb is not Verb.SHOW][-2:]
    return view.rules.wall_knock and view.stock <= view.rules.stock_floor and last[0] is Verb.TAKE


def check_round(round: Round) -> None:
    """Compare what a round sums up, and the cards that a seat does not see, with walks."""
    assert round.seen == tuple(histories.seen(round.history, round.pile, seat) for seat in range(2))
    assert round.draws == histories.draws(round.history)
    for seat in range(2):
        view = round.view(seat)
        places = [view.mask, histories.known(round.history, 1 - seat), view.knocker_mask, *(1 << card for card in round.pile)]
        seen = {card for card in range(52) for mask in places if mask >> card & 1}
        assert round.unseen_by(seat) == sum(1 << card for card in round.rules.pack if card not in seen)


def over(match: Match, action: Move) -> Round:
    """The round after an action, also where the match goes on with the next."""
    return match.round.apply(action)


@pytest.mark.parametrize("seated", PLAYERS, ids=lambda seated: "-".join(player.name for player in seated))
@pytest.mark.parametrize("name", RULES)
def test_seen_equals_walk_over_history_at_every_state(name: str, seated: list[Player[View, Move]]) -> None:
    for number in range(3):
        for step in list(Table(Gin(RULES[name]), seated).steps(Deal(11, number)))[:400]:
            assert not step.forfeit
            for round in (step.before.round, over(step.before, step.action)):
                check_round(round)
                for seat in range(2):
                    check_view(round.view(seat))


def test_games_of_the_property_test_reach_every_case() -> None:
    cases: Counter[str] = Counter()
    for rules in RULES.values():
        for seated in PLAYERS:
            for number in range(3):
                for step in list(Table(Gin(rules), seated).steps(Deal(11, number)))[:400]:
                    round = over(step.before, step.action)
                    cases[f"{round.phase.name}"] += 1
                    cases["outcome " + (round.outcome.kind if round.outcome else "none")] += 1
                    view = round.view(0)
                    cases["knocked with a known card"] += round.phase is Phase.SHOW and any(
                        sums.known & sums.discarded & sums.latest for sums in round.seen
                    )
                    cases["both discarded a card"] += bool(view.seen[0].discarded & view.seen[1].discarded)
                    cases["taken at the wall"] += round.phase is Phase.SHOW and wall_taken(view)
    assert {phase.name for phase in Phase} <= set(cases)
    assert {"outcome void", "outcome knock", "outcome gin"} <= set(cases)
    assert all(cases[name] for name in ("knocked with a known card", "both discarded a card", "taken at the wall")), cases


@pytest.mark.parametrize("name", RULES)
def test_redeal_keeps_seen(name: str) -> None:
    for step in list(Table(Gin(RULES[name]), PLAYERS[1]).steps(Deal(12)))[:60]:
        for seat in range(2):
            other = step.before.redeal(seat, Deal(3).chance(step.number, seat)).round
            assert other.packed_seen == step.before.round.packed_seen
            assert other.view(seat) == step.before.round.view(seat)


cards = st.lists(st.sampled_from(CARDS), unique=True, min_size=11, max_size=45)


@settings(deadline=None)
@given(
    cards=cards,
    eleven=st.booleans(),
    num_known=st.integers(0, 8),
    turn=st.integers(0, 20),
    preset=st.sampled_from(["eaai", "pagat", "openspiel"]),
    offered=st.booleans(),
)
def test_imagined_view_sums_up_its_history(
    cards: list[object], eleven: bool, num_known: int, turn: int, preset: str, offered: bool
) -> None:
    size = 11 if eleven and len(cards) > 11 else 10
    hand, rest = cards[:size], cards[size:]
    known, pile = rest[: min(num_known, len(rest) - 1)], rest[min(num_known, len(rest) - 1) :][:30]
    view = position_view(
        " ".join(map(str, hand)),
        str(pile[-1]),
        " ".join(map(str, pile[:-1])),
        " ".join(map(str, known)),
        turn=turn,
        rules=replace(Rules.preset(preset), offer_upcard=offered),
    )
    check_view(view)
    assert Hand.from_mask(view.known_mask) == set(known)
    assert view.turn >= turn


def test_packed_numbers_do_not_overlap() -> None:
    history = [(seat, Move(Verb.TAKE, card)) for card in range(52) for seat in range(2)]
    full = (1 << 52) - 1
    assert (
        OpenActions.unpack(packed_from(history, []), 0) == OpenActions.unpack(packed_from(history, []), 1) == OpenActions(full, 0, 0, 52, 0)
    )
    history += [(0, Move(Verb.DROP, card)) for card in range(52)]
    assert OpenActions.unpack(packed_from(history, []), 0) == OpenActions(0, full, 0, 52, full)
    assert OpenActions.unpack(packed_from(history, []), 1) == OpenActions(full, 0, 0, 52, 0)
    history += [(1, Move(Verb.KNOCK, 7)), *[(1, Move(Verb.DRAW))] * 20_000]
    assert OpenActions.unpack(packed_from(history, []), 0) == OpenActions(0, full, 0, 52, full ^ 1 << 7)
    assert OpenActions.unpack(packed_from(history, []), 1) == OpenActions(full, 1 << 7, 1 << 7, 20_052, 1 << 7)

"""Sampled deals: from what a seat knows, with a developed hand of the opponent, and rollouts as at the table, deal by deal."""

from random import Random

import numpy as np

from meldlab.cards import CARDS, Hand
from meldlab.chance import Purpose
from meldlab.chance.kernel import address, below, shuffle
from meldlab.gin import Gin, Move, Phase, Round, Rules, Verb
from meldlab.gin.kernel_sampling import sampled_deal
from meldlab.gin.kernel_state import OFFERED
from meldlab.gin.move import DROPS
from meldlab.gin.players import MarjjPlayer, MonteCarloPlayer, SimplePlayer
from meldlab.gin.sampling import points_of, position_of, rollouts
from meldlab.gin.view import View
from meldlab.melds import deadwood, discards
from meldlab.play import Chance, Deal, RandomPlayer, Table
from tests.gin.histories import with_history

KEY, SAMPLES, LIMIT = 987_654_321, 6, 10
SIMPLE = SimplePlayer()
BOTH = SIMPLE.parameters(), SIMPLE.parameters()


def positions() -> list[View]:
    """Views of many kinds, from rounds of a careless and a careful player."""
    found: list[View] = []
    chance = Random(3)
    for number in range(40):
        for step in Table(Gin(Rules(match_points=0)), [RandomPlayer(), SIMPLE]).steps(Deal(6, number)):
            view = step.before.view(step.seat)
            if view.phase in (Phase.OFFER, Phase.DRAW, Phase.DROP) and chance.random() < 0.15:
                found.append(view)
    return found


def deal_of(view: View, number: int, player: SimplePlayer | MarjjPlayer = SIMPLE) -> tuple[Hand, list[int]]:
    theirs, stock = sampled_deal(position_of(view), player.parameters(), np.uint64(KEY), number)
    return Hand.from_mask(int(theirs)), stock.tolist()


def slow_deal(view: View, number: int, most: int) -> tuple[Hand, list[int]]:
    """The same in words: shuffle what is unseen, then draw and drop for as many turns as the other had from stock, and one."""
    unseen = np.array([card.index for card in CARDS if card not in (*view.hand, *view.known, *view.pile)])
    shuffle(unseen, address(KEY, number, 0, 0, int(Purpose.SAMPLED_HANDS)))
    hidden, stock = [CARDS[card] for card in unseen[: 10 - len(view.known)]], [CARDS[card] for card in unseen[10 - len(view.known) :]]
    turns = sum(seat != view.seat and move.verb in (Verb.DRAW, Verb.TAKE) for seat, move in view.history)
    key = address(KEY, number, 0, 0, int(Purpose.DEVELOPING))
    for turn in range(turns - len(view.known) + 1 if turns > 0 else 0):
        at = int(below(key, turn, len(stock)))
        left = discards(Hand([*view.known, *hidden, stock[at]]))
        goes = min([stock[at], *hidden], key=left.__getitem__)
        if goes != stock[at] and left[goes] > most:
            hidden[hidden.index(goes)], stock[at] = stock[at], goes
    return Hand([*view.known, *hidden]), [card.index for card in stock]


def test_sampled_deal_agrees_with_plain_python() -> None:
    changed = 0
    for view in positions()[:80]:
        for number in range(3):
            assert deal_of(view, number) == slow_deal(view, number, LIMIT)
            assert deal_of(view, number, MarjjPlayer()) == slow_deal(view, number, -1)
            changed += deal_of(view, number) != deal_of(view, number, MarjjPlayer())
            theirs, stock = deal_of(view, number)
            assert sorted([*view.card_indices, *view.pile_indices, *(card.index for card in theirs), *stock]) == list(range(52))
            assert view.known <= theirs
    assert changed > 0


def test_sampled_hand_is_about_as_good_as_a_real_one() -> None:
    # A hand at random would have 50 to 57 points of deadwood at every turn.
    real: dict[int, list[int]] = {}
    imagined: dict[int, list[int]] = {}
    for number in range(120):
        for step in Table(Gin(Rules(match_points=0)), [SIMPLE, SIMPLE]).steps(Deal(8, number)):
            view = step.before.view(step.seat)
            turn = sum(seat != view.seat and move.verb in (Verb.DRAW, Verb.TAKE) for seat, move in view.history)
            if view.phase is Phase.DRAW and turn in (1, 4, 7):
                real.setdefault(turn, []).append(deadwood(Hand.from_mask(step.before.round.masks[1 - step.seat])))
                imagined.setdefault(turn, []).extend(deadwood(deal_of(view, each)[0]) for each in range(4))
    for turn, hands in real.items():
        assert abs(np.mean(hands) - np.mean(imagined[turn])) < 5, turn
        assert np.mean([left <= LIMIT for left in imagined[turn]]) < 0.02  # most would have knocked


def own_first(view: View, theirs: Hand, stock: list[int]) -> Round:
    """The round of a view in which the player sits in seat 0 and the unseen cards lie as in a world."""
    deck = (*[0] * (52 - len(stock)), *stock)
    hands = view.card_indices, tuple(card.index for card in theirs)
    phase, starter = view.phase, 0 if view.starter == view.seat else 1
    masks, draws = (view.mask, theirs.mask), sum(move.verb in (Verb.DRAW, Verb.TAKE) for _, move in view.history)
    place = Round(view.rules, view.limit, starter, phase, 0, len(stock), view.pile_indices, deck=deck, hands=hands, masks=masks)
    return place._replace(draws=draws, taken=view.taken_index)


def slow_rollout(view: View, move: Move, number: int) -> int:
    """The points that seat 0 wins when it does this and both go on simply; nobody remembers how the round began."""
    root = int(address(KEY, number, 0, 0, int(Purpose.PLAYOUT)))
    round, step = own_first(view, *deal_of(view, number)).apply(move), 1
    if move.verb is Verb.DROP:
        round = round._replace(history=(), drawn=((), ()), packed_seen=0)
    while round.outcome is None:
        round, step = round.apply(SIMPLE.choose(round.view(round.seat), Chance(root, step, round.seat))), step + 1
    winner = round.outcome.winner
    return 0 if winner is None else round.outcome.points if winner == 0 else -round.outcome.points


def test_rollouts_agree_with_the_table() -> None:
    tried = set()
    thinker = MonteCarloPlayer.parse("mc:4")
    for view in positions()[:60]:
        moves = thinker.candidates(view, Deal(1).chance(0, 0))
        points = points_of(rollouts(view, moves, KEY, range(SAMPLES), BOTH).outcomes)
        for move, found in zip(moves, points.T, strict=True):
            assert found.tolist() == [slow_rollout(view, move, number) for number in range(SAMPLES)], (view, move)
            tried.add(move.verb)
    assert tried == {Verb.PASS, Verb.TAKE, Verb.DRAW, Verb.DROP, Verb.KNOCK}


def test_rollouts_do_not_depend_on_their_cut() -> None:
    view = positions()[20]
    moves = MonteCarloPlayer().candidates(view, Deal(1).chance(0, 0))
    whole = rollouts(view, moves, KEY, range(20), BOTH, threads=2).outcomes
    assert np.array_equal(whole[7:], rollouts(view, moves, KEY, range(7, 20), BOTH).outcomes)
    # Every candidate has the same deals: what is tried beside it changes nothing.
    assert np.array_equal(whole[:, 1:], rollouts(view, moves[1:], KEY, range(20), BOTH).outcomes)


def test_position_of_counts_turns_draws_and_upcards() -> None:
    game, first_taken = Gin(Rules(match_points=0)), 0
    for number in range(12):
        state, step = game.start(2, Deal(2, number)), 0
        while state.seat is not None:
            view, chance = state.view(state.seat), Deal(2, number).chance(step, state.seat)
            if view.phase in (Phase.OFFER, Phase.DRAW, Phase.DROP):
                found = position_of(view).states[0]
                assert (found["turns"].sum(), found["turns"][0]) == (state.round.draws, view.turn)
                assert (found["draws"], found["upcard_draws"]) == (state.round.draws, state.round.upcards)
                assert found["seat"] == 0
                if found["phase"] == OFFERED:
                    # Whoever is offered the upcard first has started.
                    assert found["starter"] == len(view.history)
                first_taken += found["upcard_draws"] < sum(move.verb is Verb.TAKE for _, move in view.history)
            state, step = state.apply(RandomPlayer().choose(view, chance)), step + 1
    assert first_taken > 0


def test_rollouts_knock_by_the_own_turn() -> None:
    # The same position and deals; only how often the player has drawn differs, and so whether it knocks with 10 points or with none.
    both = SimplePlayer("late", 0, 10, 5).parameters(), SimplePlayer("never", 0, 0, 0).parameters()
    view = own_first(positions()[0], Hand(), []).view(0)
    eleven = Hand.parse("AC 2C 3C 8C 5D QD KD 9H TH JH 7S")
    place = view._replace(
        phase=Phase.DROP, mask=eleven.mask, card_indices=tuple(card.index for card in eleven), pile_indices=(51,), stock=30, taken_index=-1
    )
    found = []
    for turn in (1, 9):
        known = with_history(place, [(place.seat, Move(Verb.DRAW)) for _ in range(turn)])
        found.append(points_of(rollouts(known, [DROPS[25]], KEY, range(300), both).outcomes).mean())
    assert found[0] != found[1]

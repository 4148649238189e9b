"""Worlds: dealt from what a seat knows, with a hand that the opponent has played with, and played out as at the table, deal by deal."""

from random import Random

import numpy as np

from meldlab.cards import CARDS, Hand
from meldlab.chance import Purpose
from meldlab.chance.kernel import address, below, shuffle
from meldlab.gin import Gin, Move, Phase, Round, Rules, Verb
from meldlab.gin.batch import pair_of
from meldlab.gin.kernel_worlds import imagine
from meldlab.gin.move import DROPS
from meldlab.gin.players import MarjjPlayer, MonteCarloPlayer, SimplePlayer
from meldlab.gin.view import View
from meldlab.gin.worlds import played_out, points_of, situation_of
from meldlab.melds import deadwood, discards
from meldlab.play import Chance, Deal, RandomPlayer, Table

KEY, WORLDS, LIMIT = 987_654_321, 6, 10
SIMPLE = SimplePlayer()


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


def world(view: View, number: int, player: SimplePlayer | MarjjPlayer = SIMPLE) -> tuple[Hand, list[int]]:
    theirs, stock = imagine(situation_of(view), np.uint64(KEY), number, player.vector(), LIMIT)
    return Hand.from_mask(int(theirs)), stock.tolist()


def slow_world(view: View, number: int, most: int) -> tuple[Hand, list[int]]:
    """The same in words: shuffle what is unseen, then draw and drop for as many turns as the other had from stock, and one."""
    unseen = np.array([card.index for card in CARDS if card not in (*view.hand, *view.known, *view.pile)])
    shuffle(unseen, address(KEY, number, 0, 0, int(Purpose.IMAGINED_HANDS)))
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


def test_a_world_is_what_the_words_say() -> None:
    changed = 0
    for view in positions()[:80]:
        for number in range(3):
            assert world(view, number) == slow_world(view, number, LIMIT)
            assert world(view, number, MarjjPlayer()) == slow_world(view, number, -1)
            changed += world(view, number) != world(view, number, MarjjPlayer())
            theirs, stock = world(view, number)
            assert sorted([*view.card_indices, *view.pile_indices, *(card.index for card in theirs), *stock]) == list(range(52))
            assert view.known <= theirs
    assert changed > 0


def test_an_imagined_hand_is_about_as_good_as_a_real_one() -> None:
    # A hand at random would have 50 to 57 points of deadwood at every turn.
    real: dict[int, list[int]] = {}
    imagined: dict[int, list[int]] = {}
    for number in range(120):
        for step in Table(Gin(Rules(match_points=0)), [SIMPLE, SIMPLE]).steps(Deal(8, number)):
            view = step.before.view(step.seat)
            turn = sum(seat != view.seat and move.verb in (Verb.DRAW, Verb.TAKE) for seat, move in view.history)
            if view.phase is Phase.DRAW and turn in (1, 4, 7):
                real.setdefault(turn, []).append(deadwood(Hand.from_mask(step.before.round.masks[1 - step.seat])))
                imagined.setdefault(turn, []).extend(deadwood(world(view, each)[0]) for each in range(4))
    for turn, hands in real.items():
        assert abs(np.mean(hands) - np.mean(imagined[turn])) < 5, turn
        assert np.mean([left <= LIMIT for left in imagined[turn]]) < 0.02  # most would have knocked


def own_first(view: View, theirs: Hand, stock: list[int]) -> Round:
    """The round of a view in which the player sits in seat 0 and the unseen cards lie as in a world."""
    deck = (*[0] * (52 - len(stock)), *stock)
    hands = view.card_indices, tuple(card.index for card in theirs)
    phase, starter = view.phase, 0 if view.starter == view.seat else 1
    masks, draws = (view.mask, theirs.mask), sum(move.verb in (Verb.DRAW, Verb.TAKE) for _, move in view.history)
    place = Round(view.rules, view.limit, phase, 0, starter, deck, len(stock), view.pile_indices, hands, masks, taken=view.taken_index)
    return place._replace(draws=draws)


def slow_playout(view: View, move: Move, number: int) -> int:
    """The points that seat 0 wins when it does this and both go on simply; nobody remembers how the round began."""
    root = int(address(KEY, number, 0, 0, int(Purpose.PLAYOUT)))
    round, step = own_first(view, *world(view, number)).apply(move), 1
    if move.verb is Verb.DROP:
        round = round._replace(history=(), drawn=((), ()))
    while round.outcome is None:
        round, step = round.apply(SIMPLE.choose(round.view(round.seat), Chance(root, step, round.seat))), step + 1
    winner = round.outcome.winner
    return 0 if winner is None else round.outcome.points if winner == 0 else -round.outcome.points


def test_the_kernel_plays_out_what_the_table_plays_out() -> None:
    both, tried = pair_of(SIMPLE, SIMPLE), set()
    thinker = MonteCarloPlayer.parse("mc:4")
    for view in positions()[:60]:
        moves = thinker.candidates(view, Deal(1).chance(0, 0))
        points = points_of(played_out(view, moves, KEY, range(WORLDS), both))
        for move, found in zip(moves, points.T, strict=True):
            assert found.tolist() == [slow_playout(view, move, number) for number in range(WORLDS)], (view, move)
            tried.add(move.verb)
    assert tried == {Verb.PASS, Verb.TAKE, Verb.DRAW, Verb.DROP, Verb.KNOCK}


def test_worlds_do_not_depend_on_their_cut() -> None:
    view, both = positions()[20], pair_of(SIMPLE, SIMPLE)
    moves = MonteCarloPlayer().candidates(view, Deal(1).chance(0, 0))
    whole = played_out(view, moves, KEY, range(20), both, threads=2)
    assert np.array_equal(whole[7:], played_out(view, moves, KEY, range(7, 20), both))
    # Every candidate meets the same worlds: what is tried beside it changes nothing.
    assert np.array_equal(whole[:, 1:], played_out(view, moves[1:], KEY, range(20), both))


def test_worlds_start_from_the_real_counts() -> None:
    # Own draws were once taken to be half of all, so that the starter had none after its first.
    game, first_taken = Gin(Rules(match_points=0)), 0
    for number in range(12):
        state, step = game.start(2, Deal(2, number)), 0
        while state.seat is not None:
            view, chance = state.view(state.seat), Deal(2, number).chance(step, state.seat)
            if view.phase in (Phase.OFFER, Phase.DRAW, Phase.DROP):
                found = situation_of(view)
                assert (found.turn, found.draws, found.upcards) == (view.turn, state.round.draws, state.round.upcards)
                assert found.passes == (len(view.history) if view.phase == Phase.OFFER else 3)
                first_taken += found.upcards < sum(move.verb is Verb.TAKE for _, move in view.history)
            state, step = state.apply(RandomPlayer().choose(view, chance)), step + 1
    assert first_taken > 0


def test_the_turn_decides_how_one_knocks() -> None:
    # The same position and worlds; only how often the player has drawn differs, and so whether it knocks with 10 points or with none.
    both = pair_of(SimplePlayer("late", 0, 10, 5), SimplePlayer("never", 0, 0, 0))
    view = own_first(positions()[0], Hand(), []).view(0)
    eleven = Hand.parse("AC 2C 3C 8C 5D QD KD 9H TH JH 7S")
    place = view._replace(
        phase=Phase.DROP, mask=eleven.mask, card_indices=tuple(card.index for card in eleven), pile_indices=(51,), stock=30, taken_index=-1
    )
    found = []
    for turn in (1, 9):
        known = place._replace(history=tuple((place.seat, Move(Verb.DRAW)) for _ in range(turn)))
        found.append(points_of(played_out(known, [DROPS[25]], KEY, range(300), both)).mean())
    assert found[0] != found[1]

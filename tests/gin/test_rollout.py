"""Rounds played out from the middle: the kernel wins the points that two simple players win at the table, deal by deal."""

from random import Random
from typing import Any

import numpy as np
import pytest

from meldlab.cards import Hand
from meldlab.chance import Purpose
from meldlab.chance.kernel import address, below
from meldlab.gin import Gin, Move, Phase, Round, Rules, Verb
from meldlab.gin import kernel_layout as verbs
from meldlab.gin.batch import playing_out, rule_vector
from meldlab.gin.move import DRAW, DROPS, PASS, TAKES
from meldlab.gin.players import MonteCarloPlayer, SimplePlayer, montecarlo
from meldlab.gin.players.kernel_rollout import Situation, rollouts
from meldlab.gin.view import View
from meldlab.play import Chance, Deal, RandomPlayer, Table

KEY, DEALS = 987_654_321, 6
SIMPLE = SimplePlayer()


def own_first(view: View, theirs: tuple[int, ...], stock: list[int]) -> Round:
    """The round of a view in which the player sits in seat 0 and the unseen cards lie as they were dealt."""
    deck = (*[0] * (52 - len(stock)), *stock)
    hands = view.card_indices, theirs
    masks = view.mask, sum(1 << card for card in theirs)
    phase, starter = view.phase, 0 if view.starter == view.seat else 1
    return Round(view.rules, view.limit, phase, 0, starter, deck, len(stock), view.pile_indices, hands, masks, taken=view.taken_index)


def slow_playout(view: View, candidate: tuple[int, int], theirs: tuple[int, ...], stock: list[int], root: int, upcards: int) -> int:
    """The points that seat 0 wins when it does this and both go on simply; steps are counted as the kernel counts them."""
    verb, card = candidate
    draws = sum(move.verb in (Verb.DRAW, Verb.TAKE) for _, move in view.history)
    round, step = own_first(view, theirs, stock)._replace(draws=draws, upcards=upcards), 0
    if verb in (verbs.TAKE, verbs.DRAW):
        round, step = round.apply(TAKES[card] if verb == verbs.TAKE else DRAW), 1
    elif verb == verbs.PASS:
        round, step = round.apply(PASS), 1
    elif verb == verbs.KNOCK:
        rest = round.view(0).hand - {next(each for each in view.hand if each.index == card)}
        melds = SIMPLE.melds(round.view(0), type(view.hand)(rest), Chance(root, 0, 0))
        round, step = round.apply(Move(Verb.KNOCK, card, melds)), 1
    else:
        # Nobody remembers how the round began, nor which card was drawn before this one was dropped.
        round, step = round.apply(DROPS[card])._replace(history=(), drawn=((), ())), 1
    while round.outcome is None:
        round, step = round.apply(SIMPLE.choose(round.view(round.seat), Chance(root, step, round.seat))), step + 1
    winner = round.outcome.winner
    return 0 if winner is None else round.outcome.points if winner == 0 else -round.outcome.points


def dealt(view: View) -> list[tuple[tuple[int, ...], list[int]]]:
    """The opponent's cards and the stock of every deal, shuffled as the kernel shuffles."""
    gone = view.mask | view.known_mask | sum(1 << card for card in view.pile_indices)
    unseen, found = [card for card in range(52) if not gone >> card & 1], []
    known = [card for card in range(52) if view.known_mask >> card & 1]
    for deal in range(DEALS):
        for last in range(len(unseen) - 1, 0, -1):
            other = int(below(KEY, deal * 64 + last, last + 1))
            unseen[last], unseen[other] = unseen[other], unseen[last]
        hidden = 10 - len(known)
        found.append(((*known, *unseen[:hidden]), unseen[hidden : hidden + view.stock]))
    return found


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


def test_the_kernel_plays_out_what_the_table_plays_out() -> None:
    both, rules, tried = playing_out(SIMPLE, SIMPLE), rule_vector(Rules()), set()
    thinker = MonteCarloPlayer.parse("mc:4")
    for view in positions()[:60]:
        candidates = thinker.candidates(view)
        values = np.zeros(len(candidates))
        passes = sum(move.verb is Verb.PASS for _, move in view.history) if view.phase == Phase.OFFER else 3
        draws = sum(move.verb in (Verb.DRAW, Verb.TAKE) for _, move in view.history)
        place = Situation(view.mask, view.known_mask, np.array(view.pile_indices, np.int64), view.stock, view.turn, draws, 0, passes)
        rollouts(np.array(candidates, np.int64), DEALS, np.uint64(KEY), place, both, rules, values)
        for candidate, value in zip(candidates, values, strict=True):
            slow = 0
            for deal, (theirs, stock) in enumerate(dealt(view)):
                root = int(address(KEY, deal, 0, 0, int(Purpose.PLAYOUT)))
                slow += slow_playout(view, candidate, theirs, stock, root, 0)
            assert value == slow, (view, candidate)
            tried.add(candidate[0])
    assert tried == {verbs.PASS, verbs.TAKE, verbs.DRAW, verbs.DROP, verbs.KNOCK}


def test_a_playout_starts_from_the_real_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    # Own draws were once taken to be half of all, so that the starter had none after its first.
    seen: list[tuple[int, ...]] = []

    def watched(*arguments: Any) -> None:
        seen.append(tuple(int(each) for each in arguments[3][4:]))

    monkeypatch.setattr(montecarlo, "rollouts", watched)
    thinker = MonteCarloPlayer.parse("mc:2")
    game, first_taken = Gin(Rules(match_points=0)), 0
    for number in range(12):
        state, step = game.start(2, Deal(2, number)), 0
        while state.seat is not None:
            view, chance = state.view(state.seat), Deal(2, number).chance(step, state.seat)
            if view.phase in (Phase.OFFER, Phase.DRAW, Phase.DROP):
                thinker.values(view, thinker.candidates(view), chance)
                turn, draws, upcards, passes = seen.pop()
                assert (turn, draws, upcards) == (view.turn, state.round.draws, state.round.upcards)
                assert passes == (len(view.history) if view.phase == Phase.OFFER else 3)
                first_taken += upcards < sum(move.verb is Verb.TAKE for _, move in view.history)
            state, step = state.apply(RandomPlayer().choose(view, chance)), step + 1
    assert first_taken > 0


def test_the_turn_decides_how_one_knocks() -> None:
    # The same position and deals; only how often the player has drawn differs, and so whether it knocks with 10 points or with none.
    hand, rules = Hand.parse("AC 2C 3C 8C 5D QD KD 9H TH JH 7S").mask, rule_vector(Rules())
    pile, both = np.array([51], np.int64), playing_out(SimplePlayer("late", 0, 10, 5), SimplePlayer("never", 0, 0, 0))
    found = []
    for turn in (0, 1, 9):
        values = np.zeros(1)
        place = Situation(hand, 0, pile, 30, turn, 2 * turn, 0, 3)
        rollouts(np.array([[verbs.DROP, 25]], np.int64), 300, np.uint64(KEY), place, both, rules, values)
        found.append(values[0])
    assert len(set(found)) == 3

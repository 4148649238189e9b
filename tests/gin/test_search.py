"""The champion that searches: worlds drawn by its belief, and the step that it takes from its policy."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from meldlab.errors import BadText
from meldlab.gin import Gin, Rules, players
from meldlab.gin.advice import imagined_view
from meldlab.gin.batch import pair_of, seat, trace
from meldlab.gin.kernel import LEFT
from meldlab.gin.kernel_layout import ASKED
from meldlab.gin.kernel_worlds import EACH_COUNTS, believe, imagine
from meldlab.gin.move import Move, Verb
from meldlab.gin.players import GinPlayer, SearchPlayer
from meldlab.gin.players.policy import move_of as move_of_policy
from meldlab.gin.view import Phase, View
from meldlab.gin.worlds import played_ahead, played_out, situation_of
from meldlab.melds.kernel import deadwood
from meldlab.play import Chance, Deal, Table
from tests.gin.test_players import move_of

SEARCHING = SearchPlayer.parse("champion:search:20")
CHAMPION = SEARCHING.policy
NO_ODDS = np.empty(0)


def positions(deals: int) -> list[tuple[View, int]]:
    """What the champion saw before its draws, and what the other held."""
    found = []
    for deal in range(deals):
        for step in Table(Gin(Rules(match_points=0)), [CHAMPION, CHAMPION]).steps(Deal(31, deal)):
            view = step.before.view(step.seat)
            if view.phase is Phase.DRAW:
                found.append((view, step.before.round.masks[1 - step.seat]))
    return found


POSITIONS = positions(12)


def unseen_in(view: View) -> list[int]:
    seen = view.mask | view.known_mask | sum(1 << card for card in view.pile_indices)
    return [card for card in range(52) if not seen >> card & 1]


def test_cards_are_drawn_by_their_odds() -> None:
    odds, sums = np.ones(52), np.empty((53, 12))
    odds[:3] = 9.0, 3.0, 1 / 3
    held, worlds = np.zeros(6), 6000
    for world in range(worlds):
        unseen = np.arange(6)
        believe(unseen, 6, 2, odds, np.uint64(world * 7919 + 1), sums)
        assert sorted(unseen.tolist()) == list(range(6))
        held[unseen[:2]] += 1
    pairs = {(i, j): odds[i] * odds[j] for i in range(6) for j in range(i)}
    wanted = [sum(weight for pair, weight in pairs.items() if card in pair) / sum(pairs.values()) for card in range(6)]
    assert held / worlds == pytest.approx(wanted, abs=0.025)


def test_what_it_believes_is_as_frequent_as_it_says() -> None:
    said, found = [], []
    for view, theirs in POSITIONS:
        odds = CHAMPION.odds(view)
        for card in unseen_in(view):
            said.append(odds[card] / (1 + odds[card]))
            found.append(theirs >> card & 1)
    chances, truth = np.array(said), np.array(found)
    for low, high in ((0.0, 0.15), (0.15, 0.3), (0.3, 0.5), (0.5, 1.0)):
        some = (low <= chances) & (chances < high)
        assert some.sum() > 50
        assert truth[some].mean() == pytest.approx(chances[some].mean(), abs=0.12), (low, high)


def test_believed_hands_are_like_real_ones_and_nearer_to_them_than_others() -> None:
    left, right = [], []
    for view, theirs in POSITIONS:
        for odds in (CHAMPION.odds(view), NO_ODDS):
            hands = [int(imagine(situation_of(view, odds), np.uint64(5), world, CHAMPION.vector(), view.limit)[0]) for world in range(10)]
            assert all(hand.bit_count() == 10 and hand & view.known_mask == view.known_mask and not hand & view.mask for hand in hands)
            right.append(np.mean([(hand & theirs & ~view.known_mask).bit_count() for hand in hands]))
            left.append(np.mean([deadwood(hand, LEFT) for hand in hands]) - deadwood(theirs, LEFT))
    assert abs(np.mean(left[::2])) < 4  # points of deadwood
    assert np.mean(right[::2]) > np.mean(right[1::2])


def test_a_large_step_is_the_policy_and_none_is_the_best_of_the_worlds() -> None:
    still, greedy = replace(SEARCHING, step=1e9), replace(SEARCHING, step=0.0)
    compared = 0
    for view, _ in POSITIONS[::5]:
        chance = Deal(3).chance(len(view.history), view.seat)
        assert still.choose(view, chance) == CHAMPION.choose(view, chance)
        values = greedy.think(view, chance)
        if values:
            assert greedy.choose(view, chance) == max(values, key=lambda one: one.value).move
            compared += 1
    assert compared > 2


class Hurried(GinPlayer):
    """The champion for four steps of a round, then its adviser: readable, for what the kernels do in a world."""

    def choose(self, view: View, chance: Chance) -> Move:
        return (CHAMPION if len(view.history) < 4 else CHAMPION.adviser).choose(view, chance)


def test_a_policy_is_asked_for_so_many_steps_and_its_adviser_plays_on() -> None:
    rules, hurried = Rules(match_points=0), seat(CHAMPION)
    hurried.vector[ASKED] = 4
    games = [[move_of(step) for step in trace(hurried, hurried, rules, 17, game).tolist()] for game in range(12)]
    for game, log in enumerate(games):
        steps = list(Table(Gin(rules), [Hurried(), Hurried()]).steps(Deal(17, game)))
        assert [(step.seat, step.action.verb, step.action.index) for step in steps] == [move[:3] for move in log]
    for other in (CHAMPION, CHAMPION.adviser):
        assert games != [[move_of(step) for step in trace(other, other, rules, 17, game).tolist()] for game in range(12)]


def test_a_world_that_is_broken_off_is_worth_what_both_advisers_think_of_it() -> None:
    pair, compared = pair_of(CHAMPION, CHAMPION), 0
    for step in Table(Gin(), [CHAMPION, CHAMPION]).steps(Deal(31)):
        if step.action.verb is not Verb.DROP or step.after.seat is None or step.after.view(0).phase is not Phase.DRAW:
            continue
        theirs = step.before.round.masks[1 - step.seat]
        real = np.array([1e9 if theirs >> card & 1 else 1e-9 for card in range(52)])
        ends = played_ahead(step.before.view(step.seat), [step.action], 7, range(3), pair, 1, odds=real)
        thoughts = [
            {one.move.verb: one.value for one in CHAMPION.adviser.think(step.after.view(seat), Deal(1).chance(0, 0))} for seat in (0, 1)
        ]
        waits, draws = thoughts[step.seat], thoughts[1 - step.seat]
        assert ends.expected[:, 0] == pytest.approx(EACH_COUNTS * (waits[Verb.DRAW] - max(draws.values())), abs=1e-4)
        assert not ends.outcomes.any()
        compared += 1
    assert compared > 10


def test_worlds_that_end_before_they_would_be_broken_off_end_as_ever() -> None:
    pair, over = pair_of(CHAMPION, CHAMPION), 0
    for view, _ in POSITIONS[::6]:
        moves = [move_of_policy(view, action) for action in CHAMPION.logits(view)]
        ends, whole = played_ahead(view, moves, 7, range(8), pair, 9), played_out(view, moves, 7, range(8), pair)
        ended = np.isnan(ends.expected)
        assert np.array_equal(ends.outcomes[ended], whole[ended])
        over += ended.sum()
    assert over > 10


class Watched(SearchPlayer):
    """Tells which worlds it has tried which moves in."""

    def chances(self, view: View, moves: list[Move], chance: Chance, worlds: range, odds: NDArray[np.float64]) -> NDArray[np.float64]:
        TRIED.append((moves, worlds))
        return super().chances(view, moves, chance, worlds, odds)


TRIED: list[tuple[list[Move], range]] = []


def test_moves_that_fall_behind_leave_and_the_worlds_go_on_where_they_were() -> None:
    watched, shares = Watched(CHAMPION, 256), []
    for view, _ in POSITIONS[::3]:
        TRIED.clear()
        chance = Deal(3).chance(len(view.history), view.seat)
        chosen = watched.choose(view, chance)
        if not TRIED:
            continue
        assert [worlds.start for _, worlds in TRIED] == [0, *(worlds.stop for _, worlds in TRIED[:-1])]
        assert [worlds.stop for _, worlds in TRIED] == [32, 64, 128, 256][: len(TRIED)]
        assert all(set(map(str, after)) <= set(map(str, before)) for (before, _), (after, _) in pairwise(TRIED))
        assert chosen in TRIED[-1][0]
        assert chosen == watched.choose(view, chance)
        shares.append(sum(len(moves) * len(worlds) for moves, worlds in TRIED) / 2 / (256 * len(TRIED[0][0])))
    assert len(shares) > 2
    assert np.mean(shares) < 0.9


def test_it_plays_a_match_and_says_what_is_wrong_with_a_name() -> None:
    assert Table(Gin(Rules(match_points=0)), [SEARCHING, players.parse("simple")]).play(Deal(1)).result is not None
    eleven = imagined_view("2C 3C 4C 9D 9H 9S KC KD KH KS 5H")
    assert str(SEARCHING.choose(eleven, Deal(1).chance(0, 0))).startswith("knock 5H")
    for text in ("champion:search:0", "champion:search", "champion:7", "champion:search:x"):
        with pytest.raises(BadText, match="number of worlds"):
            players.parse(text)

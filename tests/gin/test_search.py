"""The search player: deals sampled by its belief, rollouts that are truncated, and its step away from the policy."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from meldlab.errors import BadText
from meldlab.gin import Gin, Rules, observation, players
from meldlab.gin.advice import position_view
from meldlab.gin.kernel_hand import LEFT
from meldlab.gin.kernel_sampling import LEAF_WEIGHT, sample_hand, sampled_deal
from meldlab.gin.move import Move, Verb
from meldlab.gin.players import GinPlayer, SearchPlayer
from meldlab.gin.sampling import NO_ODDS, position_of, rollouts
from meldlab.gin.view import Phase, View
from meldlab.melds.kernel import deadwood
from meldlab.play import Chance, Deal, Table
from tests.gin.tracing import move_of, trace

SEARCHING = SearchPlayer.parse("champion:search:20")
CHAMPION = SEARCHING.policy
PARAMETERS = CHAMPION.parameters()


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


def test_sample_hand_draws_cards_by_their_odds() -> None:
    odds, sums = np.ones(52), np.empty((53, 12))
    odds[:3] = 9.0, 3.0, 1 / 3
    held, samples = np.zeros(6), 6000
    for sample in range(samples):
        unseen = np.arange(6)
        sample_hand(unseen, 6, 2, odds, np.uint64(sample * 7919 + 1), sums)
        assert sorted(unseen.tolist()) == list(range(6))
        held[unseen[:2]] += 1
    pairs = {(i, j): odds[i] * odds[j] for i in range(6) for j in range(i)}
    wanted = [sum(weight for pair, weight in pairs.items() if card in pair) / sum(pairs.values()) for card in range(6)]
    assert held / samples == pytest.approx(wanted, abs=0.025)


def test_champion_odds_are_calibrated() -> None:
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


def test_sampled_deals_by_odds_are_like_real_ones_and_nearer_to_them() -> None:
    left, right = [], []
    for view, theirs in POSITIONS:
        for odds in (CHAMPION.odds(view), NO_ODDS):
            position = position_of(view, odds=odds)
            hands = [int(sampled_deal(position, PARAMETERS, np.uint64(5), sample)[0]) for sample in range(10)]
            assert all(hand.bit_count() == 10 and hand & view.known_mask == view.known_mask and not hand & view.mask for hand in hands)
            right.append(np.mean([(hand & theirs & ~view.known_mask).bit_count() for hand in hands]))
            left.append(np.mean([deadwood(hand, LEFT) for hand in hands]) - deadwood(theirs, LEFT))
    assert abs(np.mean(left[::2])) < 4  # points of deadwood
    assert np.mean(right[::2]) > np.mean(right[1::2])


def test_choose_with_a_large_step_is_the_policy_and_with_none_the_best_rollouts() -> None:
    still, greedy = replace(SEARCHING, step=1e9), replace(SEARCHING, step=0.0)
    compared = 0
    for view, _ in POSITIONS[::5]:
        chance = Deal(3).chance(len(view.history), view.seat)
        assert still.choose(view, chance) == CHAMPION.choose(view, chance)
        values = greedy.evaluate(view, chance)
        if values:
            assert greedy.choose(view, chance) == max(values, key=lambda one: one.value).move
            compared += 1
    assert compared > 2


class Hurried(GinPlayer):
    """The champion for four actions of a round, then its prior: what the kernels do in a rollout, at the table."""

    def choose(self, view: View, chance: Chance) -> Move:
        return (CHAMPION if len(view.history) < 4 else CHAMPION.prior).choose(view, chance)


def test_network_steps_let_the_prior_play_on() -> None:
    rules, hurried = Rules(match_points=0), PARAMETERS._replace(network_steps=4.0)
    games = [[move_of(step) for step in trace(hurried, hurried, rules, 17, game).tolist()] for game in range(12)]
    for game, log in enumerate(games):
        steps = list(Table(Gin(rules), [Hurried(), Hurried()]).steps(Deal(17, game)))
        assert [(step.seat, step.action.verb, step.action.index) for step in steps] == [move[:3] for move in log]
    for other in (CHAMPION, CHAMPION.prior):
        assert games != [[move_of(step) for step in trace(other, other, rules, 17, game).tolist()] for game in range(12)]


def test_rollouts_truncated_at_once_have_the_values_of_both_priors() -> None:
    compared = 0
    for step in Table(Gin(), [CHAMPION, CHAMPION]).steps(Deal(31)):
        if step.action.verb is not Verb.DROP or step.after.seat is None or step.after.view(0).phase is not Phase.DRAW:
            continue
        theirs = step.before.round.masks[1 - step.seat]
        real = np.array([1e9 if theirs >> card & 1 else 1e-9 for card in range(52)])
        ends = rollouts(step.before.view(step.seat), [step.action], 7, range(3), (PARAMETERS, PARAMETERS), 1, odds=real)
        thoughts = [
            {one.move.verb: one.value for one in CHAMPION.prior.evaluate(step.after.view(seat), Deal(1).chance(0, 0))} for seat in (0, 1)
        ]
        waits, draws = thoughts[step.seat], thoughts[1 - step.seat]
        assert ends.expected[:, 0] == pytest.approx(LEAF_WEIGHT * (waits[Verb.DRAW] - max(draws.values())), abs=1e-4)
        assert not ends.outcomes.any()
        compared += 1
    assert compared > 10


def test_rollouts_that_end_before_they_are_truncated_have_their_outcome() -> None:
    pair, over = (PARAMETERS, PARAMETERS), 0
    for view, _ in POSITIONS[::6]:
        moves = [observation.move_of(view, action) for action in CHAMPION.logits(view)]
        ends, whole = rollouts(view, moves, 7, range(8), pair, 9), rollouts(view, moves, 7, range(8), pair).outcomes
        ended = np.isnan(ends.expected)
        assert np.array_equal(ends.outcomes[ended], whole[ended])
        over += ended.sum()
    assert over > 10


class Watched(SearchPlayer):
    """Records in which sampled deals it has tried which moves."""

    def win_probabilities(
        self, view: View, moves: list[Move], chance: Chance, samples: range, odds: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        TRIED.append((moves, samples))
        return super().win_probabilities(view, moves, chance, samples, odds)


TRIED: list[tuple[list[Move], range]] = []


def test_choose_drops_moves_that_fall_behind_and_continues_with_fresh_deals() -> None:
    watched, shares = Watched(CHAMPION, 256), []
    for view, _ in POSITIONS[::3]:
        TRIED.clear()
        chance = Deal(3).chance(len(view.history), view.seat)
        chosen = watched.choose(view, chance)
        if not TRIED:
            continue
        assert [samples.start for _, samples in TRIED] == [0, *(samples.stop for _, samples in TRIED[:-1])]
        assert [samples.stop for _, samples in TRIED] == [32, 64, 128, 256][: len(TRIED)]
        assert all(set(map(str, after)) <= set(map(str, before)) for (before, _), (after, _) in pairwise(TRIED))
        assert chosen in TRIED[-1][0]
        assert chosen == watched.choose(view, chance)
        shares.append(sum(len(moves) * len(samples) for moves, samples in TRIED) / 2 / (256 * len(TRIED[0][0])))
    assert len(shares) > 2
    assert np.mean(shares) < 0.9


def test_search_player_plays_and_its_parse_names_a_bad_number() -> None:
    assert Table(Gin(Rules(match_points=0)), [SEARCHING, players.parse("simple")]).play(Deal(1)).result is not None
    eleven = position_view("2C 3C 4C 9D 9H 9S KC KD KH KS 5H")
    assert str(SEARCHING.choose(eleven, Deal(1).chance(0, 0))).startswith("knock 5H")
    for text in ("champion:search:0", "champion:search", "champion:7", "champion:search:x"):
        with pytest.raises(BadText, match="number of sampled deals"):
            players.parse(text)

"""A player that deals the unseen cards at random and plays every candidate out, many times.

>>> MonteCarloPlayer.parse("mc:64")
MonteCarloPlayer(name='mc:64', deals=64)
"""

from dataclasses import dataclass, replace
from functools import cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import Hand
from meldlab.chance import Purpose
from meldlab.errors import BadText, NotLegalHere
from meldlab.gin import kernel_layout
from meldlab.gin.batch import playing_out, rule_vector
from meldlab.gin.kernel import makes_meld
from meldlab.gin.move import DRAW, DROPS, PASS, TAKES, Move, Verb
from meldlab.gin.players.kernel_rollout import Situation, discard_deadwoods, rollouts
from meldlab.gin.players.player import GinPlayer, Valued
from meldlab.gin.players.simple import SimplePlayer
from meldlab.gin.rules import ONLY_SIMPLE, Rules
from meldlab.gin.view import Phase, View, is_big_gin
from meldlab.play import Chance

__all__ = ["MonteCarloPlayer"]

MOST_DEALS = 1_000_000
DOUBT = 25.0  # points by which one round differs between two candidates, roughly: the standard error is this over sqrt(deals)
SLACK = 3  # points of deadwood more than the least that a discard may leave to be tried
# The player plays on as the paper's best knocker would, against an opponent that knocks as soon as it can.
PLAY_OUT = playing_out(SimplePlayer.parse("knock:10,0,6"), SimplePlayer())


@dataclass(frozen=True)
class MonteCarloPlayer(GinPlayer):
    """Tries each candidate on the same ``deals`` random deals, then plays both sides simply, and takes the best."""

    name: str = "mc:64"
    deals: int = 64

    @classmethod
    def parse(cls, text: str) -> "MonteCarloPlayer":
        """Read ``mc`` or ``mc:N``."""
        _, _, number = text.partition(":")
        if text == "mc":
            return cls()
        if not number.isdecimal() or not 1 <= int(number) <= MOST_DEALS:
            raise BadText(f"a number of deals from 1 to {MOST_DEALS} wanted, as in mc:64", text, min(3, len(text)))
        return cls(f"mc:{int(number)}", int(number))

    def choose(self, view: View, chance: Chance) -> Move:
        """Answer a view with the move that won most points."""
        big_gin = view.phase is Phase.DROP and view.rules.big_gin_bonus and is_big_gin(view.mask)
        tried = [] if big_gin else self.think(view, chance)
        if not tried:
            return super().choose(view, chance)
        # The first candidate is the simple player's; few deals must show a clear gain to leave it.
        first, best = tried[0], max(tried, key=lambda one: one.value)
        return (best if best.value - first.value > DOUBT / sqrt(self.deals) else first).move

    def think(self, view: View, chance: Chance) -> list[Valued]:
        """Return the points that each move worth a try wins in the mean, where there is a choice."""
        if view.phase not in (Phase.OFFER, Phase.DRAW, Phase.DROP):
            return []
        candidates = self.candidates(view)
        moves = [self._move(view, verb, card, chance) for verb, card in candidates]
        return list(map(Valued, moves, self.values(view, candidates, chance)))

    def _move(self, view: View, verb: int, card: int, chance: Chance) -> Move:
        if verb == kernel_layout.KNOCK:
            return Move(Verb.KNOCK, card, self.melds(view, Hand.from_mask(view.mask & ~(1 << card)), chance))
        if verb in (kernel_layout.PASS, kernel_layout.DRAW):
            return PASS if verb == kernel_layout.PASS else DRAW
        return (TAKES if verb == kernel_layout.TAKE else DROPS)[card]

    def candidates(self, view: View) -> list[tuple[int, int]]:
        """Return the moves to try, as kernel verbs and cards; the simple player's comes first."""
        if view.phase == Phase.DROP:
            left = discard_deadwoods(view.mask)
            cards = [card for card in view.card_indices if card != view.taken_index or view.rules.return_upcard]
            least = min(left[card] for card in cards)
            # Few deals cannot tell eleven discards apart: the choice would go to luck. Those that leave much are not worth the noise.
            near = sorted((card for card in cards if left[card] <= least + SLACK), key=left.__getitem__)
            knocks = [card for card in cards if left[card] == least <= view.limit]
            return [(kernel_layout.KNOCK, card) for card in knocks[:1]] + [(kernel_layout.DROP, card) for card in near]
        upcard = view.pile_indices[-1]
        both = [(kernel_layout.TAKE, upcard), (kernel_layout.PASS if view.phase == Phase.OFFER else kernel_layout.DRAW, upcard)]
        return both if makes_meld(view.mask, upcard) else both[::-1]

    def values(self, view: View, candidates: list[tuple[int, int]], chance: Chance) -> list[float]:
        """Return the mean points that each candidate wins."""
        rules = rules_of(view)
        values = np.zeros(len(candidates))
        key = np.uint64(chance.key(Purpose.IMAGINED_HANDS))
        rollouts(np.array(candidates, np.int64), self.deals, key, situation_of(view), PLAY_OUT, rules, values)
        return [float(value) for value in values / self.deals]


def rules_of(view: View) -> NDArray[np.int64]:
    """Return the rules that the round of a view is played out by, with the knock limit of this round."""
    rules = _rules(view.rules).copy()
    rules[kernel_layout.LIMIT] = view.limit
    return rules


def situation_of(view: View) -> Situation:
    """Return a view as the rollouts start from it, the player who thinks in seat 0."""
    passes = sum(move.verb is Verb.PASS for _, move in view.history) if view.phase == Phase.OFFER else 3
    draws = sum(move.verb in (Verb.DRAW, Verb.TAKE) for _, move in view.history)
    upcards = sum(move.verb is Verb.TAKE for _, move in view.history) - _took_the_first(view)
    dropped = {move.index: 1 + (seat != view.seat) for seat, move in view.history if move.verb is Verb.DROP}
    pile = np.array([card + 64 * dropped.get(card, 0) for card in view.pile_indices], np.int64)
    return Situation(view.mask, view.known_mask, pile, view.stock, view.turn, draws, upcards, passes)


@cache
def _rules(rules: Rules) -> NDArray[np.int64]:
    """Return the rules that rounds are played out by: the kernel's, which know no last knock at the wall."""
    if rules.small:
        raise NotLegalHere(ONLY_SIMPLE)
    return rule_vector(replace(rules, wall_knock=False))


def _took_the_first(view: View) -> bool:
    """Tell whether the first upcard was taken when it was offered, which the limit on upcards does not count."""
    first = next((move.verb for _, move in view.history if move.verb is not Verb.PASS), None)
    return view.rules.offer_upcard and first is Verb.TAKE

"""A gin player as a class with the decisions: what is not overridden is decided as the simple player does.

>>> class Hoarder(GinPlayer):
...     name = "hoarder"
...     def drop(self, view, chance):
...         return Drop(min(card for card in view.hand if card != view.taken), knock=True)
>>> from meldlab.gin import Gin
>>> from meldlab.play import Deal, Table
>>> Table(Gin(), [Hoarder(), GinPlayer()]).play(Deal(seed=1)).result.winners
(1,)
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import CARDS, Card, Hand
from meldlab.gin import kernel
from meldlab.gin.move import DRAW, DROPS, PASS, TAKES, Move, Verb
from meldlab.gin.view import Phase, View, is_big_gin, laid_greedily, meld_of
from meldlab.melds import Meld, deadwood
from meldlab.play import Chance

__all__ = ["Drop", "GinPlayer", "Valued"]


class Drop(NamedTuple):
    """What to discard, and whether to knock with it where the rules allow that."""

    card: Card
    knock: bool = False


class Valued(NamedTuple):
    """A move and what a player makes of it, in whatever it counts in: more is better."""

    move: Move
    value: float


class GinPlayer:
    """Decides to take, to drop, and how to show melds; as it stands it is the simple player.

    One that can also say what its moves are worth has a method ``think(view, chance)`` that returns a list of ``Valued`` moves, the
    ones it compares; ``meldlab gin advise`` asks for it.
    """

    name = "player"

    def takes(self, view: View, upcard: Card) -> bool:
        """Tell whether to take the upcard: if some meld within the eleven cards contains it."""
        return bool(kernel.makes_meld(view.mask, upcard.index))

    def drop(self, view: View, chance: Chance) -> Drop:
        """Return the discard and whether to knock with it: one that leaves the least deadwood, and always."""
        card, _ = simple_discard(view, chance)
        return Drop(card, knock=True)

    def melds(self, view: View, hand: Hand, chance: Chance) -> tuple[Meld, ...]:
        """Return the melds to show of ten (big gin: eleven) cards: an arrangement with the least deadwood, each equally likely."""
        melds = np.zeros(kernel.MOST_MELDS, np.int64)
        many = kernel.pick_melds(hand.mask, np.uint64(chance.key(kernel.MELDS)), melds)
        return tuple(meld_of(mask) for mask in melds[:many].tolist())

    def choose(self, view: View, chance: Chance) -> Move:
        """Answer a view with a move."""
        if view.phase == Phase.FORCED:
            return DRAW
        if view.phase in (Phase.DROP, Phase.LAST):
            return self._drop(view, chance)
        if view.phase == Phase.SHOW:
            return self._show(view, chance)
        upcard = view.pile_indices[-1]
        if view.phase == Phase.WALL:
            return TAKES[upcard] if view.knocks_at_wall else PASS
        if self.takes(view, CARDS[upcard]):
            return TAKES[upcard]
        return DRAW if view.phase == Phase.DRAW else PASS

    def _drop(self, view: View, chance: Chance) -> Move:
        if view.rules.big_gin_bonus and is_big_gin(view.mask):
            return Move(Verb.BIG_GIN, melds=self.melds(view, view.hand, chance))
        must = view.phase is Phase.LAST
        card, knock = self.drop(view, chance)
        if not (knock or must):
            return DROPS[card.index]
        rest = Hand.from_mask(view.mask & ~(1 << card.index))
        if deadwood(rest) > view.limit:
            if not must:
                return DROPS[card.index]
            # The upcard was taken to knock with; any discard that allows it will do.
            knockable = view.knockable(view.mask, view.taken_index)
            card = next(each for each in view.hand if knockable >> each.index & 1)
            rest = Hand.from_mask(view.mask & ~(1 << card.index))
        return Move(Verb.KNOCK, card.index, self.melds(view, rest, chance))

    def _show(self, view: View, chance: Chance) -> Move:
        melds = self.melds(view, view.hand, chance)
        if view.rules.lay_off == "greedy" or view.gin or view.knock is None:
            return Move(Verb.SHOW, melds=melds)
        loose = view.mask & ~sum(meld.hand.mask for meld in melds)
        return Move(Verb.SHOW, melds=melds, laid=laid_greedily(loose, view.knock.melds))


def simple_discard(view: View, chance: Chance) -> tuple[Card, int]:
    """Return the simple player's discard and the deadwood it leaves; it never uses a {drawn, discarded} pair twice in a round."""
    used, stock_draws, drawn = np.zeros(52, np.int64), iter(view.drawn_indices), -1
    for seat, move in view.history:
        if seat != view.seat:
            continue
        if move.verb is Verb.DRAW:
            drawn = next(stock_draws, -1)  # a position from outside does not tell what was drawn before
        elif move.verb is Verb.TAKE:
            drawn = move.index
        elif move.verb is Verb.DROP and drawn >= 0:
            used[drawn] |= 1 << move.index
            used[move.index] |= 1 << drawn
    key = np.uint64(chance.key(kernel.DISCARD))
    chosen = kernel.simple_discard(view.mask, view.card_indices[-1], view.taken_index >= 0, used, key, np.zeros(52, np.int64))
    return CARDS[int(chosen) & 63], int(chosen) >> 6


def valued_drops(view: View, values: NDArray[np.float64]) -> list[Valued]:
    """Return what a kernel has written down about each discard of eleven cards, [52] float64 or more; cards it left out have no number."""
    return [Valued(DROPS[card], float(values[card])) for card in view.card_indices if not np.isnan(values[card])]

"""The base class of gin players: decisions that are not overridden are those of the simple player.

>>> class Hoarder(GinPlayer):
...     name = "hoarder"
...     def drop(self, view, chance):
...         return Drop(min(card for card in view.hand if card != view.taken), knock=True)
>>> from meldlab.gin import Gin
>>> from meldlab.play import Deal, Table
>>> Table(Gin(), [Hoarder(), GinPlayer()]).play(Deal(seed=1)).result.winners
(1,)
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import CARDS, Card, Hand
from meldlab.errors import NotLegalHere
from meldlab.gin import kernel_ensemble, kernel_hand, kernel_players
from meldlab.gin.batch import PlayerParameters
from meldlab.gin.kernel_state import EnsembleParameters, Memory
from meldlab.gin.move import DRAW, DROPS, PASS, TAKES, Move, Verb
from meldlab.gin.observation import NO_CHANCE, events_of, state_of
from meldlab.gin.rules import ONLY_SIMPLE
from meldlab.gin.view import Phase, View, is_big_gin, laid_greedily, pick_melds
from meldlab.melds import Meld, deadwood
from meldlab.play import Chance

MAX_KNOCK = 10
"""The most deadwood that the simple player and its relatives knock with, also under rules that allow more."""


class Drop(NamedTuple):
    """A discard, and whether to knock with it where the rules allow that."""

    card: Card
    knock: bool = False


class MoveValue(NamedTuple):
    """A move and its value by a player, in units of the player: more is better."""

    move: Move
    value: float


class GinPlayer:
    """Decides to take, to drop, and how to show melds; without overrides it is the simple player.

    A player that evaluates its moves has a method ``evaluate(view, chance)``, which returns a list of ``MoveValue`` for the moves that it
    compares; ``meldlab gin advise`` calls it.
    """

    name = "player"

    def takes(self, view: View, upcard: Card) -> bool:
        """Return whether to take the upcard: if some meld within the eleven cards contains it."""
        return bool(kernel_hand.makes_meld(view.mask, upcard.index))

    def drop(self, view: View, chance: Chance) -> Drop:
        """Return the discard that leaves the least deadwood, and whether to knock with it: whenever that is at most MAX_KNOCK."""
        card, left = simple_discard(view, chance)
        return Drop(card, knock=left <= MAX_KNOCK)

    def melds(self, view: View, hand: Hand, chance: Chance) -> tuple[Meld, ...]:
        """Return the melds to show of ten (big gin: eleven) cards: an arrangement with the least deadwood, each equally likely.

        More than eleven cards raise NotLegalHere.
        """
        return pick_melds(hand.mask, chance)

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
            # The upcard was taken to knock with: use any discard that allows it.
            knockable = view.knockable(view.mask, view.taken_index)
            card = next(held for held in view.hand if knockable >> held.index & 1)
            rest = Hand.from_mask(view.mask & ~(1 << card.index))
        return Move(Verb.KNOCK, card.index, self.melds(view, rest, chance))

    def _show(self, view: View, chance: Chance) -> Move:
        melds = self.melds(view, view.hand, chance)
        if view.rules.lay_off == "greedy" or view.gin or view.knock is None:
            return Move(Verb.SHOW, melds=melds)
        loose = view.mask & ~sum(meld.hand.mask for meld in melds)
        return Move(Verb.SHOW, melds=melds, laid=laid_greedily(loose, view.knock.melds))


class KernelPlayer(GinPlayer, ABC):
    """A player that decides in kernels, at the table as in batches."""

    @abstractmethod
    def parameters(self) -> PlayerParameters:
        """Return the parameters of the player in kernels."""

    def takes(self, view: View, upcard: Card) -> bool:
        """Return whether the kernel takes the upcard."""
        parameters, states = self._parameters_for(view), state_of(view)
        return bool(kernel_players.take_upcard(parameters, memory_of(parameters, view), states))

    def drop(self, view: View, chance: Chance) -> Drop:
        """Return the discard of the kernel, and whether it knocks."""
        card, knock, _ = self._discard(view, chance)
        return Drop(card, knock)

    def _discard(self, view: View, chance: Chance) -> tuple[Card, bool, Memory]:
        """Return the discard, whether to knock with it, and the workspace that it was computed on."""
        parameters = self._parameters_for(view)
        memory = memory_of(parameters, view)
        card, knock = kernel_players.choose_discard(parameters, memory, state_of(view, chance))
        return CARDS[card], bool(knock), memory

    def _parameters_for(self, view: View) -> PlayerParameters:
        if view.rules.small:
            raise NotLegalHere(ONLY_SIMPLE)
        return self.parameters()

    def evaluate(self, view: View, chance: Chance) -> list[MoveValue]:
        """Return the value of the hand after each discard."""
        if len(view.card_indices) <= view.rules.cards:
            return []
        values = self._discard(view, NO_CHANCE)[2].workspace.values
        return [MoveValue(DROPS[card], float(values[card])) for card in view.card_indices if not np.isnan(values[card])]


def memory_of(parameters: PlayerParameters, view: View) -> Memory:
    """Return the memory of a kernel player after the open events of a round.

    Values of discards that are not compared stay NaN.
    """
    memory: Memory = kernel_players.new_memory(parameters)
    if isinstance(parameters, EnsembleParameters):
        kernel_ensemble.replay_events(view.seat, events_of(view), parameters, memory.belief)
    memory.cards[: len(view.card_indices)] = view.card_indices
    memory.workspace.values[:] = np.nan
    return memory


def simple_discard(view: View, chance: Chance) -> tuple[Card, int]:
    """Return the simple player's discard and the deadwood it leaves; it never uses a {drawn, discarded} pair twice in a round."""
    key = np.uint64(chance.key(kernel_hand.DISCARD_PURPOSE))
    card, left = kernel_hand.simple_discard(
        view.mask, view.card_indices[-1], view.taken_index >= 0, used_pairs(view), key, np.zeros(52, np.int64)
    )
    return CARDS[int(card)], int(left)


def used_pairs(view: View) -> NDArray[np.int64]:
    """Return [52], for each card the cards it made a {drawn, discarded} pair with in this round."""
    used, stock_draws, drawn = np.zeros(52, np.int64), iter(view.drawn_indices), -1
    for seat, move in view.history:
        if seat != view.seat:
            continue
        if move.verb is Verb.DRAW:
            drawn = next(stock_draws, -1)  # a position from outside lacks the cards drawn before
        elif move.verb is Verb.TAKE:
            drawn = move.index
        elif move.verb is Verb.DROP and drawn >= 0:
            used[drawn] |= 1 << move.index
            used[move.index] |= 1 << drawn
    return used

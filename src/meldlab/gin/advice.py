"""Advice for a seat, with reasons a person can check.

>>> advice = advise(imagined_view(hand="2C 3C 4C 9D 9H 9S KC KD 4H 5S", upcard="KH"))
>>> str(advice.move), advice.reason
('take KH', 'KH makes a meld')
>>> [str(one.move) for one in advice.prospects]
['take KH', 'pass']
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from meldlab.cards import CARDS, Card, Deck, Hand
from meldlab.errors import NotLegalHere
from meldlab.gin.move import DRAW, PASS, Move, Verb
from meldlab.gin.players import EnsemblePlayer, Outlook, PolicyPlayer, Valued
from meldlab.gin.prospects import prospects
from meldlab.gin.review import Candidate
from meldlab.gin.round import Round
from meldlab.gin.rules import Rules
from meldlab.gin.view import HAND_CARDS, Phase, View
from meldlab.melds import arrange, deadwood, discards
from meldlab.play import Chance, Deal, Player

__all__ = ["Advice", "Adviser", "advise", "imagined_view", "thinking"]


class Adviser(Player[View, Move], Protocol):
    """A player that can say what its moves are worth."""

    def think(self, view: View, chance: Chance) -> Sequence[Valued]:
        """Return the moves it compares and what it makes of each; nothing where it has no numbers."""


@dataclass(frozen=True)
class Advice:
    """What to do, why, and what the adviser makes of every card."""

    move: Move
    reason: str
    deadwood: int
    """Of the hand as it is; of eleven cards after the best discard."""
    after: dict[Card, int]
    """The deadwood that each discard would leave; of eleven cards only."""
    values: tuple[Valued, ...]
    """What the player that was asked makes of the moves it has compared."""
    prospects: tuple[Candidate, ...]
    """What every move leads to, the best first, where no player was asked."""
    outlook: Outlook
    """Where an ensemble, the adviser if it is one, believes the cards to be."""


def advise(view: View, player: Player[View, Move] | None = None) -> Advice:
    """Say what is best in a view that is to move, by playing the round out, or what a player would do; it must be an ``Adviser``."""
    if view.acting != view.seat:
        raise NotLegalHere("the other player is to move")
    expert = player or PolicyPlayer.parse("champion")
    think = thinking(expert)
    chance = Deal(0).chance(len(view.history), view.seat)
    found = () if player else prospects(view)
    move = found[0].move if found else expert.choose(view, chance)
    view.verify(move)
    values = tuple(Valued(*one) for one in think(view, chance)) if player else ()
    after = discards(view.hand) if len(view.hand) > HAND_CARDS else {}
    least = min(after.values()) if after else deadwood(view.hand)
    outlook = (expert if isinstance(expert, EnsemblePlayer) else EnsemblePlayer()).outlook(view)
    return Advice(move, _reason(view, move, least), least, after, values, found, outlook)


def thinking(player: Player[View, Move]) -> Callable[[View, Chance], Sequence[Valued]]:
    """Return how a player says what its moves are worth, or say that it does not."""
    think: Callable[[View, Chance], Sequence[Valued]] | None = getattr(player, "think", None)
    if not callable(think):
        raise NotLegalHere(f"{player.name} gives no advice: it has no method think(view, chance)")
    return think


def _reason(view: View, move: Move, least: int) -> str:
    if move.verb is Verb.TAKE:
        eleven = Hand.from_mask(view.mask | 1 << move.index)
        best = arrange(eleven)
        if any(move.card in meld.hand for meld in best.melds):
            return f"{move.card} makes a meld"
        lower = min(left for card, left in discards(eleven).items() if card != move.card) < least
        return f"{move.card} lowers the deadwood" if lower else f"{move.card} promises more than a card from stock"
    if move.verb is Verb.SHOW:
        return f"these melds leave {least}"
    if move in (DRAW, PASS):
        return "a card from stock promises more" if view.phase is not Phase.FORCED else "both have passed"
    if move.verb is Verb.DROP:
        left = discards(view.hand)[CARDS[move.index]]
        if least <= view.limit:
            return f"going on for gin promises more than a knock with {least}"
        return f"leaves {left}, the least" if left == least else f"leaves {left}; {least} is possible, but this hand has more future"
    if move.verb is Verb.BIG_GIN:
        return "all eleven cards are melded"
    left = discards(view.hand)[CARDS[move.index]]
    return "gin" if left == 0 else f"to end the round with {left} promises more than going on"


def imagined_view(
    hand: str,
    upcard: str = "",
    discards: str = "",
    opponent: str = "",
    *,
    turn: int = 0,
    rules: Rules | None = None,
    scores: tuple[int, int] = (0, 0),
) -> View:
    """Return the view of a position given from outside: ten cards before a draw, or eleven before a discard.

    ``discards``: the pile below the upcard, oldest first, taken as dropped by both in turn, the upcard by the opponent; ``opponent``: cards
    it is known to hold; ``turn``: how many cards one has drawn, at least as many as the pile tells; ``scores``: own and other.
    """
    mine, pile, known = Hand.parse(hand), Deck.parse(discards).cards, Hand.parse(opponent)
    top = [Card.parse(upcard)] if upcard.strip() else []
    if len(mine) not in (HAND_CARDS, HAND_CARDS + 1):
        raise NotLegalHere(f"a gin hand has 10 cards, or 11 after a draw, not {len(mine)}")
    if len(mine) == HAND_CARDS and not top:
        raise NotLegalHere("with ten cards there is an upcard to take or leave")
    if len(known) > HAND_CARDS:
        raise NotLegalHere(f"the opponent holds 10 cards, not {len(known)}")
    seen = [*mine, *pile, *top, *known]
    for card in seen:
        if seen.count(card) > 1:
            raise NotLegalHere(f"{card} is in two places")
    lying = [*pile, *top]
    if len(lying) > 30:
        raise NotLegalHere("the round would be over with so many discards")
    drops = _drops(lying)
    stock = 52 - 2 * HAND_CARDS - (len(mine) - HAND_CARDS) - len(lying)
    taken = tuple((1, Move(Verb.TAKE, card.index)) for card in known)
    history = (*drops, *taken)
    draws = sum(seat == 0 and move.verb is Verb.DRAW for seat, move in history)
    if len(mine) == HAND_CARDS + 1:
        history, draws = (*history, (0, DRAW)), draws + 1
    history = (*((0, DRAW) for _ in range(turn - draws)), *history)
    start = rules or Rules()
    if start.match_points and max(scores) >= start.match_points:
        raise NotLegalHere(f"with {max(scores)} points the match is over, it goes to {start.match_points}")
    first = lying[0].index if lying else 0
    phase = Phase.DROP if len(mine) > HAND_CARDS else Phase.DRAW if drops else Phase.OFFER
    places = tuple(card.index for card in lying), (tuple(card.index for card in mine), ()), (mine.mask, 0)
    return Round(start, start.limit(first), phase, 0, 0, (), max(stock, 0), *places, history).view(0, scores)


def _drops(lying: Sequence[Card]) -> tuple[tuple[int, Move], ...]:
    """Return the draws and drops that a pile tells of; its first card was turned up, the last was dropped by the opponent."""
    events: list[tuple[int, Move]] = []
    seat = 1
    for card in reversed(lying[1:]):
        events = [(seat, DRAW), (seat, Move(Verb.DROP, card.index)), *events]
        seat = 1 - seat
    return tuple(events)

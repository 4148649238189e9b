"""Advice for a seat, with reasons.

>>> advice = advise(position_view(hand="2C 3C 4C 9D 9H 9S KC KD 4H 5S", upcard="KH"))
>>> str(advice.move), advice.reason
('take KH', 'KH makes a meld')
>>> [str(candidate.move) for candidate in advice.candidates]
['take KH', 'pass']
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from meldlab.cards import CARDS, Card, Deck, Hand
from meldlab.errors import NotLegalHere, whole_number
from meldlab.gin.move import DRAW, PASS, Move, Verb
from meldlab.gin.players import Belief, EnsemblePlayer, MoveValue, PolicyPlayer
from meldlab.gin.review import Candidate, Reviewer
from meldlab.gin.round import Round
from meldlab.gin.rules import Rules
from meldlab.gin.seen import packed_from
from meldlab.gin.view import HAND_CARDS, Phase, View
from meldlab.melds import arrange, deadwood, discards
from meldlab.play import Chance, Deal, Player


@dataclass(frozen=True)
class Advice:
    """The best move, the reason, and the values of all moves."""

    move: Move
    reason: str
    deadwood: int
    """Deadwood of the hand; of eleven cards after the best discard."""
    after: dict[Card, int]
    """The deadwood after each discard; of eleven cards only."""
    values: tuple[MoveValue, ...]
    """The values by the player, if one was given."""
    candidates: tuple[Candidate, ...]
    """The moves by rollouts, the best first, if no player was given."""
    belief: Belief
    """The belief of an ensemble: of the player if it is one."""


def advise(view: View, player: Player[View, Move] | None = None) -> Advice:
    """Return the best move of the seat to act by rollouts, or the move of a player, which must have a method ``evaluate``."""
    if view.acting != view.seat:
        raise NotLegalHere("the other player is to move")
    expert = player or PolicyPlayer.parse("champion")
    evaluate = evaluation(expert)
    chance = Deal(0).chance(len(view.history), view.seat)
    candidates = () if player else Reviewer.from_name().candidates(view)
    move = candidates[0].move if candidates else expert.choose(view, chance)
    view.verify(move)
    values = tuple(MoveValue(*value) for value in evaluate(view, chance)) if player else ()
    after = discards(view.hand) if len(view.hand) > HAND_CARDS else {}
    least = min(after.values()) if after else deadwood(view.hand)
    belief = (expert if isinstance(expert, EnsemblePlayer) else EnsemblePlayer()).belief(view)
    return Advice(move, _reason(view, move, least), least, after, values, candidates, belief)


def evaluation(player: Player[View, Move]) -> Callable[[View, Chance], Sequence[MoveValue]]:
    """Return the method by which a player evaluates moves, ``evaluate`` or its former name ``think``; raise if it has none."""
    evaluate: Callable[[View, Chance], Sequence[MoveValue]] | None = getattr(player, "evaluate", getattr(player, "think", None))
    if not callable(evaluate):
        raise NotLegalHere(f"{player.name} gives no advice: it has no method evaluate(view, chance)")
    return evaluate


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


def position_view(
    hand: str,
    upcard: str = "",
    discards: str = "",
    opponent: str = "",
    *,
    turn: int = 0,
    rules: Rules | None = None,
    scores: tuple[int, int] = (0, 0),
    limit: int | None = None,
) -> View:
    """Return the view of a position: ten cards before a draw, or eleven before a discard.

    ``discards``: the pile below the upcard, oldest first, dropped by both in turn, the upcard by the opponent; ``opponent``: cards
    it is known to hold; ``turn``: the number of own draws, at least that of the pile; ``scores``: own and other;
    ``limit``: the most deadwood to knock with under Oklahoma rules; by default the first card of the pile sets it.
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
    pile_cards = [*pile, *top]
    if len(pile_cards) > 30:
        raise NotLegalHere(f"the round would be over with {len(pile_cards)} discards")
    drops = _drops(pile_cards)
    stock = 52 - 2 * HAND_CARDS - (len(mine) - HAND_CARDS) - len(pile_cards)
    taken = tuple((1, Move(Verb.TAKE, card.index)) for card in known)
    history = (*drops, *taken)
    draws = sum(seat == 0 and move.verb is Verb.DRAW for seat, move in history)
    if len(mine) == HAND_CARDS + 1:
        history, draws = (*history, (0, DRAW)), draws + 1
    history = (*((0, DRAW) for _ in range(turn - draws)), *history)
    start = rules or Rules()
    if start.match_points and max(scores) >= start.match_points:
        raise NotLegalHere(f"with {max(scores)} points the match is over, it goes to {start.match_points}")
    if limit is None:
        if start.oklahoma and not pile_cards:
            raise NotLegalHere("expected the discard pile or the knock limit: under Oklahoma rules the first upcard sets the limit")
        limit = start.limit(pile_cards[0].index if pile_cards else 0)
    elif not start.oklahoma:
        raise NotLegalHere(f"expected no knock limit: these rules set it to {start.knock_limit}, it is free under Oklahoma rules only")
    phase = Phase.DROP if len(mine) > HAND_CARDS else Phase.DRAW if drops else Phase.OFFER
    pile_indices, hands = tuple(card.index for card in pile_cards), (tuple(card.index for card in mine), ())
    most = whole_number(limit, "knock limit", maximum=HAND_CARDS)
    view = Round(start, most, 0, phase, 0, max(stock, 0), pile_indices, history, hands=hands, masks=(mine.mask, 0)).view(0, scores)
    # The first upcard of a round does not count as one while it is on offer.
    first_taken = start.offer_upcard and bool(history) and history[0][1].verb is Verb.TAKE
    return view._replace(packed_seen=packed_from(history, view.first_pile), upcards=len(known) - first_taken)


def _drops(pile_cards: Sequence[Card]) -> tuple[tuple[int, Move], ...]:
    """Return the draws and drops that a pile implies; its first card was turned up, the last was dropped by the opponent."""
    events: list[tuple[int, Move]] = []
    seat = 1
    for card in reversed(pile_cards[1:]):
        events = [(seat, DRAW), (seat, Move(Verb.DROP, card.index)), *events]
        seat = 1 - seat
    return tuple(events)

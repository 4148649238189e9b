"""Rounds of OpenSpiel's own gin_rummy as our records under the rules ``openspiel``, and ours at its table.

Its table and ours agree except for three cases, which it cannot play and which raise an error: it takes some hands of *eleven cards* for
worse than they are and forbids their knocks; it knows no *long runs*, of more than five cards, so these are shown to it in pieces and
nothing is laid off on them; and *long lay-offs*, of more than two cards on one side of a run.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import pyspiel

from meldlab.cards import CARDS, Deck, Hand
from meldlab.errors import NotLegalHere
from meldlab.gin import Gin, Match, Move, Phase, Rules, Verb
from meldlab.gin.move import DRAW, DROPS, PASS, TAKES
from meldlab.melds import Meld
from meldlab.play import Deal, Record

DRAW_UPCARD, DRAW_STOCK, PASSING, KNOCKING, MELDS = 52, 53, 54, 55, 56
NO_CARD = 52  # cards are the actions below
SUITS = {4: (3, 0, 1, 2)}  # its suits go spades, clubs, diamonds, hearts; those of a small deck have no names to keep
Action = int
# Parameters of its game, by the fields of our rules.
PARAMETERS = {
    **{name: name for name in ("oklahoma", "gin_bonus", "undercut_bonus")},
    "knock_limit": "knock_card",
    "cards": "hand_size",
    "ranks": "num_ranks",
    "suits": "num_suits",
}


class Cards:
    """Its numbers of cards and melds, for a deck of some ranks and suits."""

    def __init__(self, rules: Rules) -> None:
        suits = SUITS.get(rules.suits, tuple(range(rules.suits)))
        self.ours = tuple(13 * suit + rank for suit in suits for rank in range(rules.ranks))
        self.theirs = {card: number for number, card in enumerate(self.ours)}
        self.about = pyspiel.gin_rummy.GinRummyUtils(rules.ranks, rules.suits, rules.cards)

    def meld(self, action: Action) -> Meld:
        """Return the meld that an action shows."""
        return Meld(Hand.from_mask(sum(1 << self.ours[card] for card in self.about.int_to_meld[action - MELDS])))

    def shows(self, meld: Meld) -> list[Action]:
        """Return the actions that show a meld: a run of more than five cards goes in pieces."""
        cards = [self.theirs[card.index] for card in meld.cards]
        cuts = [0, len(cards)] if len(cards) <= 5 else [0, 3, len(cards)] if len(cards) <= 8 else [0, 3, 6, len(cards)]
        return [MELDS + int(self.about.meld_to_int(cards[first:last])) for first, last in pairwise(cuts)]


cards_of = cache(Cards)  # a table of all melds lies behind them


def rules_of(game: Any) -> Rules:
    """Return what a game of OpenSpiel's ``gin_rummy`` plays."""
    parameters = game.get_parameters()
    return replace(Rules.preset("openspiel"), **{ours: parameters[theirs] for ours, theirs in PARAMETERS.items()})


def load_game(rules: Rules) -> Any:
    """Return OpenSpiel's game under rules that it can play."""
    return pyspiel.load_game("gin_rummy", {theirs: getattr(rules, ours) for ours, theirs in PARAMETERS.items()})


@cache
def initial_state(rules: Rules) -> Any:
    """Return the initial state of OpenSpiel's game, to be cloned, which is faster than to make one."""
    return load_game(rules).new_initial_state()


class ParsedHistory(NamedTuple):
    """A parsed history of OpenSpiel's gin_rummy."""

    match: Match
    """The match after the moves."""
    moves: list[tuple[Match, Move]]
    rest: list[Action]
    """Actions of a move that is not complete."""


def parse_history(game: Any, history: Sequence[Any]) -> ParsedHistory:
    """Parse the history of a state, as ``state.full_history()`` gives it; an undrawn card may be anywhere in the stock."""
    rules = rules_of(game)
    cards = cards_of(rules)
    dealt = [cards.ours[step.action] for step in history if step.player == pyspiel.PlayerId.CHANCE]
    if len(dealt) <= 2 * rules.cards:
        raise NotLegalHere("the cards have not been dealt yet")
    deck = [*dealt, *(card for card in rules.pack if card not in dealt)]
    match = Gin(rules).start(2, Deal(given=(str(Deck(tuple(CARDS[card] for card in deck))),)))
    actions, moves = [step.action for step in history if step.player != pyspiel.PlayerId.CHANCE], list[tuple[Match, Move]]()
    while actions:
        move, count = next_move(match, actions, cards)
        if move is None:
            break
        moves.append((match, move))
        match, actions = match.apply(move), actions[count:]
    return ParsedHistory(match, moves, actions)


def next_move(match: Match, actions: list[Action], cards: Cards) -> tuple[Move | None, int]:
    """Return the move that the first actions make, and how many they are; none if it is not whole."""
    phase, first = match.round.phase, actions[0]
    if phase is Phase.SHOW:
        ends = [index for index, action in enumerate(actions) if action == PASSING]
        lays_off = not match.view(match.round.seat).gin
        if len(ends) <= lays_off:
            return None, 0
        laid, end = actions[: ends[0]] if lays_off else [], ends[lays_off]
        melds = actions[ends[0] + 1 : end] if lays_off else actions[:end]
        return Move(Verb.SHOW, melds=tuple(map(cards.meld, melds)), laid=_hand(laid, cards)), end + 1
    if phase is Phase.LAST or (first == KNOCKING and phase is not Phase.WALL):
        start = int(first == KNOCKING)
        if PASSING not in actions:
            return None, 0
        end = actions.index(PASSING)
        return Move(Verb.KNOCK, cards.ours[actions[start]], tuple(map(cards.meld, actions[start + 1 : end]))), end + 1
    if first in (DRAW_UPCARD, KNOCKING):  # a knock at the wall takes the upcard first
        return TAKES[match.round.pile[-1]], 1
    return {PASSING: PASS, DRAW_STOCK: DRAW}.get(first) or DROPS[cards.ours[first]], 1


def _hand(numbers: Sequence[int], cards: Cards) -> Hand:
    return Hand.from_mask(sum(1 << cards.ours[number] for number in numbers))


def record_of(state: Any, players: tuple[str, str] = ("openspiel", "openspiel")) -> Record:
    """Return a state of OpenSpiel's ``gin_rummy`` as a record of ours, which ``meldlab replay`` shows.

    >>> state = pyspiel.load_game("gin_rummy").new_initial_state()
    >>> while state.is_chance_node():
    ...     state.apply_action(state.legal_actions()[0])
    >>> state.apply_action(54)
    >>> record_of(state).actions
    ('p1 pass',)
    """
    read = parse_history(state.get_game(), state.full_history())
    lines = tuple(f"p{match.round.seat + 1} {match.describe(move)}" for match, move in read.moves)
    return Record("gin", read.match.rules.as_record(), players, read.match.deal, lines, read.match.result)


class OpenSpielRound:
    """A round at OpenSpiel's table that repeats the moves of ours."""

    def __init__(self, state: Any, rules: Rules) -> None:
        self.state, self.cards = state, cards_of(rules)

    def do(self, action: Action) -> None:
        """Apply an action of the seat to move, which must be legal there."""
        if self.state.is_terminal() or action not in self.state.legal_actions():
            raise NotLegalHere(f"OpenSpiel does not allow action {action} here")
        self.state.apply_action(action)

    def actions(self, match: Match, move: Move) -> Iterator[Action]:
        """Yield the actions of a move; each must be applied before the next is requested."""
        phase, verb, theirs = match.round.phase, move.verb, self.cards.theirs
        if verb is Verb.SHOW:
            yield from self._showing(match, move)
        elif verb is Verb.KNOCK:
            if phase is Phase.DROP:
                yield self._knocking()
            if theirs[move.index] not in self.state.legal_actions():
                raise NotLegalHere("OpenSpiel rejects this discard: it is wrong about the deadwood of some hands of eleven cards")
            yield theirs[move.index]
            yield from self._melds(move)
        elif verb is Verb.TAKE and phase is Phase.WALL:
            yield self._knocking()
        elif verb is Verb.BIG_GIN:
            raise NotLegalHere("OpenSpiel knows no big gin")
        elif verb is Verb.DROP:
            yield theirs[move.index]
        else:
            yield {Verb.PASS: PASSING, Verb.DRAW: DRAW_STOCK, Verb.TAKE: DRAW_UPCARD}[verb]

    def _knocking(self) -> Action:
        if KNOCKING not in self.state.legal_actions():
            raise NotLegalHere("OpenSpiel rejects this knock: it is wrong about the deadwood of some hands of eleven cards")
        return KNOCKING

    def _melds(self, move: Move) -> Iterator[Action]:
        for meld in move.melds:
            yield from self.cards.shows(meld)
        yield PASSING

    def _showing(self, match: Match, move: Move) -> Iterator[Action]:
        knock = match.round.knock
        assert knock is not None
        if not match.view(match.round.seat).gin:
            if move.laid and any(len(meld.hand) > 5 for meld in knock.melds):
                raise NotLegalHere("OpenSpiel lays nothing off on long runs, of more than five cards")
            left = [self.cards.theirs[card.index] for card in move.laid]
            while left:
                card = next((card for card in left if card in self.state.legal_actions()), None)
                if card is None:
                    raise NotLegalHere("OpenSpiel knows no long lay-offs, of more than two cards on one side of a run")
                left.remove(card)
                yield card
            yield PASSING
        yield from self._melds(move)

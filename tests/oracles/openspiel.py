"""OpenSpiel's simple bot as a player at our table, and our records as its histories: the other side of the adapter's tests."""

from functools import cache
from typing import Any

import pyspiel

from meldlab.adapters.openspiel.histories import OpenSpielRound, initial_state, load_game, next_move, rules_of
from meldlab.cards import CARDS, Deck
from meldlab.errors import MeldlabError, NotLegalHere
from meldlab.gin import Gin, Match, Move, Round, Rules, Verb, View
from meldlab.gin.players import GinPlayer
from meldlab.play import Chance, Deal, Record, replay


class DealtRound(OpenSpielRound):
    """A round at OpenSpiel's table, dealt from the deck of a match of ours."""

    def __init__(self, match: Match) -> None:
        super().__init__(initial_state(match.rules).clone(), match.rules)
        self.deck = iter([self.cards.theirs[card] for card in match.round.deck])
        self._deal()

    def _deal(self) -> None:
        while self.state.is_chance_node():
            self.state.apply_action(next(self.deck))

    def do(self, action: int) -> None:
        """Apply an action, and deal the card that is due."""
        super().do(action)
        self._deal()

    def apply_move(self, match: Match, move: Move) -> None:
        """Repeat a move of ``match``; raise ``NotLegalHere`` if OpenSpiel cannot."""
        for action in self.actions(match, move):
            self.do(action)


def history_of(record: Record) -> list[int]:
    """Return a record of a round as actions for ``state.apply_action`` of OpenSpiel's ``gin_rummy``, the cards dealt included."""
    game = Gin.read(record.rules)
    loaded = load_game(game.rule)
    if rules_of(loaded) != game.rule:
        raise NotLegalHere("OpenSpiel plays the rules 'openspiel', which differ from those of the record")
    theirs = DealtRound(game.start(2, record.deal))
    for step in replay(game, record):
        if step.forfeit:
            raise NotLegalHere("OpenSpiel has no forfeits")
        theirs.apply_move(step.before, step.action)
    return [int(action) for action in theirs.state.history()]


def match_from_view(view: View) -> Match:
    """Return a match with the seat's view in which the cards that it cannot see are in possible positions."""
    rules, (up,) = view.rules, view.first_pile
    own, drawn = list(view.card_indices), list(view.drawn_indices)
    for seat, move in reversed(view.history):
        if seat == view.seat and move.verb in (Verb.DROP, Verb.KNOCK):
            own.append(move.index)
        elif seat == view.seat and move.verb in (Verb.DRAW, Verb.TAKE):
            own.remove(move.index if move.verb is Verb.TAKE else drawn.pop())
    # A card of the other that comes to light is the last that it drew or, if all those have been seen, one that it was dealt.
    stock, taken, others = list[int](), set[int](), dict[int, int]()  # of the other: place in hand, or -1 - place in stock
    gaps, drawn = list(range(rules.cards)), list(reversed(view.drawn_indices))
    for seat, move in view.history:
        if move.verb is Verb.DRAW:
            gaps += [-1 - len(stock)] if seat != view.seat else []
            stock.append(drawn.pop() if seat == view.seat else -1)
        elif seat != view.seat and move.verb is Verb.TAKE:
            taken.add(move.index)
        elif seat != view.seat and move.index in taken:
            taken.remove(move.index)
        elif seat != view.seat and move.index >= 0:
            others[gaps.pop()] = move.index
    seen = {*own, up, *view.drawn_indices, *taken, *others.values()}
    hidden = sorted((card for card in rules.pack if card not in seen), key=lambda card: not view.knocker_mask >> card & 1)
    others |= dict(zip(gaps, hidden, strict=False))
    for index, card in enumerate(stock):
        stock[index] = others[-1 - index] if card < 0 else card
    hands = [own, [others[index] for index in range(rules.cards)]]
    deck = [*hands[view.starter != view.seat], *hands[view.starter == view.seat], up, *stock, *hidden[len(gaps) :]]
    round = Round.deal(rules, Deck(tuple(CARDS[card] for card in deck)), view.starter)
    return Match(rules, Deal(), round, view.number, view.scores, view.starter)


@cache
def simple_bot(rules: Rules, seat: int) -> Any:
    """Return OpenSpiel's bot in a seat, cached because it is slow to make."""
    return pyspiel.make_simple_gin_rummy_bot(initial_state(rules).get_game().get_parameters(), seat)


class SimpleBot:
    """OpenSpiel's simple gin rummy bot at our table; it plays on a deal that agrees with its view."""

    name = "openspiel:simple"

    def choose(self, view: View, chance: Chance) -> Move:
        """Return the bot's move; that of the simple player where OpenSpiel cannot play the round or our rules forbid the move."""
        if not view.rules.offer_upcard or view.rules.stock_floor != 2:
            raise NotLegalHere("OpenSpiel's bot plays where the first upcard is offered and two cards end the stock")
        try:
            move = self._asked(view)
            view.verify(move)
        except MeldlabError:
            return GinPlayer().choose(view, chance)
        return move

    def _asked(self, view: View) -> Move:
        match = match_from_view(view)
        round = DealtRound(match)
        for _, move in view.history:
            round.apply_move(match, move)
            match = match.apply(move)
        state, seat = round.state, int(view.seat != view.starter)
        bot = simple_bot(view.rules, seat)
        bot.restart()
        before = len(state.history())
        while True:
            if state.is_terminal() or state.current_player() != seat:
                raise NotLegalHere("OpenSpiel's round is over, ours is not")
            state.apply_action(bot.step(state))
            answer, _ = next_move(match, state.history()[before:], round.cards)
            if answer is not None:
                return answer

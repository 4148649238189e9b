"""Players at both tables: OpenSpiel's bot at ours, by the name ``meldlab.adapters.openspiel:SimpleBot``, and ours at OpenSpiel's.

>>> from meldlab.gin import Gin, players
>>> from meldlab.play import Deal, Table
>>> line_up = [players.parse("meldlab.adapters.openspiel:SimpleBot"), players.parse("simple")]
>>> played = Table(Gin(), line_up).play(Deal(seed=1))
>>> played.players, played.abnormal_end
(('openspiel:simple', 'simple'), '')
"""

from functools import cache
from typing import Any

import pyspiel

from meldlab.adapters.openspiel.histories import PASSING, Follower, beginning, next_move, read_history
from meldlab.cards import CARDS, Deck
from meldlab.errors import MeldlabError, NotLegalHere
from meldlab.gin import Match, Move, Round, Rules, Verb, View
from meldlab.gin.players import GinPlayer
from meldlab.play import Chance, Deal, Player

__all__ = ["PlayerBot", "SimpleBot", "match_from_view"]


def match_from_view(view: View) -> Match:
    """Return a match that looks to the seat as its view does: the cards that it cannot see lie where they may.

    >>> from meldlab.gin import Gin
    >>> view = Gin().start(2, Deal(seed=3)).view(1)
    >>> match_from_view(view).view(1) == view
    True
    """
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
    """Return OpenSpiel's bot in a seat of its table; it takes longer to make than to ask."""
    return pyspiel.make_simple_gin_rummy_bot(beginning(rules).get_game().get_parameters(), seat)


class SimpleBot:
    """OpenSpiel's simple gin rummy bot at our table; it gets a view, as every player, and plays on a deal that agrees with it."""

    name = "openspiel:simple"

    def choose(self, view: View, chance: Chance) -> Move:
        """Answer as the bot does; where its table cannot follow or ours forbids its answer, as the plainest of our players does."""
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
        follower = Follower.dealt(match)
        for _, move in view.history:
            follower.follow(match, move)
            match = match.apply(move)
        state, seat = follower.state, int(view.seat != view.starter)
        bot = simple_bot(view.rules, seat)
        bot.restart()
        before = len(state.history())
        while True:
            if state.is_terminal() or state.current_player() != seat:
                raise NotLegalHere("OpenSpiel's round is over where ours goes on")
            state.apply_action(bot.step(state))
            answer, _ = next_move(match, state.history()[before:], follower.cards)
            if answer is not None:
                return answer


class PlayerBot(pyspiel.Bot):  # type: ignore[misc]  # a class of C++
    """One of our players as a bot for OpenSpiel's gin_rummy, in seat 0 or 1.

    >>> from meldlab.gin import players
    >>> game = pyspiel.load_game("gin_rummy")
    >>> bots = [PlayerBot(players.parse("simple"), seat) for seat in range(2)]
    >>> returns = pyspiel.evaluate_bots(game.new_initial_state(), bots, 7)
    >>> sum(returns)
    0.0
    """

    def __init__(self, player: Player[View, Move], seat: int, seed: int = 0) -> None:
        super().__init__()
        self.player, self.seat, self.deal = player, seat, Deal(seed)

    def step(self, state: Any) -> int:
        """Return the next action of what the player does here; it is asked again for each part of a knock, and answers the same.

        An action that OpenSpiel rejects (see ``histories``) becomes the nearest that it allows.
        """
        history = state.full_history()
        read = read_history(state.get_game(), history)
        view = read.match.view(self.seat)
        move = self.player.choose(view, self.deal.chance(len(read.moves), self.seat))
        view.verify(move)
        before = beginning(read.match.rules).clone()
        for step in history[: len(history) - len(read.rest)]:
            before.apply_action(step.action)
        follower, done = Follower(before, read.match.rules), list(read.rest)
        try:
            for action in follower.actions(read.match, move):
                if not done:
                    return action
                follower.do(done.pop(0))
        except NotLegalHere:
            pass  # it says what OpenSpiel cannot do
        legal = state.legal_actions()
        card = follower.cards.theirs.get(move.index, PASSING)
        return int(card if card in legal else PASSING if PASSING in legal else legal[0])

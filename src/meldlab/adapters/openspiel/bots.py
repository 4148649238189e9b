"""Our players as bots at OpenSpiel's table."""

from typing import Any

import pyspiel

from meldlab.adapters.openspiel.histories import PASSING, OpenSpielRound, initial_state, parse_history
from meldlab.errors import NotLegalHere
from meldlab.gin import Move, View
from meldlab.play import Deal, Player


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
        """Return the next action of the player's move; a knock has several, and the player is called for each.

        An action that OpenSpiel rejects (see ``histories``) becomes the nearest legal one.
        """
        history = state.full_history()
        parsed = parse_history(state.get_game(), history)
        view = parsed.match.view(self.seat)
        move = self.player.choose(view, self.deal.chance(len(parsed.moves), self.seat))
        view.verify(move)
        start = initial_state(parsed.match.rules).clone()
        for step in history[: len(history) - len(parsed.rest)]:
            start.apply_action(step.action)
        round, done = OpenSpielRound(start, parsed.match.rules), list(parsed.rest)
        try:
            for action in round.actions(parsed.match, move):
                if not done:
                    return action
                round.do(done.pop(0))
        except NotLegalHere:
            pass  # OpenSpiel cannot play it
        legal = state.legal_actions()
        card = round.cards.theirs.get(move.index, PASSING)
        return int(card if card in legal else PASSING if PASSING in legal else legal[0])

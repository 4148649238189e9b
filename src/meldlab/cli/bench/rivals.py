"""Other people's programs that answer the same question, for those that are installed."""

from collections.abc import Callable, Iterator
from importlib import import_module
from random import Random
from typing import Any

from meldlab.cards import Hand

Rival = tuple[str, Callable[[Hand], Any], Callable[[Any], int]]


def deadwood_rivals() -> Iterator[Rival]:
    """Give (name, how it wants a hand, its deadwood of such a hand) for each installed rival."""
    for find in (_openspiel, _rlcard):
        try:
            yield find()
        except ImportError:
            continue


def _openspiel() -> Rival:
    rules = import_module("pyspiel").gin_rummy.GinRummyUtils(13, 4, 10)
    # Its suits go spades, clubs, diamonds, hearts; deadwood does not care which suit is which.
    return "OpenSpiel", lambda hand: [card.index for card in hand], rules.min_deadwood


def _rlcard() -> Rival:
    room = "rlcard.games.gin_rummy.utils."
    cards, melding = import_module(room + "utils"), import_module(room + "melding")

    def least(hand: Any) -> int:
        clusters = melding.get_meld_clusters(hand=hand)
        return min((int(cards.get_deadwood_count(hand, cluster)) for cluster in clusters), default=int(cards.get_deadwood_count(hand, [])))

    return "RLCard", lambda hand: [cards.get_card(card.index) for card in hand], least


def gin_rivals(seed: int) -> Iterator[tuple[str, Callable[[], object]]]:
    """Give (name, a function that plays one random round of gin) for each installed rival."""
    for name, find in (("OpenSpiel", _openspiel_round), ("RLCard", _rlcard_round)):
        try:
            yield name, find(Random(seed))
        except ImportError:
            continue


def _openspiel_round(chance: Random) -> Callable[[], object]:
    game = import_module("pyspiel").load_game("gin_rummy")

    def play() -> None:
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(chance.choice(state.legal_actions()))

    return play


def _rlcard_round(chance: Random) -> Callable[[], object]:
    env = import_module("rlcard").make("gin-rummy", config={"seed": chance.randrange(1000)})

    def play() -> None:
        state, _ = env.reset()
        while not env.is_over():
            state, _ = env.step(chance.choice(list(state["legal_actions"])))

    return play

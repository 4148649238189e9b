"""Other people's programs that answer the same question, for those that are installed."""

from collections.abc import Callable, Iterator
from importlib import import_module
from random import Random
from typing import Any

from meldlab.cards import Hand
from meldlab.errors import NotPossible

Program = tuple[str, Callable[[Hand], Any], Callable[[Any], int]]


def deadwood_programs() -> Iterator[Program]:
    """Give (name, how it wants a hand, its deadwood of such a hand) for each other implementation that is installed."""
    for find in (_openspiel, _rlcard):
        try:
            yield find()
        except ImportError:
            continue


def _openspiel() -> Program:
    rules = import_module("pyspiel").gin_rummy.GinRummyUtils(13, 4, 10)
    # Its suits go spades, clubs, diamonds, hearts; deadwood does not care which suit is which.
    return "OpenSpiel", lambda hand: [card.index for card in hand], rules.min_deadwood


def _rlcard() -> Program:
    room = "rlcard.games.gin_rummy.utils."
    cards, melding = import_module(room + "utils"), import_module(room + "melding")

    def least(hand: Any) -> int:
        clusters = melding.get_meld_clusters(hand=hand)
        return min((int(cards.get_deadwood_count(hand, cluster)) for cluster in clusters), default=int(cards.get_deadwood_count(hand, [])))

    return "RLCard", lambda hand: [cards.get_card(card.index) for card in hand], least


def gin_programs(seed: int) -> Iterator[tuple[str, Callable[[], object]]]:
    """Give (name, a function that plays one random round of gin) for each other implementation that is installed."""
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


def vector_programs(tables: int, seed: int) -> Iterator[tuple[str, Callable[[], int] | None]]:
    """Give (name, a function that takes random steps, with observations and masks, and says how many; None if it is not installed)."""
    finders: dict[str, Callable[[Random], Callable[[], int]]] = {
        "OpenSpiel gin_rummy": _openspiel_steps,
        "PettingZoo AEC, our gin": _pettingzoo_steps,
        "pgx leduc_holdem": lambda chance: _pgx_steps(tables, chance),
    }
    for name, find in finders.items():
        try:
            yield name, find(Random(seed))
        except (ImportError, NotPossible):
            yield name, None


def _openspiel_steps(chance: Random) -> Callable[[], int]:
    game = import_module("pyspiel").load_game("gin_rummy")

    def play() -> int:
        state, steps = game.new_initial_state(), 0
        while not state.is_terminal():
            if not state.is_chance_node():
                state.observation_tensor(state.current_player())
                state.legal_actions_mask()
                steps += 1
            state.apply_action(chance.choice(state.legal_actions()))
        return steps

    return play


def _pettingzoo_steps(chance: Random) -> Callable[[], int]:
    env = import_module("meldlab.adapters.pettingzoo.gin_rummy_v0").env()
    env.reset(seed=chance.randrange(1000))

    def step() -> int:
        _, _, terminated, truncated, info = env.last()
        if terminated or truncated:
            env.reset()
            return 0
        env.step(chance.choice(info["action_mask"].nonzero()[0]))
        return 1

    return step


def _pgx_steps(tables: int, chance: Random) -> Callable[[], int]:
    jax, pgx, wrappers = import_module("jax"), import_module("pgx"), import_module("pgx.experimental.wrappers")
    env = pgx.make("leduc_holdem")
    start, go_on = jax.vmap(env.init), jax.vmap(wrappers.auto_reset(env.step, env.init))

    def one(state: Any, key: Any) -> Any:
        acting, stepping = jax.random.split(key)
        legal = jax.numpy.where(state.legal_action_mask, 0.0, -jax.numpy.inf)
        return go_on(state, jax.random.categorical(acting, legal, axis=-1), jax.random.split(stepping, tables))

    def stretch(state: Any, key: Any) -> Any:
        return jax.lax.scan(lambda now, each: (one(now, each), None), state, jax.random.split(key, 10))[0]

    run, key = jax.jit(stretch), jax.random.PRNGKey(chance.randrange(1000))
    state = jax.jit(start)(jax.random.split(key, tables))

    def step() -> int:
        nonlocal state, key
        key, drawn = jax.random.split(key)
        state = jax.block_until_ready(run(state, drawn))
        return 10 * tables

    return step

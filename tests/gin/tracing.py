"""A whole game of the kernels as rows, played from Python one action at a time."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.chance import check_seed
from meldlab.compiling import kernel
from meldlab.errors import whole_number
from meldlab.gin import Gin, Move, Rules, Verb, kernel_match, kernel_round, kernel_state
from meldlab.gin.batch import batch_rules, kernel_parameters, new_states
from meldlab.gin.kernel_players import new_memory
from meldlab.play import Deal, FinishedGame, Table

PASS, TAKE, DRAW, DROP, KNOCK, BIG, SHOW = range(7)  # second number of a row
VERBS = {
    PASS: Verb.PASS,
    TAKE: Verb.TAKE,
    DRAW: Verb.DRAW,
    DROP: Verb.DROP,
    KNOCK: Verb.KNOCK,
    BIG: Verb.BIG_GIN,
    SHOW: Verb.SHOW,
}
WITHOUT_CARD = {kernel_state.PASS: PASS, kernel_state.DRAW: DRAW, kernel_state.TAKE: TAKE, kernel_state.BIG_GIN: BIG}
NO_MELDS = [0] * kernel_state.MAX_MELDS


@kernel
def start_match(states, rules):  # type: ignore[no-untyped-def]
    kernel_round.start_match(states[0], rules)


@kernel
def start_round(states, players, memories, rules):  # type: ignore[no-untyped-def]
    kernel_match.start_round(states[0], players[0], players[1], memories, 0, rules)


@kernel
def next_action(states, players, memories, rules):  # type: ignore[no-untyped-def]
    return kernel_match.next_action(states[0], players[0], players[1], memories, 0, rules)


@kernel
def act(states, action, players, memories, rules):  # type: ignore[no-untyped-def]
    return kernel_match.act(states[0], action, players[0], players[1], memories, 0, rules)


@kernel
def end_round(states, rules):  # type: ignore[no-untyped-def]
    return kernel_round.end_round(states[0], rules)[0]


def trace_numbers(first: Any, second: Any, rules: kernel_state.RuleNumbers, seed: int, game: int) -> NDArray[np.int64]:
    """Every action of one game, [steps, 7] int64: seat, verb, card (-1: none), four melds as masks; both seats show after a knock."""
    players = kernel_parameters(first), kernel_parameters(second)
    memories = new_memory(players[0]), new_memory(players[1])
    states, rows, is_over = new_states(check_seed(seed), whole_number(game, "number of the game")), [], False
    state = states[0]
    start_match(states, rules)
    while not is_over:
        start_round(states, players, memories, rules)
        round_is_over = False
        while not round_is_over:
            seat, action = int(state["seat"]), int(next_action(states, players, memories, rules))
            round_is_over = act(states, action, players, memories, rules)
            verb = WITHOUT_CARD.get(action, DROP if action < kernel_state.KNOCK else KNOCK)
            card = int(state["drawn"]) if verb in (TAKE, DRAW) else -1
            if verb in (DROP, KNOCK):
                card = action - (kernel_state.DISCARD if verb == DROP else kernel_state.KNOCK)
            shown = state["shown"].tolist() if verb in (KNOCK, BIG) else [NO_MELDS, NO_MELDS]
            rows.append([seat, verb, card, *shown[0]])
            if verb in (KNOCK, BIG):
                rows.append([1 - seat, SHOW, -1, *shown[1]])
        is_over = bool(end_round(states, rules))
    assert len(rows) == state["step"]
    return np.array(rows, np.int64)


def trace(first: Any, second: Any, rules: Rules, seed: int, game: int) -> NDArray[np.int64]:
    """The rows of one game under the rules of a table."""
    return trace_numbers(first, second, batch_rules(rules), seed, game)


def move_of(row: list[int]) -> tuple[int, Verb, int, tuple[int, ...]]:
    """A row as seat, verb, card of a move at the table, and melds."""
    verb = VERBS[row[1]]
    card = row[2] if verb in (Verb.TAKE, Verb.DROP, Verb.KNOCK) else -1
    return row[0], verb, card, tuple(mask for mask in row[3:] if mask)


def play_and_compare(first: Any, second: Any, rules: Rules, seed: int, game: int) -> FinishedGame[Any]:
    """Play one game at a table; assert that the kernels play the same actions, and return the game."""
    played = Table(Gin(rules), (first, second)).play(Deal(seed, game))
    assert not played.forfeit
    state, actions = played.first, []
    for move in played.actions:
        assert isinstance(move, Move)
        assert state.seat is not None
        actions.append((state.seat, move.verb, move.index, tuple(meld.hand.mask for meld in move.melds)))
        state = state.apply(move)
    assert actions == [move_of(row) for row in trace(first, second, rules, seed, game).tolist()]
    return played

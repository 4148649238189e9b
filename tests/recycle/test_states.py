"""States of RECYCLE games as values: in any thread, in a pickle, as a copy."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

from meldlab.play import Chance, Deal, RandomPlayer, Table
from meldlab.recycle import RecycleGame
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.machine.machine import Machine
from tests.recycle.hostile import game

NAMES = ["kuhn_poker", "hearts", "block_rummy", "goofspiel", "gin_rummy"]
KILOBYTE = 1024


def played(recycle_game: RecycleGame, number: int) -> list[str]:
    return Table(recycle_game, [RandomPlayer()] * recycle_game.machine.players).play(Deal(7, number)).record.actions  # type: ignore[return-value]


def test_two_threads_on_one_game_play_what_one_does() -> None:
    recycle_game = RecycleGame.load("hearts")
    alone = [played(recycle_game, number) for number in range(12)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda number: played(recycle_game, number), range(12)))
    assert together == alone


def test_two_threads_of_random_games_on_one_machine_do_not_meet() -> None:
    machine = RecycleGame.load("block_rummy").machine
    alone = [machine.random_games(200, seed).scores.tolist() for seed in range(6)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda seed: machine.random_games(200, seed).scores.tolist(), range(6)))
    assert together == alone


@pytest.mark.parametrize("name", NAMES)
def test_a_state_comes_back_from_a_pickle(name: str) -> None:
    recycle_game = RecycleGame.load(name)
    state = recycle_game.start(recycle_game.machine.players, Deal(3))
    for step in range(6):
        if state.seat is None:
            break
        assert state.view(0)  # what was worked out stays at home
        text = pickle.dumps(state)
        assert len(text) < len(recycle_game.text) + len(state.position.words) * 8 + KILOBYTE
        assert len(text) < 40 * KILOBYTE
        for again in (pickle.loads(text), copy.deepcopy(state), copy.copy(state)):
            assert again == state
            assert hash(again) == hash(state)
            assert again.view(state.seat) == state.view(state.seat)
            assert list(again.view(state.seat).legal_actions()) == list(state.view(state.seat).legal_actions())
            assert not again.position.words.flags.writeable
        option = Chance(5, step, 0).pick(state.view(state.seat).legal_actions())
        assert pickle.loads(text).apply(option) == state.apply(option)
        state = state.apply(option)


def test_pickles_of_one_game_share_a_machine() -> None:
    state = RecycleGame.load("kuhn_poker").start(2, Deal(1))
    one, other = (pickle.loads(pickle.dumps(state)) for _ in range(2))
    assert one.position.machine is other.position.machine
    assert copy.deepcopy(state).position.machine is state.position.machine


def test_machines_are_equal_by_their_program() -> None:
    text = game("(turn pass)", choice=True)
    one, other = Machine.compile(text), Machine.compile(text)
    assert one == other
    assert hash(one) == hash(other)
    assert one.start(seed=1) == other.start(seed=1)
    assert one != Machine.compile(text, limits=Limits(options=9))
    assert one != Machine.compile(text + " ")
    assert one.start(seed=1) != Machine.compile(text + " ").start(seed=1)


def test_a_state_of_another_game_is_another_state() -> None:
    pass_, wait = (RecycleGame("g", game(item, choice=True)).start(1, Deal(1)) for item in ("(turn pass)", "(set (game sto X) 1)"))
    assert pass_ != wait

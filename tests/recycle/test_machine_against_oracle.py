"""The machine against the plain interpreter: the same states, options and scores at every decision of every game.

``MELDLAB_ORACLE_GAMES=1000 pytest tests/recycle/test_machine_against_oracle.py`` plays as many games of each.
"""

import os

import pytest

from meldlab.recycle import library
from meldlab.recycle.machine import kernel_layout as k
from tests.recycle.machine_reading import Machine, compiled, oracle_state
from tests.recycle.playing import new_game

GAMES = int(os.environ.get("MELDLAB_ORACLE_GAMES", "3"))


@pytest.mark.parametrize("name", library.names())
def test_the_machine_plays_the_same_games(name: str) -> None:
    machine = Machine(compiled(name))
    for number in range(GAMES):
        game = new_game(name, 7, number)
        machine.begin(7, number)
        for decision, option in game.decisions(7, number):
            assert machine.status == k.DECIDING
            assert machine.seat() == decision.seat
            assert machine.state() == oracle_state(game.oracle)
            assert tuple(machine.options()) == decision.options
            assert machine.state() == oracle_state(game.oracle)  # exploring leaves nothing behind
            machine.decide(option)
        assert machine.status == k.FINISHED
        assert machine.state() == oracle_state(game.oracle)
        assert machine.scores() == game.scores

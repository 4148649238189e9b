"""Random programs under the machine and under the plain interpreter: the same states, options, scores and errors.

``MELDLAB_PROGRAMS=20000 pytest tests/recycle/test_random_programs.py`` writes and runs as many.
"""

import os
import random

import pytest

from meldlab.recycle.language.checker import check
from meldlab.recycle.language.parser import parse
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.compiler import compile_program
from tests.recycle.machine_reading import LIMITS, Machine, oracle_state
from tests.recycle.oracle import Decision, Oracle
from tests.recycle.oracle_board import Addressed, GameError
from tests.recycle.programs import Author

PROGRAMS = int(os.environ.get("MELDLAB_PROGRAMS", "60"))
MOST_DECISIONS = 40


def fails(machine: Machine) -> bool:
    """Tell whether the machine finds an error where the game stands: on the way there, in its options or in its score."""
    if machine.status == k.DECIDING:
        machine.options()
    return machine.status >= k.NO_CARD or (machine.status == k.FINISHED and machine.scores() is None)


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_machine_and_interpreter_agree(seed: int) -> None:
    text = Author(seed).program()
    checked = check(text, limits=LIMITS).raise_errors()
    machine, dice = Machine(compile_program(checked.program, LIMITS)), random.Random(seed)
    oracle, scores = Oracle(parse(text), Addressed(seed)), None
    course = oracle.play()
    machine.begin(seed, 0)
    try:
        decision: Decision = next(course)
        for _ in range(MOST_DECISIONS):
            assert machine.status == k.DECIDING
            assert machine.state() == oracle_state(oracle)
            assert tuple(machine.options()) == decision.options
            assert machine.state() == oracle_state(oracle)
            option = dice.randrange(len(decision.options))
            machine.decide(option)
            decision = course.send(option)
    except GameError:
        assert fails(machine)
    except StopIteration as end:
        scores = end.value
    if scores is not None:
        assert machine.status == k.FINISHED
        assert machine.state() == oracle_state(oracle)
        assert machine.scores() == scores


def test_the_programs_are_worth_running() -> None:
    texts = [Author(seed).program() for seed in range(100)]
    for word in ("simultaneous", "once", "subsets", "runs", "faro", "update", "forget 'SEEN", "declare", "indexed", "disjunction", "swap"):
        assert any(word in text for text in texts), word

"""What a question may cost: states and processor time, honoured by every path; cuts and clocks change no answer; a key is heard at once."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import pytest

from meldlab.errors import NotLegalHere
from meldlab.rummikub import (
    DIFFICULTIES,
    Objective,
    Position,
    Rules,
    Solution,
    Tile,
    find_alternatives,
    kernel_search,
    kernel_tables,
    random_position,
    solve,
    violations,
    why_not,
)
from meldlab.rummikub import search as searching
from meldlab.rummikub.budget import Budget, BudgetExceeded
from meldlab.rummikub.integer_program import IntegerProgram
from meldlab.rummikub.search import Problem, search
from tests.rummikub.small_deck import small_position

MODERN, STRICT = Rules(joker_rule="modern"), Rules(joker_rule="strict")
# Jokers on the table, none of them where the best free move wants it: branches to look into.
GUARDED = "R3 R4 R5 J=R6 | K9 B9 O9 J=R9 | K1-5 | B4-8"
RACK = "R1 K6 K10 K11 K12 B1 B2 O1 O2"


@pytest.fixture
def visited(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list to which each call of the kernel adds the states it has visited."""
    states, real = list[int](), kernel_search.search

    def counted(*arguments: Any) -> int:
        counters = next(one.counters for one in arguments if isinstance(one, kernel_tables.SearchWorkspace))
        before = 0 if counters["depth"][0] == kernel_tables.NOT_STARTED else int(counters["nodes"][0])
        cost = int(real(*arguments))
        states.append(int(counters["nodes"][0]) - before)
        return cost

    monkeypatch.setattr(kernel_search, "search", counted)
    return states


def guarded(rules: Rules, *, opened: bool = True) -> Position:
    return Position.parse(GUARDED, RACK, rules, opened=opened)


@cache
def known(name: str) -> Solution:
    """Return the best move of which a question is asked."""
    return solve(guarded(MODERN)) if name == "must" else solve(random_position("mid", 1, 3), Objective(keep="none"))


QUESTIONS: dict[str, Callable[[int], object]] = {
    "free": lambda nodes: solve(random_position("hard", 1, 3), Objective("value"), nodes=nodes, seconds=0.3),
    "modern": lambda nodes: solve(guarded(MODERN), Objective("value"), nodes=nodes, seconds=0.3),
    "strict": lambda nodes: solve(guarded(STRICT), Objective("value"), nodes=nodes, seconds=0.3),
    "tiles": lambda nodes: solve(random_position("mid", 1, 3), Objective("value", "tiles"), nodes=nodes, seconds=0.3),
    "opening": lambda nodes: solve(Position((), random_position("hard", 1, 3).rack, opened=False), Objective(), nodes=nodes, seconds=0.3),
    "must": lambda nodes: why_not(known("must"), Tile.parse("K6"), nodes=nodes, seconds=0.3),
    "all": lambda nodes: find_alternatives(known("all"), 1000, nodes=nodes, seconds=30),
}


@pytest.mark.parametrize("question", sorted(QUESTIONS))
@pytest.mark.parametrize("nodes", [1, 50, 2000])
def test_no_path_visits_more_states_than_allowed(question: str, nodes: int, visited: list[int]) -> None:
    for name in ("must", "all"):
        known(name)
    visited.clear()
    QUESTIONS[question](nodes)
    assert 0 < sum(visited) <= nodes


def test_states_decide_and_not_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    # A machine so busy that a thousand seconds pass between two looks at the clock.
    leaps = count(0, 1000)
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(leaps)))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(leaps)))
    for rules in (MODERN, STRICT):
        assert solve(guarded(rules)).proven
    position = random_position("easy", 1, 3)
    assert solve(position, Objective(keep="tiles")).proven
    assert solve(position, method="ilp").proven
    assert find_alternatives(solve(position, Objective(keep="none")), 10_000).complete
    assert solve(Position.parse("", "R9 R10 J K1 K2", opened=False)).proven


def test_the_program_is_given_processor_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[list[str]]()
    real = subprocess.run

    def noted(command: list[str], **options: Any) -> Any:
        asked.append(command)
        return real(command, **options)

    monkeypatch.setattr(subprocess, "run", noted)
    budget = Budget(seconds=7.0)
    IntegerProgram(random_position("hard", 1, 3), Objective("count")).solve(budget)
    (command,) = asked
    assert command[command.index("-timeMode") + 1] == "cpu"
    assert 6.0 < float(command[command.index("-sec") + 1]) <= 7.0
    # What CBC has spent is no longer there.
    assert budget.seconds < float(command[command.index("-sec") + 1])


@pytest.mark.parametrize("status", [
    "Integer infeasible - objective value 4060.66666667",
    "Stopped on iterations - objective value 5083.66666667",
    "Stopped on time (no integer solution - continuous used) - objective value 4060.66666667",
])  # fmt: skip
def test_what_the_program_says_when_stopped_early_is_not_believed(status: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # CBC 2.10 says each of these of a problem that has an answer, when a tenth of a second is all it gets.
    problem = IntegerProgram(random_position("mid", 1, 3), Objective("value", "tiles"))

    def stopped(model: object, budget: Budget) -> tuple[str, dict[str, float]]:
        budget.charge(budget.seconds)
        return status, {x.name: 0.5 for x in problem.x}

    monkeypatch.setattr("meldlab.rummikub.integer_program._run_cbc", stopped)
    with pytest.raises(BudgetExceeded) as out:
        problem.solve(Budget(seconds=0.3))
    assert out.value.table is None


@pytest.mark.parametrize("family", ["free", "modern", "strict"])
@pytest.mark.parametrize("opened", [True, False])
@pytest.mark.parametrize("method", ["search", "ilp"])
def test_past_the_budget_an_answer_is_legal_and_unproven(family: str, opened: bool, method: str) -> None:
    rules = Rules(joker_rule=family, after_opening="manipulate")
    answer = solve(guarded(rules, opened=opened), Objective("value"), method, nodes=1, seconds=0.0)
    assert not answer.proven
    assert not violations(answer)


def test_past_the_states_the_search_has_something_to_show() -> None:
    position, goal, shown = random_position("hard", 1, 8), Objective("value"), 0
    best, whole = solve(position, goal), search(Problem.of(position, goal))
    assert whole is not None
    for nodes in range(0, whole.nodes, max(1, whole.nodes // 20)):
        with pytest.raises(BudgetExceeded) as stopped:
            search(Problem.of(position, goal), budget=Budget(nodes=nodes))
        answer = solve(position, goal, nodes=nodes, seconds=0.0)
        assert not answer.proven
        assert not violations(answer)
        if stopped.value.table is not None:
            shown += 1
            assert (answer.table, answer.objective_value) == (stopped.value.table, best.objective_value)
    assert shown > 0


def test_all_best_moves_past_the_budget_are_not_all() -> None:
    best = solve(random_position("mid", 1, 3), Objective(keep="none"))
    everything = find_alternatives(best, 100_000)
    some = find_alternatives(best, 100_000, nodes=sum(map(len, everything.tables)) * 20)
    few = find_alternatives(best, 2)
    assert everything.complete
    assert not some.complete
    assert not few.complete
    assert set(some.tables) < set(everything.tables)
    assert len(few.tables) == 2
    assert find_alternatives(best, nodes=5).tables == ()
    assert find_alternatives(best, len(everything.tables)).complete


def test_a_doubt_past_the_budget_is_unproven() -> None:
    best = solve(guarded(MODERN))
    tile = best.position.rack[0]
    doubt = why_not(best, tile, nodes=1, seconds=0.0)
    assert (doubt.with_tile, doubt.cost, doubt.proven) == (None, None, False)
    assert why_not(best, tile).proven
    with pytest.raises(BudgetExceeded, match="none was excluded"):
        solve(best.position, Objective(required=(tile,)), nodes=1, seconds=0.0)
    with pytest.raises(NotLegalHere, match="R13 cannot be played here"):
        solve(best.position, Objective(required=(Tile.parse("R13"),)))


@pytest.mark.parametrize("kind", list(DIFFICULTIES))
def test_cuts_change_nothing(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for nth in range(12):
        problem = Problem.of(random_position(kind, 3, nth), Objective(("count", "value")[nth % 2]))
        monkeypatch.setattr(searching, "FIRST", 10**9)
        whole = search(problem)
        monkeypatch.setattr(searching, "FIRST", 1 + nth % 5)
        monkeypatch.setattr(searching, "chunks", lambda many, size: ((0, 1 + nth % 7) for nth in range(many)))
        assert search(problem) == whole  # the states visited among the rest


@pytest.mark.parametrize("family", ["modern", "strict"])
def test_four_jokers_that_are_not_free_end_within_the_budget(family: str) -> None:
    position = small_position(1, 1, Rules(jokers=4, joker_rule=family), sets=6, rack=12)
    spent = Budget(seconds=0.0)
    answer = solve(position, seconds=1.0)
    assert answer.method == "ilp"
    assert not violations(answer)
    # Our own part of it; a model that is being built is finished.
    assert -spent.seconds < 2.0


# Found by climbing: 72 tiles with two jokers whose most points take the search 987,775 states, a second or two in all.
LONG = (
    "R2 R3 R3 R4 R4 R5 R5 R6 R6 R7 R7 R10 R10 K1 K2 K2 K3 K3 K4 K4 K5 K5 K6 K6 K7 K7 K8 "
    "K9 K10 K11 K12 K13 K13 B1 B2 B2 B3 B3 B4 B4 B5 B5 B6 B6 B7 B8 B8 B9 B9 B10 B11 B11 "
    "B12 B13 O1 O2 O2 O3 O3 O4 O4 O5 O5 O6 O6 O7 O8 O8 O10 O12 J J"
)


def started(work: str, folder: Path) -> "subprocess.Popen[str]":
    """Start Python on a question, and return when it begins to work."""
    code = f"from meldlab.rummikub import *\nwarm_up()\nprint('begun', flush=True)\n{work}\nprint('done', flush=True)"
    job = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | {"TMPDIR": str(folder)}
    )
    assert job.stdout is not None
    assert job.stdout.readline() == "begun\n"
    return job


def interrupted(job: "subprocess.Popen[str]") -> tuple[float, str, str]:
    """Send the signal of Ctrl-C; return how long it took to be heard, and what was said."""
    time.sleep(0.4)
    begun = time.monotonic()
    job.send_signal(signal.SIGINT)
    out, err = job.communicate(timeout=60)
    return time.monotonic() - begun, out, err


@pytest.mark.slow
def test_python_is_heard_during_a_long_search() -> None:
    # By a clock of processor time, so that a busy machine changes nothing: between two beats no kernel call may be long.
    beats = [time.process_time()]
    before = signal.signal(signal.SIGVTALRM, lambda *_: beats.append(time.process_time()))
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.02, 0.02)
    try:
        answer = solve(Position.parse("", LONG), Objective("value", "none"))
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    assert (answer.proven, answer.method) == (True, "search")
    beats.append(time.process_time())
    assert beats[-1] - beats[0] > 0.5, "the search is not long: find another rack"
    assert max(later - sooner for sooner, later in pairwise(beats)) < 0.4


def test_control_c_stops_a_long_search(tmp_path: Path) -> None:
    again = f"while True: solve(Position.parse('', '{LONG}'), Objective('value', 'none'))"
    waited, out, err = interrupted(started(again, tmp_path))
    assert err.rstrip().endswith("KeyboardInterrupt")
    assert "done" not in out
    assert waited < 5.0  # pieces are a tenth of a second; the rest is for a busy machine


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="processes are looked up in /proc")
def test_control_c_stops_the_program_too(tmp_path: Path) -> None:
    hard = "while True: solve(random_position('hard', 1, 3), Objective('value', 'tiles'), 'ilp')"
    job = started(hard, tmp_path)
    until = time.monotonic() + 60
    while not any(running(tmp_path)) and time.monotonic() < until:
        time.sleep(0.05)
    assert any(running(tmp_path)), "CBC was never started"
    waited, _, err = interrupted(job)
    assert err.rstrip().endswith("KeyboardInterrupt")
    assert waited < 5.0
    assert not any(running(tmp_path))


def running(folder: Path) -> Iterator[str]:
    """Give the processes that work on a file in a folder."""
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = process.read_bytes().decode(errors="replace")
        except OSError:
            continue
        if str(folder) in command and "model.mps" in command:
            yield command

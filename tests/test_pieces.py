"""Long work in pieces: all of it, once, and a stop that is heard."""

import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meldlab.pieces import on_cores, pieces


@given(st.integers(0, 5000), st.integers(1, 700))
def test_pieces_cover_everything_once(many: int, size: int) -> None:
    assert [i for first, part in pieces(many, size) for i in range(first, first + part)] == list(range(many))


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("many", [0, 1, 2, 7, 1000])
def test_all_cores_together_cover_everything_once(threads: int, many: int) -> None:
    done: list[int] = []
    on_cores(lambda first, part: done.extend(range(first, first + part)), many, threads=threads)
    assert sorted(done) == list(range(many))


def test_a_piece_that_takes_long_is_followed_by_smaller_ones() -> None:
    sizes = []
    for _, part in pieces(64, 16):
        sizes.append(part)
        time.sleep(0.03 * part)
    assert sizes[0] == 16
    assert max(sizes[1:]) <= 4


@pytest.mark.parametrize("threads", [1, 2])
def test_a_mistake_in_one_piece_ends_the_work(threads: int) -> None:
    begun = []

    def work(first: int, part: int) -> None:
        begun.append(first)
        if first >= 3:
            raise ZeroDivisionError(first)
        time.sleep(0.001)

    with pytest.raises(ZeroDivisionError):
        on_cores(work, 100_000, threads=threads)
    assert len(begun) < 20


@pytest.mark.parametrize("threads", [1, 2])
def test_a_key_is_heard_between_pieces(threads: int) -> None:
    worked = 0

    def work(first: int, part: int) -> None:
        nonlocal worked
        worked += part
        time.sleep(0.001 * part)

    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        on_cores(work, 100_000, threads=threads)
    assert worked < 5_000


def test_work_within_work_waits_for_no_thread() -> None:
    done: list[tuple[int, int]] = []

    def outer(first: int, many: int) -> None:
        for at in range(first, first + many):
            on_cores(partial(inner, at), 5, threads=64)

    def inner(at: int, first: int, many: int) -> None:
        done.extend((at, one) for one in range(first, first + many))

    on_cores(outer, 200, threads=64)
    assert sorted(done) == [(at, one) for at in range(200) for one in range(5)]


FORK = """
import os
from threading import Barrier
from meldlab.pieces import on_cores

both = Barrier(2)
on_cores(lambda first, many: many and both.wait(20), 2, threads=2)
if child := os.fork():
    os._exit(os.waitpid(child, 0)[1] != 0)
on_cores(lambda first, many: many and both.wait(20), 2, threads=2)
"""


def test_a_forked_process_has_threads_of_its_own() -> None:
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", FORK]).returncode == 0

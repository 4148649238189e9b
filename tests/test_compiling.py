"""Compiled kernels: kept in a folder of exactly their sources, and not torn by Ctrl-C."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from meldlab import cache, compiling
from meldlab.cards import Hand

SRC = Path(__file__).parents[1] / "src"


def test_the_folder_is_named_after_every_kernel_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MELDLAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "__file__", str(tmp_path / "cache.py"))
    (tmp_path / "room").mkdir()
    for name in ("compiling.py", "gpu.py", "linking.py", "pieces.py", "kernel.py"):
        (tmp_path / name).write_text("a = 1\n")
    (tmp_path / "room" / "kernel_more.py").write_text("b = 1\n")
    (tmp_path / "room" / "other.py").write_text("c = 1\n")
    first = cache.kernel_folder()
    assert first.is_dir()
    assert cache.kernel_folder() == first
    (tmp_path / "room" / "other.py").write_text("c = 2\n")
    assert cache.kernel_folder() == first
    (tmp_path / "room" / "kernel_more.py").write_text("b = 2\n")
    assert cache.kernel_folder() != first


@pytest.mark.parametrize("decorate", [compiling.kernel, compiling.scalar_kernel])
def test_kernel_is_cached_in_our_folder_whatever_numba_uses(
    decorate: compiling.Function, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))

    def double(x: int) -> int:
        return 2 * x

    twice = decorate(double)
    assert twice(21) == 42
    assert Path(twice.stats.cache_path).is_relative_to(cache.kernel_folder())
    assert list(tmp_path.iterdir()) == []


DEADWOOD = "import logging; logging.basicConfig(level='INFO'); from meldlab.melds import deadwood; print(deadwood('5H 6H 7H 9C'))"


def run_deadwood(src: Path, cache_folder: Path, code: str = DEADWOOD) -> subprocess.CompletedProcess[str]:
    """Compute a deadwood with the package in ``src``; the log says whether kernels were compiled."""
    known = {**os.environ, "PYTHONPATH": str(src), "MELDLAB_CACHE": str(cache_folder)}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=known, timeout=120, check=False)


def test_second_checkout_uses_the_kernels_of_the_first(tmp_path: Path) -> None:
    shutil.copytree(SRC / "meldlab", tmp_path / "other" / "meldlab", ignore=shutil.ignore_patterns("__pycache__", "static"))
    first, second = (run_deadwood(src, tmp_path / "cache") for src in (SRC, tmp_path / "other"))
    assert (first.stdout, second.stdout) == ("9\n", "9\n")
    assert "compiling kernels" in first.stderr
    assert second.stderr == ""


def test_folder_differs_between_versions_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    here = cache.kernel_folder()
    monkeypatch.setattr(sys, "version_info", (3, 99, 0))
    assert cache.kernel_folder() != here


def test_full_disk_costs_the_cache_and_not_the_answer(tmp_path: Path) -> None:
    done = run_deadwood(SRC, tmp_path, f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)); {DEADWOOD}")
    assert (done.returncode, done.stdout) == (0, "9\n"), done.stderr
    assert done.stderr.count("cannot be stored in") == 1


MULTIPLY = """
import sys
import numba
import numpy as np
from meldlab.cards.kernel import popcount
print(popcount(7), "scipy.linalg" in sys.modules)
print(numba.njit(lambda a: np.dot(a, a))(np.full((2, 2), 2.0)).sum(), "scipy.linalg" in sys.modules)
"""


def test_scipy_is_loaded_for_kernels_that_multiply_matrices_only() -> None:
    said = subprocess.run([sys.executable, "-c", MULTIPLY], capture_output=True, text=True)
    assert said.stdout.splitlines() == ["3 False", "32.0 True"], said.stderr


def test_kernels_of_others_still_count_from_the_end() -> None:
    last = numba.njit(lambda numbers: numbers[-1])
    assert last(np.arange(5)) == 4


@pytest.mark.parametrize("before", ["", "deadwood(hand, LEFT), melded(hand)"])
def test_kernels_of_others_may_call_ours(before: str) -> None:
    # The arrangement calls itself, the deadwood calls kernels that call kernels; none of them is machine code by itself. Whether Python
    # has called them, and so has loaded what the cache keeps of them, makes no difference.
    code = f"""
import numba
from meldlab.gin.kernel import LEFT, melded
from meldlab.melds.kernel import deadwood
hand = {Hand.parse("5H 6H 7H 9C 9D 9S KC").mask}
{before}
print(numba.njit(lambda hand: (deadwood(hand, LEFT), melded(hand)))(hand))
"""
    known = {**os.environ, "PYTHONPATH": str(SRC)}
    job = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=known, timeout=120, check=False)
    melds = Hand.parse("9C 9D 9S").mask, Hand.parse("5H 6H 7H").mask
    assert (job.returncode, job.stdout) == (0, f"{(10, melds)}\n"), job.stderr


@compiling.scalar_kernel
def rows_of(rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return rows[0], rows[1]


@compiling.kernel
def sum_of_rows(many: int) -> int:
    total = 0
    for _ in range(many):
        first, second = rows_of(np.ones((3, 1000), np.int64))
        total += first.sum() + second.sum()
    return total


def test_arrays_that_a_kernel_returns_are_counted() -> None:
    # Not counted, they would be given back while they are read, and twice.
    assert sum_of_rows(2000) == 4_000_000


PRESS = """
import os, signal, threading
import numpy as np
from meldlab.compiling import kernel

signal.signal(signal.SIGINT, signal.default_int_handler)


@kernel
def count(many):
    total = np.zeros(3)
    for i in range(many):
        total[i % 3] += np.sqrt(i)
    return total, total + 1


count(1)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    while True:
        count(300_000_000)
except KeyboardInterrupt:
    print("heard")
"""


def test_control_c_during_a_kernel_that_returns_arrays(tmp_path: Path) -> None:
    # numba keeps only what stands in a file.
    (tmp_path / "press.py").write_text(PRESS)
    known = {**os.environ, "PYTHONPATH": str(SRC), "MELDLAB_CACHE": str(tmp_path)}
    job = subprocess.run([sys.executable, str(tmp_path / "press.py")], capture_output=True, text=True, env=known, timeout=120, check=False)
    assert (job.returncode, job.stdout) == (0, "heard\n"), job.stderr


def test_the_library_compiles_in_silence(tmp_path: Path) -> None:
    known = {**os.environ, "PYTHONPATH": str(SRC), "MELDLAB_CACHE": str(tmp_path)}
    code = "from meldlab.cards import Hand, classes; print(classes.number(Hand.parse('5H')))"
    job = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=known, timeout=120, check=False)
    assert (job.stdout.strip().isdigit(), job.stderr) == (True, "")
    assert list(tmp_path.rglob("*.nbi"))

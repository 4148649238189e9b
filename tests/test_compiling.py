"""Compiled kernels: cached by their sources, indexed from the front, and safe under Ctrl-C."""

import ast
import importlib.util
import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import pytest
from numba.core.errors import TypingError
from numpy.typing import NDArray

from meldlab import cache, compiling
from meldlab.cards import Hand

SRC = Path(__file__).parents[1] / "src"


@pytest.mark.parametrize("decorate", [compiling.kernel, compiling.device_function])
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


def test_compilation_is_announced_once_and_again_when_asked(caplog: pytest.LogCaptureFixture) -> None:
    def compiled() -> bool:
        def double(x: int) -> int:
            return 2 * x

        double.__module__ = "meldlab.example"
        caplog.clear()
        with caplog.at_level(logging.INFO, "meldlab.compiling"):
            numba.njit(double)(21)
        return any("compiling kernels" in record.message for record in caplog.records)

    compiling.announce_again()
    assert [compiled(), compiled()] == [True, False]
    compiling.announce_again()
    assert compiled()


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


@pytest.mark.parametrize(
    ("file", "compiled_again"),
    [
        pytest.param("gin/kernel_round.py", False, id="kernel of another package"),
        pytest.param("melds/kernel.py", True, id="the kernel itself"),
        pytest.param("cards/kernel.py", True, id="kernel that it imports"),
        pytest.param("compiling.py", True, id="compiler"),
    ],
)
def test_change_of_a_source_recompiles_the_kernels_that_depend_on_it(tmp_path: Path, file: str, compiled_again: bool) -> None:
    copy = tmp_path / "copy" / "meldlab"
    shutil.copytree(SRC / "meldlab", copy, ignore=shutil.ignore_patterns("__pycache__", "static"))
    run_deadwood(SRC, tmp_path / "cache")
    with (copy / file).open("a") as source:
        source.write("# a comment\n")
    second = run_deadwood(copy.parent, tmp_path / "cache")
    assert second.stdout == "9\n"
    assert ("compiling kernels" in second.stderr) == compiled_again


@pytest.mark.parametrize(
    "path", sorted((SRC / "meldlab").rglob("kernel*.py")), ids=lambda path: path.relative_to(SRC / "meldlab").as_posix()
)
def test_kernel_sources_include_every_file_of_a_constant(path: Path) -> None:
    # Numbers of other modules are constants in compiled code. Only a module that a kernel file imports can give it one.
    name = ".".join(path.relative_to(SRC).with_suffix("").parts)
    sources = cache.kernel_sources(name)
    imported = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("meldlab."):
            spec = importlib.util.find_spec(str(node.module))
            assert spec
            submodules = [Path(folder, f"{alias.name}.py") for folder in spec.submodule_search_locations or () for alias in node.names]
            imported |= {str(file) for file in submodules if file.is_file()} or {str(spec.origin)}
    assert {str(path), *imported} <= {str(source) for source in sources}


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
from meldlab.gin.kernel_hand import LEFT, melded
from meldlab.melds.kernel import deadwood
hand = {Hand.parse("5H 6H 7H 9C 9D 9S KC").mask}
{before}
print(numba.njit(lambda hand: (deadwood(hand, LEFT), melded(hand)))(hand))
"""
    known = {**os.environ, "PYTHONPATH": str(SRC)}
    job = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=known, timeout=120, check=False)
    melds = Hand.parse("9C 9D 9S").mask, Hand.parse("5H 6H 7H").mask
    assert (job.returncode, job.stdout) == (0, f"{(10, melds)}\n"), job.stderr


NEGATIVE = """
import numpy as np
from meldlab.compiling import kernel

@kernel
def read(numbers, index):
    return numbers[index]

print(read(np.arange(5), 3))
read(np.arange(5), -1)
"""


def test_negative_index_is_out_of_bounds(tmp_path: Path) -> None:
    (tmp_path / "negative.py").write_text(NEGATIVE)
    known = {**os.environ, "PYTHONPATH": str(SRC), "MELDLAB_CACHE": str(tmp_path), "NUMBA_BOUNDSCHECK": "1"}
    job = subprocess.run(
        [sys.executable, str(tmp_path / "negative.py")], capture_output=True, text=True, env=known, timeout=120, check=False
    )
    assert job.stdout == "3\n"
    assert job.stderr.strip().splitlines()[-1].startswith("IndexError"), job.stderr


OTHER_VERSION = """
import numba
numba.version_info = numba.version_info._replace(short=(0, 67))
from meldlab.cli.app import main
main(["deadwood", "5H 6H 7H"])
"""


def test_other_version_of_numba_is_one_line() -> None:
    job = subprocess.run([sys.executable, "-c", OTHER_VERSION], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(SRC)})
    assert (job.returncode, job.stdout) == (2, "")
    assert job.stderr.startswith("error: numba ")
    assert job.stderr.endswith("is not supported (expected 0.68): pip install 'numba>=0.68,<0.69'\n")


@compiling.device_function
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


class Square(NamedTuple):
    side: int


class Rectangle(NamedTuple):
    width: int
    height: int


@compiling.device_function
def square_area(shape: Square, scale: int) -> int:
    return shape.side * shape.side * scale


@compiling.device_function(inline="always")
def rectangle_area(shape: Rectangle, scale: int) -> int:
    return shape.width * shape.height * scale


area = compiling.by_kind({Square: square_area, Rectangle: rectangle_area})


@compiling.kernel
def total_area(first: NamedTuple, second: NamedTuple) -> int:
    return area(first, 2) + area(second, 2)  # type: ignore[no-any-return]


def test_by_kind_calls_the_kernel_of_the_type() -> None:
    assert (total_area(Square(2), Rectangle(3, 5)), total_area(Rectangle(1, 2), Rectangle(3, 4))) == (38, 28)


@compiling.device_function
def first_side(shape: NamedTuple, scale: int) -> int:
    return shape[0] * scale  # type: ignore[no-any-return]


side = compiling.by_kind({Square: square_area}, first_side)


@compiling.kernel
def side_or_area(shape: NamedTuple) -> int:
    return side(shape, 10)  # type: ignore[no-any-return]


def test_by_kind_calls_the_default_for_other_types() -> None:
    assert (side_or_area(Square(3)), side_or_area(Rectangle(3, 5))) == (90, 30)


def test_by_kind_rejects_another_type() -> None:
    with pytest.raises(TypingError, match="expected one of Square, Rectangle, got"):
        total_area(Square(2), (3, 5))


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


def test_library_compiles_in_silence(tmp_path: Path) -> None:
    known = {**os.environ, "PYTHONPATH": str(SRC), "MELDLAB_CACHE": str(tmp_path)}
    code = "from meldlab.cards import Hand, classes; print(classes.number(Hand.parse('5H')))"
    job = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=known, timeout=120, check=False)
    assert (job.stdout.strip().isdigit(), job.stderr) == (True, "")
    assert list(tmp_path.rglob("*.nbi"))

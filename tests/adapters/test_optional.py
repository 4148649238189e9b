"""Libraries that only adapters need are loaded when an adapter is asked for, and one that is missing is one line."""

import subprocess
import sys

import pytest

LIBRARIES = ("gymnasium", "pettingzoo", "torch", "pyspiel")


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)


def test_the_room_itself_loads_none_of_them() -> None:
    done = python(f"import sys, meldlab.adapters; print([name for name in {LIBRARIES} if name in sys.modules])")
    assert done.stdout == "[]\n", done.stderr


@pytest.mark.parametrize("name", ["gymnasium", "pettingzoo"])
def test_a_missing_library_is_one_line(name: str) -> None:
    done = python(f"import sys; sys.modules[{name!r}] = None; import meldlab.adapters.{name}")
    last = done.stderr.splitlines()[-1]
    assert last.startswith("meldlab.errors.NotPossible: ")
    assert name in last
    assert "is not installed: pip install 'meldlab[environments]'" in last

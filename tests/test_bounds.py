"""Checked indices: the switch that `make bounds` relies on reaches our kernels, whose code it keeps apart from the unchecked."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

FOLDER = "from meldlab.cache import kernel_folder; print(kernel_folder().name)"
# The points left over by a lane are looked up in a table of 8192; this one has a single entry.
BEHIND = "import numpy as np; from meldlab.melds.kernel import leftover; leftover(0x1FFF, np.zeros(1, np.int64))"
# There is no node -1; Python would read the last word.
BEFORE = "import numpy as np; from meldlab.recycle.machine.kernel_cards import unlink; unlink(np.zeros(99, np.int64), -1)"


def run(program: str, cache: Path, checked: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"NUMBA_BOUNDSCHECK": checked, "MELDLAB_CACHE": str(cache)}
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False)


@pytest.mark.parametrize("outside", [BEHIND, BEFORE])
def test_an_index_outside_an_array_is_an_error_where_indices_are_checked(outside: str, tmp_path: Path) -> None:
    done = run(outside, tmp_path, "1")
    assert done.returncode == 1
    assert "IndexError" in done.stderr


def test_checked_code_is_kept_apart(tmp_path: Path) -> None:
    checked, unchecked = run(FOLDER, tmp_path, "1"), run(FOLDER, tmp_path, "0")
    assert checked.stdout.strip()
    assert checked.stdout != unchecked.stdout

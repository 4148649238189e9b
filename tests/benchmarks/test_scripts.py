"""The scripts of ``benchmarks``: what they import of the package exists."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
WITH_TORCH = ("fit_turns", "training_studies")


@pytest.mark.parametrize("script", sorted(path.stem for path in Path(ROOT, "benchmarks").glob("*.py")))
def test_import_of_script_measures_nothing(script: str) -> None:
    if script in WITH_TORCH:
        pytest.importorskip("torch", reason="PyTorch is not installed")
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT / 'benchmarks'}"}
    command = [sys.executable, "-c", f"import {script}"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr

"""The option ``--allowed-skips``: a test that is skipped without a stated reason fails the run."""

from pathlib import Path

import pytest

import conftest

pytest_plugins = ["pytester"]
TESTS = """
import pytest

def test_runs():
    assert True

@pytest.mark.skip(reason="no such program")
def test_skipped():
    assert False
"""


@pytest.mark.parametrize(("allowed", "status"), [("", 1), ("test_other.py  a reason", 1), ("test_some.py::test_skipped  a reason", 0)])
def test_allowed_skips_decides_the_status(pytester: pytest.Pytester, allowed: str, status: int) -> None:
    pytester.makeconftest(Path(conftest.__file__).read_text())
    pytester.makepyfile(test_some=TESTS)
    left_out = "".join(f"{module}  not installed\n" for module in conftest.collect_ignore)
    Path(pytester.path, "allowed.txt").write_text(f"# skips\n{left_out}{allowed}\n")
    result = pytester.runpytest_subprocess("--allowed-skips", "allowed.txt", "-p", "no:xdist", "-p", "no:playwright")
    assert result.ret == status
    result.assert_outcomes(passed=1, skipped=1)

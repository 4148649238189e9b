"""Test settings of the whole project: modules without their program are left out, and ``--allowed-skips`` makes other skips an error."""

from importlib.util import find_spec
from pathlib import Path

import pytest

MODULES = {
    "griffe": ["tests/docs/docstrings.py"],
    "pyspiel": ["src/meldlab/adapters/openspiel"],
    "torch": ["src/meldlab/training", "tests/training"],
}
collect_ignore = [module for program, modules in MODULES.items() if find_spec(program) is None for module in modules]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option ``--allowed-skips``."""
    parser.addoption("--allowed-skips", metavar="FILE", help="fail if a test is skipped that FILE does not name")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail the run if a test was skipped that the list does not name."""
    file = session.config.getoption("--allowed-skips")
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if file is None or reporter is None:  # not asked for, or a worker of pytest-xdist
        return
    allowed = tuple(line.split()[0] for line in Path(file).read_text().splitlines() if line.strip() and not line.startswith("#"))
    skipped = [*collect_ignore, *(report.nodeid for report in reporter.stats.get("skipped", []))]
    unexpected = sorted({name for name in skipped if not name.startswith(allowed)})
    for name in unexpected:
        reporter.write_line(f"skipped, but not named in {file}: {name}", red=True)
    if unexpected:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED

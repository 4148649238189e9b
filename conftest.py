"""Modules whose program is not installed are left out, as their tests are skipped."""

from importlib.util import find_spec

ROOMS = {"griffe": "tests/docs/docstrings.py", "pyspiel": "src/meldlab/adapters/openspiel", "torch": "src/meldlab/lab/training"}
collect_ignore = [room for program, room in ROOMS.items() if find_spec(program) is None]

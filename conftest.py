"""Examples in docstrings of a room whose program is not installed are left out, as its tests are skipped."""

from importlib.util import find_spec

ROOMS = {"pyspiel": "src/meldlab/adapters/openspiel", "torch": "src/meldlab/lab/training"}
collect_ignore = [room for program, room in ROOMS.items() if find_spec(program) is None]

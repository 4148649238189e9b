"""Examples in docstrings of a room whose program is not installed are left out, as its tests are skipped."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("pyspiel") else ["src/meldlab/adapters/openspiel"]

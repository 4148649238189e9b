"""Count the modules that a reader passes who follows one command: those in which a function is called while it runs.

    python benchmarks/walk.py gin arena simple ensemble:best --games 2

Kernels are run uncompiled, so that the modules under them are passed too. What is called while modules are imported does not count.
"""

import os
import sys
import threading
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

os.environ["NUMBA_DISABLE_JIT"] = "1"


def main() -> None:
    """Run the command, then print the modules in the order in which they are entered."""
    import meldlab
    from meldlab.cli.app import main as run

    root = str(Path(meldlab.__file__).parent)
    passed: dict[str, None] = {}

    def look(frame: FrameType, event: str, argument: Any) -> None:
        file = frame.f_code.co_filename
        called = event == "call" and file.startswith(root) and frame.f_code.co_name not in ("<module>", "<lambda>")
        if called and not _importing(frame):
            passed[file[len(root) + 1 :]] = None

    threading.setprofile(look)
    sys.setprofile(look)
    with suppress(SystemExit):
        run(sys.argv[1:])
    sys.setprofile(None)
    print(f"{len(passed)} modules: {' '.join(passed)}")


def _importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_name == "<module>" and "meldlab" in frame.f_code.co_filename and "walk.py" not in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False


if __name__ == "__main__":
    main()

"""The command, or another program, in a process that ends with the test run, however that ends."""

import os
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

__all__ = ["running", "start", "start_program"]

SRC = Path(__file__).parents[1] / "src"
# The other end of the pipe is closed with the process that holds it, also when that is killed.
CODE = """
import os, sys, threading
pipe = int(sys.argv.pop(1))
threading.Thread(target=lambda: (os.read(pipe, 1), os._exit(1)), daemon=True).start()
from meldlab.cli.app import main
main()
"""


def start(*arguments: str, **options: Any) -> "subprocess.Popen[str]":
    """Start the command in a process group of its own; options are those of Popen."""
    reading, writing = os.pipe()
    paths = [str(SRC), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **options.pop("env", {})}
    command = [sys.executable, "-c", CODE, str(reading), *arguments]
    process = subprocess.Popen(command, env=environment, pass_fds=(reading,), start_new_session=True, text=True, **options)
    os.close(reading)
    weakref.finalize(process, os.close, writing)
    return process


GUARD = """
import os, signal, subprocess, sys, threading
user, *command = sys.argv[1:]
program = subprocess.Popen(command, user=user or None, stdin=subprocess.DEVNULL)
threading.Thread(target=lambda: os._exit(program.wait() != 0), daemon=True).start()
sys.stdin.read()
program.send_signal(signal.SIGINT)  # PostgreSQL waits for its clients after SIGTERM
program.wait()
"""


def start_program(*command: str | Path, user: str | None = None, **options: Any) -> "subprocess.Popen[bytes]":
    """Start a program as a user; it is interrupted when its standard input is closed, at the latest with the test run."""
    guard = [sys.executable, "-c", GUARD, user or "", *map(str, command)]
    return subprocess.Popen(guard, stdin=subprocess.PIPE, start_new_session=True, **options)


def running(group: int) -> list[str]:
    """Return the command lines of the processes of a group that have not ended."""
    lines = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, _, leader = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
            if int(leader) == group and state not in "ZX":
                lines.append((folder / "cmdline").read_text().replace("\0", " "))
        except (OSError, ValueError):
            continue  # it has ended since the folder was listed
    return lines

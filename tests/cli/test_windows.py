"""Commands where Windows lacks modules, signals and calls of POSIX: they are hidden from a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SRC = Path(__file__).parents[2] / "src"

# Python runs it before anything else. Kept are os.uname and SIGKILL, which numpy and multiprocessing use where sys.platform is linux.
SITECUSTOMIZE = """
import os, signal, sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name in {"fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
signals = "SIGALRM SIGHUP SIGPIPE SIGPROF SIGTSTP SIGUSR1 ITIMER_PROF ITIMER_REAL alarm setitimer pthread_sigmask"
calls = "fork getloadavg getpgid geteuid getuid killpg nice sched_getaffinity sysconf"
for module, names in ((signal, signals), (os, calls)):
    for name in names.split():
        delattr(module, name)
"""


def run(folder: Path, *words: str, typed: str = "") -> tuple[int, str, str]:
    (folder / "sitecustomize.py").write_text(SITECUSTOMIZE)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(SRC)])}
    done = subprocess.run([sys.executable, *words], input=typed, capture_output=True, text=True, env=environment, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("words", "typed", "told"),
    [
        (["gin", "play", "--seed", "7", "--against", "simple"], "rules\nquit\n", "your hand"),
        (["rummikub", "solve", "--rack", "R1 R2 R3 K5"], "", "R1 R2 R3"),
        (["recycle", "run", "kuhn_poker", "--games", "20"], "", "20 games"),
        (["recycle", "run", "kuhn_poker", "--games", "4", "--players", "mcts:10"], "", "4 games"),
        (["gin", "arena", "simple", "gin-only", "--games", "4", "--seconds-per-move", "60"], "", "4 games"),
        (["waiting", "solve", "--cards", "3", "--dry-run"], "", "about|less than"),
    ],
    ids=lambda value: "-".join(value[:2]) if isinstance(value, list) else "",
)
def test_command_runs_without_posix(tmp_path: Path, words: list[str], typed: str, told: str) -> None:
    status, out, err = run(tmp_path, "-m", "meldlab", *words, typed=typed)
    assert (status, "Traceback" in err) == (0, False), err
    assert any(each in out for each in told.split("|")), out


@pytest.mark.parametrize("module", ["web.workers", "web.settings", "dry_run", "runs.store", "cli.prompt"])
def test_module_is_imported_without_posix(tmp_path: Path, module: str) -> None:
    pytest.importorskip("sqlalchemy", reason="the extra lab is not installed")
    status, _, err = run(tmp_path, "-c", f"import meldlab.{module}; from meldlab import cost; assert cost.machine_memory() > 0")
    assert status == 0, err

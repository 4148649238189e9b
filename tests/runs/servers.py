"""A PostgreSQL server of our own for a test: the system's, else the one that the package pgserver carries."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.processes import start_program

FOLDERS = ["/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/local/pgsql/bin", "/opt/homebrew/opt/postgresql*/bin"]


@contextmanager
def postgresql() -> Iterator[str]:
    """Give the URL of a server that runs as long as the context; skip the test where there is none."""
    pytest.importorskip("psycopg", reason="the extra 'cluster' is not installed")
    programs = system_programs()
    if programs is not None:
        with of_the_system(programs) as url:
            yield url
        return
    pgserver = pytest.importorskip("pgserver", reason="this machine has no PostgreSQL, and the package pgserver is not installed")
    with tempfile.TemporaryDirectory() as folder:
        server = pgserver.get_server(folder)
        try:
            yield server.get_uri().replace("postgresql://", "postgresql+psycopg://")
        finally:
            server.cleanup()


def system_programs() -> Path | None:
    """Return the folder of initdb and postgres, newest first, if the machine has them and we may run them."""
    if os.getuid() == 0 and user_of_the_server() is None:
        return None
    found = [Path(name).parent for name in [shutil.which("postgres")] if name]
    found += [path for pattern in FOLDERS for path in sorted(Path("/").glob(pattern[1:]), reverse=True)]
    return next((path for path in found if (path / "initdb").exists() and (path / "postgres").exists()), None)


def user_of_the_server() -> str | None:
    """Return whom to run the server as: it refuses root."""
    names = {each.pw_name for each in pwd.getpwall()}
    return next((name for name in ("postgres", "nobody") if name in names), None)


@contextmanager
def of_the_system(programs: Path) -> Iterator[str]:
    """Make a cluster in a folder of its own and serve it on a free port of this machine."""
    user = user_of_the_server() if os.getuid() == 0 else None
    with tempfile.TemporaryDirectory() as name, socket.socket() as listener:
        if user is not None:
            os.chown(name, pwd.getpwnam(user).pw_uid, -1)
        data = Path(name, "data")
        make: list[str | Path] = [programs / "initdb", "-D", data, "-U", "meldlab", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        subprocess.run(make, check=True, stdout=subprocess.DEVNULL, user=user, cwd=name)
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        listener.close()
        serve: list[str | Path] = [programs / "postgres", "-D", data, "-k", name, "-h", "127.0.0.1", "-p", str(port), "-F"]
        with start_program(*serve, user=user, stderr=subprocess.DEVNULL, cwd=name) as server:
            answered(port, server)
            yield f"postgresql+psycopg://meldlab@127.0.0.1:{port}/postgres"


def answered(port: int, server: "subprocess.Popen[bytes]") -> None:
    """Wait until the server lets us in."""
    import psycopg

    while True:
        assert server.poll() is None, "the PostgreSQL server did not start"
        try:
            psycopg.connect(host="127.0.0.1", port=port, user="meldlab", dbname="postgres").close()
            return
        except psycopg.OperationalError:
            time.sleep(0.05)

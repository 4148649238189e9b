"""The store on a real PostgreSQL server: the same answers, shared by two processes, as from a file."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa

from meldlab.runs.leaderboard import RunProgress, leaderboard
from meldlab.runs.store import Store
from tests.runs.search import GAMES, PIECES, PLAYERS, search
from tests.runs.servers import postgresql
from tests.runs.test_resuming import start

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgresql() as url:
        yield url


HANGING = """
import time
from tests.runs.servers import postgresql
with postgresql() as url:
    print(url, flush=True)
    time.sleep(100)
"""


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_no_server_is_left_behind_by_a_killed_test_run(server: str, end: signal.Signals) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    with subprocess.Popen([sys.executable, "-c", HANGING], env=environment, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        engine = sa.create_engine(run.stdout.readline().strip())
        engine.connect().close()
        run.send_signal(end)
        run.wait(60)
    for _ in range(300):
        try:
            sa.create_engine(engine.url).connect().close()
        except sa.exc.OperationalError:
            break
        time.sleep(0.1)
    with pytest.raises(sa.exc.OperationalError):
        sa.create_engine(engine.url).connect()


def database(server: str, name: str) -> str:
    """Make an empty database on the server and return its URL."""
    engine = sa.create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return sa.make_url(server).set(database=name).render_as_string(hide_password=False)


def test_two_processes_share_a_search_on_a_server(server: str, tmp_path: Path) -> None:
    log, url = tmp_path / "log", database(server, "shared")
    both = [start(url, str(log)) for _ in range(2)]
    answers = [process.communicate(timeout=100)[0].strip() for process in both]
    assert answers == [search(str(tmp_path / "runs.sqlite"))] * 2
    lines = [line.split() for line in log.read_text().splitlines()]
    assert set(Counter(key for key, _ in lines).values()) == {1}
    assert len(lines) == PIECES
    assert {process for _, process in lines} == {str(process.pid) for process in both}


def test_server_and_file_tell_the_same(server: str, tmp_path: Path) -> None:
    runs = []
    for place in (database(server, "alone"), str(tmp_path / "runs.sqlite")):
        search(place)
        store = Store.open(place)
        runs.append(store.find(max(run.number for run in store.runs())))
    on_server, in_file = runs
    assert on_server.result == in_file.result
    assert leaderboard(on_server) == leaderboard(in_file)
    assert RunProgress.from_run(on_server).games == RunProgress.from_run(in_file).games == len(PLAYERS) * GAMES
    assert [row.payload for row in sorted(on_server.evaluations(), key=lambda row: str(row.task))] == [
        row.payload for row in sorted(in_file.evaluations(), key=lambda row: str(row.task))
    ]


def test_many_open_an_empty_server_at_once(server: str) -> None:
    url = database(server, "empty")
    with ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(lambda _: Store.open(url).run("at once", {}).number, range(4)))
    assert runs == [1, 1, 1, 1]

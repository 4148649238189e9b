"""Many people at once on the Rummikub helper, over loopback: how long each waits, and what the server holds in memory.

Starts a server of its own. Every person asks one position after another, each position once in the whole run, so that no answer is
remembered; between two questions they think. Positions are the library's random ones of a class, or come from played games.

    python benchmarks/load_helper.py --people 50 --seconds 20 --think 1 0
"""

import argparse
import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from urllib.parse import urlencode, urlsplit

from meldlab.play import Deal, Table
from meldlab.rummikub import DIFFICULTIES, PRESETS, Position, format_table, random_position
from meldlab.rummikub.game import Rummikub
from meldlab.rummikub.players import find_player

DOORS = {"page": "/rummikub", "api": "/api/v1/rummikub/solve"}
SEED = 20261115


def played_positions(rules: str) -> Iterator[Position]:
    """Give the middle of games between three players who never rearrange, as people mostly play; whoever moves has opened."""
    game = 0
    while True:
        table = Table(Rummikub(PRESETS[rules]), [find_player("greedy")] * 3)
        steps = list(table.steps(Deal(SEED + game)))
        for step in steps[len(steps) // 3 : 2 * len(steps) // 3]:
            view = step.before.view(step.seat)
            if view.opened[step.seat]:
                yield view.position
        game += 1


def random_positions(kind: str, rules: str) -> Iterator[Position]:
    """Give the library's positions of a class."""
    nth = 0
    while True:
        yield random_position(kind, SEED, nth, PRESETS[rules])
        nth += 1


def questions(positions: Iterator[Position], many: int, door: str, rules: str) -> list[str]:
    """Return the addresses of different positions, as a browser has them."""
    found: dict[str, None] = {}
    while len(found) < many:
        position = next(positions)
        query = {"rack": " ".join(map(str, position.rack)), "table": format_table(position.table)}
        found[DOORS[door] + "?" + urlencode(query | ({} if rules == "official" else {"rules": rules}))] = None
    return list(found)


class Person:
    """One connection that stays open, as a browser's does."""

    def __init__(self, host: str, port: int) -> None:
        self.host, self.port = host, port

    async def ask(self, path: str) -> tuple[int, bytes]:
        """Return the status and the body of an answer."""
        if not hasattr(self, "reader"):
            self.reader, self.writer = await asyncio.open_connection(self.host, self.port)
        self.writer.write(f"GET {path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n\r\n".encode())
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode()
        length = re.search(r"content-length: (\d+)", head, re.IGNORECASE)
        body = await self.reader.readexactly(int(length[1])) if length else b""
        return int(head.split()[1]), body


async def load(host: str, port: int, paths: list[str], people: int, seconds: float, think: float) -> tuple[list[float], Counter[str]]:
    """Return how long every answer took and what kind it was."""
    waits, kinds, until = list[float](), Counter[str](), time.monotonic() + seconds
    left = iter(paths)

    async def one(nth: int) -> None:
        person = Person(host, port)
        await asyncio.sleep(think * nth / people)  # people do not all begin at the same moment
        while time.monotonic() < until:
            path = next(left, None)
            if path is None:
                kinds["no position left"] += 1
                return
            begun = time.perf_counter()
            status, body = await person.ask(path)
            waits.append(time.perf_counter() - begun)
            unproven = b'"proven":false' in body or b"something better may exist" in body
            kinds[f"status {status}" if status != 200 else "unproven" if unproven else "proven"] += 1
            await asyncio.sleep(think)

    await asyncio.gather(*map(one, range(people)))
    return waits, kinds


def processes(pid: int) -> list[int]:
    """Return a process and those it started."""
    return [pid, *(int(child) for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split())]


def megabytes(pid: int) -> float:
    """Return the memory of a process, pages that several share counted in part."""
    found = re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
    return int(found[1]) / 1024 if found else 0.0


def processor_time(pid: int) -> float:
    """Return the seconds of processor time that a process has used; unlike a wait, it does not depend on who else works here."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def served() -> Iterator[tuple[str, int]]:
    """Start a server with a store of its own, and give its address and process; it is closed afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "meldlab", "serve", "--port", "0", "--store", str(Path(folder, "store.sqlite"))]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                found = re.search(r"http://\S+", server.stdout.readline() if server.stdout else "")
                if not found:
                    sys.exit("the server did not start")
                yield found[0], server.pid
            finally:
                server.send_signal(signal.SIGINT)


async def measure(options: argparse.Namespace, address: str, pid: int) -> None:
    """Ask for each think time in turn, and print what was seen."""
    host, port = urlsplit(address).hostname or "127.0.0.1", urlsplit(address).port or 80
    first = Person(host, port)
    while json.loads((await first.ask("/api/v1/ready"))[1])["rummikub"]:
        await asyncio.sleep(0.5)
    made = random_positions(options.positions, options.rules) if options.positions in DIFFICULTIES else played_positions(options.rules)
    # Every worker has answered once before anything is measured.
    await load(host, port, questions(made, 20, options.door, options.rules), 10, 5, 0)
    for think in options.think:
        rate = options.people / think if think else 120
        paths = questions(made, round(rate * options.seconds) + options.people, options.door, options.rules)
        begun, used = time.perf_counter(), {one: processor_time(one) for one in processes(pid)}
        waits, kinds = await load(host, port, paths, options.people, options.seconds, think)
        took = time.perf_counter() - begun
        waits.sort()
        held, each = {one: megabytes(one) for one in processes(pid)}, 1000 / len(waits)
        used = {one: (processor_time(one) - used.get(one, 0.0)) * each for one in held}
        print(
            f"{options.people} people, think {think:g} s, {options.positions} positions, {options.rules} rules, {options.door}: "
            f"median {median(waits) * 1000:.0f} ms, p99 {waits[int(len(waits) * 0.99)] * 1000:.0f} ms, {len(waits) / took:.1f} requests/s; "
            f"{', '.join(f'{many} {kind}' for kind, many in kinds.most_common())}; "
            f"processor time of a request {used[pid]:.1f} ms in the server, {sum(used.values()) - used[pid]:.1f} ms in workers; "
            f"{sum(held.values()):.0f} MB in {len(held)} processes, the server itself {held[pid]:.0f} MB",
            flush=True,
        )


def main() -> None:
    """Read the options, start a server, measure, and close it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20.0, help="how long each think time is measured")
    parser.add_argument("--think", type=float, nargs="+", default=[1.0, 0.0], help="seconds between an answer and the next question")
    parser.add_argument("--positions", choices=["played", *DIFFICULTIES], default="played")
    parser.add_argument("--rules", choices=list(PRESETS), default="official")
    parser.add_argument("--door", choices=list(DOORS), default="page")
    options = parser.parse_args()
    with served() as (address, pid):
        asyncio.run(measure(options, address, pid))


if __name__ == "__main__":
    main()

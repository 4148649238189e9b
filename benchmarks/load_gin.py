"""Many people at gin tables of one server, on loopback: how long a move takes, and what a table costs.

    python benchmarks/load_gin.py [--tables 200] [--moves 10] [--think 1.0]

Each person plays legal moves at random against the simple player, thinking for a moment after each answer. Printed: the median and the 99th
percentile of the time from a move to its answer, moves per second, and the memory of the server's processes per table.
"""

import argparse
import asyncio
import json
import random
import re
import statistics
import sys
import time
from typing import NamedTuple
from urllib.parse import urlsplit

from load_helper import megabytes, processes, processor_time, served

BUSY = 503  # the line before the workers is full


async def ask(port: int, method: str, path: str, body: object = None, cookies: dict[str, str] | None = None) -> tuple[int, dict]:
    """Ask by a connection of one's own, as short-lived browsers do; new cookies are added to ``cookies``."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    text = json.dumps(body).encode() if body is not None else b""
    head = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Content-Type: application/json", f"Content-Length: {len(text)}"]
    if cookies:
        head.append("Cookie: " + "; ".join(f"{name}={value}" for name, value in cookies.items()))
    writer.write("\r\n".join([*head, "Connection: close", "", ""]).encode() + text)
    answer = await reader.read()
    writer.close()
    top, _, rest = answer.partition(b"\r\n\r\n")
    if cookies is not None:
        cookies.update(re.findall(r"(?im)^set-cookie: ([^=]+)=([^;\r]+)", top.decode()))
    return int(top.split()[1]), json.loads(rest)


async def person(port: int, moves: int, think: float, times: list[float | None], begun: asyncio.Semaphore) -> None:
    """Play; every move leaves how long it took, or None where the server was too busy to take it."""
    dice = random.Random(id(times) + moves)
    cookies: dict[str, str] = {}
    async with begun:
        while (answered := await ask(port, "POST", "/api/v1/matches", {"game": "gin", "opponents": ["simple"]}, cookies))[0] == BUSY:
            await asyncio.sleep(1)
    told = answered[1]
    for _ in range(moves):
        await asyncio.sleep(think * (0.5 + dice.random()))
        if told["over"]:
            break
        start = time.perf_counter()
        body = {"after": told["turn"], "move": 0}
        status, answer = await ask(port, "POST", f"/api/v1/matches/{told['id']}/actions", body, cookies)
        if status == 200:
            times.append(time.perf_counter() - start)
            told = answer
        elif status == BUSY:
            times.append(None)
        else:
            print(status, answer, file=sys.stderr)


class Load(NamedTuple):
    """What many people at tables saw, and what they cost."""

    tables: int
    moves: int
    seconds: float
    median: float
    late: float
    """Seconds within which 99 of 100 answers came."""
    worst: float
    server: float
    """Processor seconds of a move in the process that answers."""
    workers: float
    """Those in the others."""
    held: float
    """Megabytes of all processes afterwards."""
    refused: int
    """Moves that the server was too busy to take."""


async def ready(port: int) -> None:
    """Wait until the gin room is warm and every worker has answered."""
    while (await ask(port, "GET", "/api/v1/ready"))[1]["gin"]:
        await asyncio.sleep(0.5)
    await asyncio.gather(*(person(port, 3, 0.0, [], asyncio.Semaphore(4)) for _ in range(8)))


async def load(port: int, pid: int, tables: int, moves: int, think: float) -> Load:
    """Let people play, and return what they saw."""
    all_times, begun, used = list[float | None](), asyncio.Semaphore(8), {one: processor_time(one) for one in processes(pid)}
    start = time.perf_counter()
    await asyncio.gather(*(person(port, moves, think, all_times, begun) for _ in range(tables)))
    seconds = time.perf_counter() - start
    times = sorted(each for each in all_times if each is not None)
    spent = {one: (processor_time(one) - used.get(one, 0.0)) / len(times) for one in processes(pid)}
    waits = statistics.median(times), times[int(0.99 * len(times))], times[-1]
    held = sum(map(megabytes, spent))
    return Load(tables, len(times), seconds, *waits, spent[pid], sum(spent.values()) - spent[pid], held, len(all_times) - len(times))


async def measure(options: argparse.Namespace, port: int, pid: int) -> None:
    await ready(port)
    before = sum(map(megabytes, processes(pid)))
    found = await load(port, pid, options.tables, options.moves, options.think)
    pace = f"{found.moves} moves in {found.seconds:.1f} s ({found.moves / found.seconds:.0f} moves/s)"
    print(f"{options.tables} tables, thinking {options.think} s in the mean: {pace}, {found.refused} refused as too many")
    median, late, worst = (1000 * one for one in (found.median, found.late, found.worst))
    print(f"median {median:.0f} ms, 99th percentile {late:.0f} ms, worst {worst:.0f} ms")
    print(f"processor time of a move {1000 * found.server:.1f} ms in the server, {1000 * found.workers:.1f} ms in workers")
    print(f"memory {before:.0f} MB before, {1024 * (found.held - before) / options.tables:.0f} kB a table")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--moves", type=int, default=10)
    parser.add_argument("--think", type=float, default=1.0)
    options = parser.parse_args()
    with served() as (address, pid):
        asyncio.run(measure(options, urlsplit(address).port or 80, pid))


if __name__ == "__main__":
    main()

"""Gin tables of one server on loopback: the time of a move, also beside simulations, the memory of a table, the cost of idle streams.

    python benchmarks/load_server.py [--tables 200] [--moves 10] [--think 1.0] [--simulators 10] [--idle-streams 300]

Each table has an open event stream, as a browser has, and plays the first legal move against the simple player, with a pause after each
answer. A simulator asks for 10,000 games of Hearts again and again. Printed: median and 99th percentile of the time from a move to its
answer, moves per second, memory of the server's processes per table, and the share of a core that idle streams cost.
"""

import argparse
import asyncio
import json
import random
import re
import statistics
import sys
import time
from collections import Counter
from typing import NamedTuple
from urllib.parse import urlsplit

from load_helper import megabytes, processes, processor_time, served

from meldlab.recycle import library

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


async def follow(port: int, id: str, cookies: dict[str, str]) -> None:
    """Keep the event stream of a match open until cancelled."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    cookie = "; ".join(f"{name}={value}" for name, value in cookies.items())
    head = [f"GET /api/v1/matches/{id}/events HTTP/1.1", f"Host: 127.0.0.1:{port}", f"Cookie: {cookie}", "", ""]
    writer.write("\r\n".join(head).encode())
    try:
        while await reader.read(4096):
            pass
    finally:
        writer.close()


async def simulate(port: int, text: str, statuses: Counter[int]) -> None:
    """Ask for simulations until cancelled, as one visitor; count the statuses of the answers."""
    cookies: dict[str, str] = {}
    await ask(port, "GET", "/api/v1/matches", cookies=cookies)
    while True:
        body = {"text": text, "games": 10_000, "players": ["mcts:20"]}
        status, _ = await ask(port, "POST", "/api/v1/recycle/run", body, cookies)
        statuses[status] += 1
        if status != 200:
            await asyncio.sleep(1)


async def idle_streams(port: int, pid: int, count: int, seconds: float) -> float:
    """Return the share of a core that open streams cost while nothing happens."""
    cookies: dict[str, str] = {}
    _, match = await ask(port, "POST", "/api/v1/matches", {"game": "gin", "opponents": ["simple"]}, cookies)
    streams = [asyncio.create_task(follow(port, match["id"], cookies)) for _ in range(count)]
    await asyncio.sleep(5)
    before = processor_time(pid)
    await asyncio.sleep(seconds)
    spent = processor_time(pid) - before
    for stream in streams:
        stream.cancel()
    return spent / seconds


async def person(port: int, moves: int, think: float, times: list[float | None], begun: asyncio.Semaphore) -> None:
    """Play; every move leaves how long it took, or None where the server was too busy to take it."""
    dice = random.Random(id(times) + moves)
    cookies: dict[str, str] = {}
    async with begun:
        while (answered := await ask(port, "POST", "/api/v1/matches", {"game": "gin", "opponents": ["simple"]}, cookies))[0] == BUSY:
            await asyncio.sleep(1)
    told = answered[1]
    stream = asyncio.create_task(follow(port, told["id"], cookies))
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
    stream.cancel()


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
    statuses = Counter[int]()
    simulators = [asyncio.create_task(simulate(port, library.entry("hearts").text, statuses)) for _ in range(options.simulators)]
    await asyncio.sleep(10 if simulators else 0)
    found = await load(port, pid, options.tables, options.moves, options.think)
    for simulator in simulators:
        simulator.cancel()
    if simulators:
        print(f"{options.simulators} simulators: answers by status {dict(statuses)}")
    pace = f"{found.moves} moves in {found.seconds:.1f} s ({found.moves / found.seconds:.0f} moves/s)"
    print(f"{options.tables} tables, thinking {options.think} s in the mean: {pace}, {found.refused} refused as too many")
    median, late, worst = (1000 * one for one in (found.median, found.late, found.worst))
    print(f"median {median:.0f} ms, 99th percentile {late:.0f} ms, worst {worst:.0f} ms")
    print(f"processor time of a move {1000 * found.server:.1f} ms in the server, {1000 * found.workers:.1f} ms in workers")
    if options.idle_streams:
        share = await idle_streams(port, pid, options.idle_streams, 30.0)
        print(f"{options.idle_streams} idle streams: {100 * share:.1f} % of a core")
    print(f"memory {before:.0f} MB before, {1024 * (found.held - before) / options.tables:.0f} kB a table")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--moves", type=int, default=10)
    parser.add_argument("--think", type=float, default=1.0)
    parser.add_argument("--simulators", type=int, default=0)
    parser.add_argument("--idle-streams", type=int, default=0)
    options = parser.parse_args()
    with served() as (address, pid):
        asyncio.run(measure(options, urlsplit(address).port or 80, pid))


if __name__ == "__main__":
    main()

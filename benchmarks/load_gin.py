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
import subprocess
import sys
import tempfile
import time
from pathlib import Path


async def ask(port: int, method: str, path: str, body: object = None) -> tuple[int, dict]:
    """Ask by a connection of one's own, as short-lived browsers do."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    text = json.dumps(body).encode() if body is not None else b""
    head = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Content-Type: application/json", f"Content-Length: {len(text)}"]
    writer.write("\r\n".join([*head, "Connection: close", "", ""]).encode() + text)
    answer = await reader.read()
    writer.close()
    top, _, rest = answer.partition(b"\r\n\r\n")
    return int(top.split()[1]), json.loads(rest)


async def person(port: int, moves: int, think: float, times: list[float], begun: asyncio.Semaphore) -> None:
    dice = random.Random(id(times) + moves)
    async with begun:
        _, told = await ask(port, "POST", "/api/matches", {"game": "gin", "opponents": ["simple"]})
    for _ in range(moves):
        await asyncio.sleep(think * (0.5 + dice.random()))
        if told["over"]:
            break
        start = time.perf_counter()
        status, answer = await ask(port, "POST", f"/api/matches/{told['id']}/actions", {"after": told["turn"], "action": told["legal"][0]})
        if status == 200:
            times.append(time.perf_counter() - start)
            told = answer
        else:
            print(status, answer, file=sys.stderr)


def memory(pid: int) -> int:
    """Return the bytes of a process and its children that are theirs alone or shared fairly."""
    pids = [pid, *map(int, subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout.split())]
    found = 0
    for one in pids:
        for line in Path(f"/proc/{one}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                found += int(line.split()[1]) * 1024
    return found


async def measure(options: argparse.Namespace, port: int, pid: int) -> None:
    while (await ask(port, "GET", "/api/ready"))[1]["gin"]:
        await asyncio.sleep(0.5)
    warm: list[float] = []
    await asyncio.gather(*(person(port, 3, 0.0, warm, asyncio.Semaphore(4)) for _ in range(8)))
    before, times, begun = memory(pid), list[float](), asyncio.Semaphore(8)
    start = time.perf_counter()
    await asyncio.gather(*(person(port, options.moves, options.think, times, begun) for _ in range(options.tables)))
    seconds = time.perf_counter() - start
    times.sort()
    pace = f"{len(times)} moves in {seconds:.1f} s ({len(times) / seconds:.0f} moves/s)"
    print(f"{options.tables} tables, thinking {options.think} s in the mean: {pace}")
    median, late, worst = (1000 * one for one in (statistics.median(times), times[int(0.99 * len(times))], times[-1]))
    print(f"median {median:.0f} ms, 99th percentile {late:.0f} ms, worst {worst:.0f} ms")
    print(f"memory {before / 2**20:.0f} MiB before, {(memory(pid) - before) / 1024 / options.tables:.0f} KiB a table")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--moves", type=int, default=10)
    parser.add_argument("--think", type=float, default=1.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "meldlab", "serve", "--port", "0", "--store", f"{folder}/store.sqlite"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            port = int(re.search(r":(\d+)", server.stdout.readline())[1])
            asyncio.run(measure(options, port, server.pid))
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()

"""Ctrl-C is heard at once in long work on waiting times and on the stopping game, and crashes nothing."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

SRC = Path(__file__).parents[2] / "src"

# In one new interpreter for all: run each verb once for its kernels, then at length, and press Ctrl-C while it runs.
PRESS = """
import json, os, signal, sys, threading, time
from meldlab.cli.app import main

signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell may have had it ignored


def status(arguments):
    try:
        main(arguments)
    except SystemExit as stopped:
        return stopped.code


verbs, wait = json.loads(sys.argv[1])
sys.stdout = open(os.devnull, "w")
found = []
for short, long in verbs:
    status(short.split())
    begun = time.perf_counter()
    threading.Timer(wait, os.kill, (os.getpid(), signal.SIGINT)).start()
    found.append([long, status(long.split()), time.perf_counter() - begun])
print(json.dumps(found), file=sys.stderr)
"""


VERBS = [
    ("waiting simulate AC,QH,KD --games 10", "waiting simulate AC,QH,KD --games 50000000"),
    ("waiting hand AC,2D,5H,7S,9C,JD", "waiting hand AC,2D,5H,7S,9C,KD"),
    ("waiting approximate --cards 5 --tolerance 100", "waiting approximate --cards 5 --tolerance 0.00001"),
    ("waiting solve --cards 3", "waiting solve --cards 7"),
    ("stopping value --deck 9,9", "stopping value --deck 150000,150000"),
    ("stopping winnings --games 10", "stopping winnings --games 50000000"),
]


def test_control_c_is_heard_at_once() -> None:
    wait = 0.4
    job = subprocess.run(
        [sys.executable, "-c", PRESS, json.dumps([VERBS, wait])],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SRC)},
        timeout=300,
        check=False,
    )
    assert job.returncode == 0, job.stderr
    found = json.loads(job.stderr.splitlines()[-1])
    assert [(long, status) for long, status, _ in found] == [(long, 130) for _, long in VERBS]
    assert {long: seconds for long, _, seconds in found if not wait <= seconds < wait + 3} == {}

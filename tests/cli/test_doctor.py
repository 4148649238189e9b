"""The doctor: after it no command has a kernel left to compile, but for what it names."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from meldlab import precompile
from meldlab.cli.app import main

SRC = Path(__file__).parents[2] / "src"

VERBS = [
    "demo",
    "deadwood 5H,6H,7H,9C",
    "waiting solve --cards 3 --save three.table --precision u16",
    "waiting solve --cards 3 --load three.table",
    "waiting hand AC,QH,KD --load three.table",
    "waiting solve --cards 3 --save single.table --precision f32",
    "waiting hand AC,QH,KD --load single.table",
    "waiting hand AC,QH,KD,2D --dead 5H",
    "waiting discard AC,QH,KD,QD",
    "waiting table --cards 3 --out three.csv",
    "waiting simulate AC,QH,KD --games 100",
    "waiting approximate --cards 3",
    "waiting classes",
    "stopping value",
    "stopping policy --deck 9,9",
    "stopping winnings --games 100",
    "stopping figures --deck 9,9 --out figures",
    "stopping play --seed 1",
    "gin arena random simple --games 2",
    "gin arena ensemble simple --games 2",
    "gin arena computed:light mc:2 --games 2",
    "gin arena computed:light-ensemble ensemble:best --games 2",
    "gin arena simple ensemble marjj network:light champion --games 2",
    "gin arena simple gin-only --games 2",
    "gin arena ensemble:best ensemble:paper --games 2",
    "gin arena marjj marjj:paper --games 2",
    "gin arena network:light network:light-pool --games 2",
    "gin arena champion specialist --games 2",
    "gin arena champion:search:2 marjj --games 2 --save games.toml",
    "gin arena mc:2 random --games 2",
    "gin review games.toml --determinizations 2",
    "gin review games.toml --determinizations 2 --player simple",
    "gin play --against marjj --seed 1",
    "gin export --players marjj,champion --games 2 --out games.jsonl",
    "recycle analyse kuhn_poker --quick --games 2 --store runs.sqlite",
    "replay games.toml",
    "gin advise --hand 2C,2D,2H,2S,4D,4H,4S,8D,8H,8S,AC",
    "gin advise --hand 2C,2D,2H,2S,4D,4H,4S,8D,8H,KS --upcard KD",
    "gin play --seed 1",
    "rummikub solve --table R7-9|R10-12 --rack K1",
    "rummikub arena random greedy --games 2",
    "rummikub puzzle",
    "recycle run kuhn_poker --games 10",
    "recycle arena kuhn_poker mcts:5 pimc:5 --games 2",
    "recycle arena leduc_poker ismcts:5 random --games 2",
    "recycle transcript kuhn_poker",
    "recycle perft kuhn_poker --depth 2",
]

# Which kernels Python calls with which types: those that the doctor's jobs have called are ready, whether compiled or out of the cache.
WATCH = """
import contextlib, io, json, sys
from numba.core.dispatcher import Dispatcher
from meldlab.cli.app import main
from meldlab.precompile import compile_package, warmup_jobs


def status(arguments):
    sys.stdin = io.StringIO("")
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            main(arguments)
    except SystemExit as stopped:
        return stopped.code


def ready():
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("meldlab.")]
    kernels = {value for module in modules for value in vars(module).values() if isinstance(value, Dispatcher)}
    return {f"{kernel.py_func.__module__}.{kernel.py_func.__name__}{types}" for kernel in kernels for types in kernel.overloads}


for room in warmup_jobs():
    compile_package(room)  # as the doctor does, in processes of its own
found = {"status": {}, "late": {}}
before = ready()
for verb in json.loads(sys.argv[1]):
    found["status"][verb] = status(verb.split())
    found["late"][verb] = sorted(ready() - before)
    before = ready()
print(json.dumps(found))
"""


@pytest.mark.slow
def test_after_the_doctor_every_kernel_is_ready(tmp_path: Path) -> None:
    known = {**os.environ, "PYTHONPATH": str(SRC)}
    command = [sys.executable, "-c", WATCH, json.dumps(VERBS)]
    job = subprocess.run(command, capture_output=True, text=True, env=known, cwd=tmp_path, check=False)
    assert job.returncode == 0, job.stderr
    found = json.loads(job.stdout)
    assert {verb: status for verb, status in found["status"].items() if status} == {}
    assert {verb: late for verb, late in found["late"].items() if late} == {}


def test_kernels_that_are_ready_on_one_processor_are_not_on_another(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MELDLAB_CACHE", str(tmp_path))
    monkeypatch.setattr(precompile, "warmup_jobs", lambda: {"melds": lambda: None})
    precompile.compile_package("melds")
    assert precompile.compiled_packages() == {"melds"}
    monkeypatch.setenv("NUMBA_CPU_NAME", "generic")
    assert precompile.compiled_packages() == set()


def test_kernels_of_earlier_jobs_are_not_ready(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MELDLAB_CACHE", str(tmp_path))
    monkeypatch.setattr(precompile, "warmup_jobs", lambda: {"melds": lambda: None})
    precompile.compile_package("melds")
    (tmp_path / "precompile.py").write_text("# jobs that call one more kernel")
    monkeypatch.setattr(precompile, "__file__", str(tmp_path / "precompile.py"))
    assert precompile.compiled_packages() == set()


def test_the_doctor_names_what_compiles_on_first_use(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(precompile, "warmup_jobs", dict)
    with pytest.raises(SystemExit, match="0"):
        main(["doctor"])
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "compiled on first use: players of value tables (tables:DIR), opponents inside GinVector other than simple"

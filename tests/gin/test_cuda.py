"""The GPU kernels of gin under numba's simulator: three cards of a tiny deck, in a process of its own, against the compiled kernels."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from meldlab.gin import Rules
from meldlab.gin.batch import rule_vector
from meldlab.gin.book import NO_BOOK, on_host
from meldlab.gin.kernel_layout import COMPUTED, DIARY, KIND, KNOWNS, PARAMETERS, TURNS, Pair
from meldlab.gin.players import MarjjPlayer, SimplePlayer
from meldlab.gin.values.folder import dead_cards
from meldlab.gin.values.guided import guided_value
from meldlab.gin.values.odds import Odds
from meldlab.gin.values.recursion import Engine, Field, solve, values_of

ROOT = Path(__file__).parents[2]
ROUNDS, GAMES, LIMIT = 6, 2, 2
RULES = Rules(knock_limit=LIMIT, match_points=10)

SIMULATE = """
import sys
import numpy as np
from numba import cuda
from meldlab.gin.values import kernel_cuda
from meldlab.gin.values import recursion as compute

# No driver to be asked, a thread or two are enough, and the simulator copies arguments back, so it wants arrays of its own.
compute.use_gpu, compute.SHAPE, compute.PLAYING, kernel_cuda.THREADS = (lambda: cuda), (1, 2), 2, 2
compute.Engine.up = lambda self, array: cuda.to_device(np.array(array))
from tests.gin.test_cuda import work
np.savez(sys.argv[1] + "/found.npz", **work("cuda"))
"""


def work(device: str) -> dict[str, Any]:
    """Solve, follow a guide, play and tally with the kernels of a device."""
    engine, field = Engine(device), Field(3, dead_cards(3), device)
    vector, none = rule_vector(replace(RULES, cards=3, ranks=3)), engine.book(NO_BOOK)
    simple, computed = SimplePlayer().vector(), np.zeros(PARAMETERS)
    computed[KIND] = COMPUTED
    first = engine.tally(Pair(np.array([simple, simple]), (none, none)), vector, 1, ROUNDS)
    odds = Odds.of(first)
    seen = {}

    def keep(turn: int, value: object) -> None:
        seen[turn] = value.copy_to_host() if hasattr(value, "copy_to_host") else np.array(value)

    solved = solve(field, odds, LIMIT, upcard=0.3, kind=np.uint8, slots=[1, 8], each=keep)
    guided = guided_value(field, odds.until(4), solved, odds, LIMIT, upcard=0.3)
    keep(0, field.value)
    values = values_of(field, solved, odds, np.full(TURNS + 2, 2.0), np.zeros((TURNS + 2, KNOWNS)))
    pair = Pair(np.array([computed, simple]), (none._replace(values=values), none))
    counts = engine.play(pair, vector, 2, 0, GAMES // 2)
    won = engine.won(pair, vector, 2, GAMES // 2)
    second = engine.tally(pair, vector, 3, ROUNDS)
    marjj = Pair(np.array([MarjjPlayer().vector(), simple]), (none, none))
    counts = np.concatenate([counts, engine.play(marjj, vector, 4, 0, GAMES)])
    pages = engine.up(np.zeros((ROUNDS, 2, 4, DIARY)))
    engine.record(Pair(pair.vectors, (pair.books[0], none)), vector, 5, pages)
    codes = [row.copy_to_host() if hasattr(row, "copy_to_host") else row for row in (solved.codes[0], solved.codes[1])]
    means = np.array([solved.value, guided])
    found = {"first": first, "value": seen[1], "guided": seen[0], "means": means, "counts": counts, "won": won, "second": second}
    return {**found, "codes": np.array(codes), "pages": on_host(pages)}


def test_the_simulated_kernels_do_what_the_compiled_ones_do(tmp_path: Path) -> None:
    expected = work("cpu")
    paths = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    simulated = {**os.environ, "PYTHONPATH": paths, "NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", SIMULATE, str(tmp_path)], env=simulated, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    found = np.load(tmp_path / "found.npz")
    assert np.array_equal(found["counts"], expected["counts"])
    assert np.array_equal(found["won"], expected["won"])
    for name in ("first", "second", "value", "guided", "means", "pages"):
        np.testing.assert_allclose(found[name], expected[name], rtol=0, atol=1e-4)
    # A value on the edge between two codes may fall to either side.
    assert np.abs(found["codes"].astype(int) - expected["codes"]).max() <= 1
    assert expected["first"].any()
    assert expected["pages"].any((0, 2, 3)).all()
    assert expected["value"].std() > 0.1
    assert (expected["guided"] < expected["value"]).any()

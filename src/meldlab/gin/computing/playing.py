"""Matches and recorded rounds on the cores of this machine or on its GPU."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.gin import batch, kernel_match
from meldlab.gin.batch import PlayerParameters, new_states
from meldlab.gin.computing import kernel_tally
from meldlab.gin.kernel_state import MATCH, RuleNumbers
from meldlab.gin.vector_devices import parameters_on
from meldlab.gpu import Device
from meldlab.parallel import run_on_cores

MAX_BLOCKS = 132 * 8  # that play games at once on a GPU
ROUNDS = 2048  # of a chunk of a core
Players = tuple[PlayerParameters, PlayerParameters]


def play(device: Device, players: Players, rules: RuleNumbers, seed: int, first: int, games: int) -> NDArray[Any]:
    """Return [games] MATCH of games ``first`` and following with the players in these seats."""
    if device.cuda is None:
        return batch.play_matches(*players, rules, seed, first, games)
    own, other, swapped = batch.order_by_kind(*players)
    matches: NDArray[Any] = _on_gpu(device, (own, other), swapped, rules, seed, first, games)[0]
    return matches


def mirrored_wins(device: Device, players: Players, rules: RuleNumbers, seed: int, deals: int) -> NDArray[np.int64]:
    """Return [deals, 2] int64, whether the first player wins each game: of each deal one in the first seat and one in the second."""
    own, other = players
    wins = [play(device, pair, rules, seed, 0, deals)["winner"] for pair in ((own, other), (other, own))]
    return np.stack([wins[0] == 0, wins[1] == 1], 1).astype(np.int64)


def record(device: Device, players: Players, rules: RuleNumbers, seed: int, trajectories: Any) -> None:
    """Fill ``trajectories``, [rounds, seats, turns, TURN_WIDTH] float64, with single rounds, from random scores of the match."""
    single = rules._replace(match_points=0, random_scores=rules.match_points)
    if device.cuda is not None:
        _on_gpu(device, players, 0, single, seed, 0, len(trajectories), trajectories=trajectories)
        return

    def write(index: int, count: int) -> None:
        kernel_match.record_rounds(*players, single, new_states(seed, index), trajectories[index : index + count])

    run_on_cores(write, len(trajectories), size=batch.CHUNK)


def tally(device: Device, players: Players, rules: RuleNumbers, seed: int, rounds: int) -> NDArray[np.float64]:
    """Return the tally of the decisions of seat 0 in single rounds."""
    single, size = rules._replace(match_points=0), 2 * kernel_tally.CELLS
    if device.cuda is not None:
        return _on_gpu(device, players, 0, single, seed, 0, rounds, tally=np.zeros(size))[1]  # type: ignore[no-any-return]
    # A tally for each chunk, added in order: sums of floats must not depend on the order of the cores.
    parts = np.zeros((-(-rounds // ROUNDS), size))

    def count(index: int, chunks: int) -> None:
        for part in range(index, index + chunks):
            first = part * ROUNDS
            kernel_tally.tally_rounds(*players, single, new_states(seed, first), min(ROUNDS, rounds - first), parts[part])

    run_on_cores(count, len(parts))
    total: NDArray[np.float64] = parts.sum(0)
    return total


def _on_gpu(
    device: Device,
    players: Players,
    swapped: int,
    rules: RuleNumbers,
    seed: int,
    first: int,
    games: int,
    *,
    tally: Any = None,
    trajectories: Any = None,
) -> tuple[Any, Any]:
    """Play on the GPU and return the matches and the tally."""
    from meldlab.gin.computing import kernel_cuda

    matches, sums = device.zeros(games, MATCH), device.up(np.zeros(0) if tally is None else tally)
    threads = kernel_cuda.THREADS
    shape = min((games + threads - 1) // threads, MAX_BLOCKS), threads
    turns = device.zeros((0, 1, 1, 1), np.float64) if trajectories is None else trajectories
    results = kernel_cuda.GameResults(matches, sums, turns, device.empty((shape[0], threads * 52), np.float64))
    on_device = parameters_on(device, players[0]), parameters_on(device, players[1])
    kernel_cuda.play_games[shape](on_device, swapped, rules, seed, first, games, results)
    return matches.copy_to_host(), sums.copy_to_host()

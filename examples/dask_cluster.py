"""Play on a Dask cluster: contests are cut into pieces, workers play them, and a store keeps what is done.

    python examples/dask_cluster.py                      # two workers on this machine
    python examples/dask_cluster.py tcp://host:8786      # a scheduler that is there already

Stop it in the middle and start it again: what the store has is not played twice. It needs pip install 'meldlab[cluster]'.
"""

import sys
import tempfile

from distributed import LocalCluster

from meldlab.arena.contest import ContestResult
from meldlab.gin import Gin
from meldlab.runs.store import Store
from meldlab.runs.tasks import Task, run_tasks


def main(address: str, store: str, games: int = 2000) -> None:
    """Let three players meet the simple one, all on the same deals."""
    run = Store.open(store).run("knocking on a cluster", {"games": games})
    contests = [Task("contest", f"knock:{early},0,6", "simple", seed=1, games=games) for early in (4, 7, 10)]
    counts = run_tasks([piece for one in contests for piece in one.split(500)], run, cluster=address)
    for one in contests:
        parts = [counts[piece.key] for piece in one.split(500)]
        print(one.player, ContestResult.from_counts(Gin(), (str(one.player), "simple"), parts).win_rate(0))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        if sys.argv[1:]:
            main(sys.argv[1], "runs.sqlite")
        else:
            with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
                main(cluster.scheduler_address, f"{folder}/runs.sqlite")

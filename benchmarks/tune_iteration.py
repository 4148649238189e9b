"""One full iteration of the paper's five grid searches, 4,744 players of 5,000 games each, and what is left of its winners on fresh deals.

    python benchmarks/tune_iteration.py --out runs/iteration [--minutes 9] [--iteration 1] [--base paper]

Writes every candidate's games and wins into candidates.csv as it goes, and summary.json. Started again with the same folder it goes
on where it was; with --minutes it stops in time. Needs numpy and numba only.
"""

import argparse
import csv
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from meldlab.chance import Purpose, derived
from meldlab.gin.players import Ensemble
from meldlab.lab.tuning.claims import one_sample, paired, two_samples
from meldlab.lab.tuning.grids import GAMES, GRIDS, played
from meldlab.lab.tuning.iteration import OPPONENT, Searched, iterate, search_grid
from meldlab.lab.tuning.measuring import Measured, by_kernel, won_games

COLUMNS = ("first", "player", "games", "wins", "swept")
BLOCK = 48  # candidates that play at the same time
REPORT = 60.0  # seconds after which the projection is printed


class Notebook:
    """Measurements in a CSV file: what is there is not played again."""

    def __init__(self, path: Path, deadline: float, whole: int) -> None:
        self.known: dict[tuple[int, str], Measured] = {}
        if path.exists():
            with path.open(encoding="utf-8", newline="") as file:
                for row in csv.DictReader(file):
                    # A line that was cut off when the search was killed is measured again.
                    if None not in row.values():
                        self.known[int(row["first"]), row["player"]] = Measured(int(row["games"]), int(row["wins"]), int(row["swept"]))
        self.file = path.open("a", encoding="utf-8", newline="")
        self.writer = csv.writer(self.file, lineterminator="\n")
        if not self.known:
            self.writer.writerow(COLUMNS)
        self.deadline, self.whole, self.began, self.played, self.told = deadline, whole, time.monotonic(), 0, False

    def __call__(self, candidates: Sequence[Ensemble], opponent: str, *, seed: int, first: int, games: int) -> list[Measured]:
        keys = [(first, " ".join(f"{value:g}" for value in each.vector())) for each in candidates]
        missing = {key: each for key, each in zip(keys, candidates, strict=True) if key not in self.known}
        waiting = list(missing.items())
        for start in range(0, len(waiting), BLOCK):
            some = waiting[start : start + BLOCK]
            found = by_kernel([each for _, each in some], opponent, seed=seed, first=first, games=games)
            for (key, _), one in zip(some, found, strict=True):
                self.known[key] = one
                self.writer.writerow([*key, one.games, one.wins, one.swept])
            self.file.flush()
            self.played += games * len(some)
            self.report()
        return [self.known[key] for key in keys]

    def report(self) -> None:
        now = time.monotonic()
        if now > self.deadline:
            self.file.close()
            print(f"time is over after {self.played:,} games; the same command goes on from here")
            sys.exit(3)
        if not self.told and now - self.began > REPORT:
            self.told = True
            speed = self.played / (now - self.began)
            print(f"{speed:,.0f} games/s: {self.whole:,} games take {self.whole / speed / 60:.0f} minutes", flush=True)


def honest(found: Searched, seed: int, games: int) -> dict[str, Any]:
    """Measure base and winner on fresh deals and say what the tests say."""
    players = found.base, found.best
    fresh = won_games(players, OPPONENT, seed=derived(seed, Purpose.FRESH), first=0, games=games)
    same = won_games(players, OPPONENT, seed=seed, first=found.first, games=found.after.games)
    before, after = (Measured(games, int(won.sum()), int((won.reshape(-1, 2).sum(1) == 2).sum())) for won in fresh)
    return {
        "search": found.name,
        "iteration": found.iteration,
        "candidates": len(found.candidates),
        "distinct_players": found.distinct,
        "distinct_results": len({(played(each), one.wins) for each, one in zip(found.candidates, found.measured, strict=True)}),
        "best": found.value,
        "before": told(found.before),
        "after": told(found.after),
        "one_sample": one_sample(found.before.wins / found.before.games, found.after).as_json(),
        "two_samples": two_samples(found.before, found.after).as_json(),
        "paired": paired(*same).as_json(),
        "fresh_before": told(before),
        "fresh_after": told(after),
        "fresh_paired": paired(*fresh).as_json(),
        "inflation": found.after.wins / found.after.games - after.wins / after.games,
        "player": str(found.best),
    }


def told(measured: Measured) -> dict[str, Any]:
    rate = measured.rate
    return {"games": measured.games, "wins": measured.wins, "rate": rate.value, "ci95": [rate.low, rate.high]}


def main(arguments: argparse.Namespace) -> None:
    out, began = Path(arguments.out), time.monotonic()
    out.mkdir(parents=True, exist_ok=True)
    by_kernel([Ensemble()], OPPONENT, seed=0, first=0, games=64)  # compiled before the clock starts
    whole = arguments.games * sum(len(grid()) + 1 for grid in GRIDS.values())
    notebook = Notebook(out / "candidates.csv", began + 60 * arguments.minutes, whole)
    base = Ensemble.parse(Path(arguments.base).read_text()) if arguments.base.endswith(".toml") else Ensemble.preset(arguments.base)
    summary: dict[str, Any] = {"base": arguments.base, "seed": arguments.seed, "games_of_each": arguments.games, "searches": []}

    def search(name: str, start: Ensemble, iteration: int) -> Searched:
        return search_grid(name, start, notebook, seed=arguments.seed, iteration=arguments.iteration, games=arguments.games)

    for found in iterate(base, search):
        summary["searches"].append(honest(found, arguments.seed, arguments.check))
        last = summary["searches"][-1]
        print(
            f"{found.name:14} best {last['best']}: {found.before.rate} -> {found.after.rate}, fresh {last['fresh_after']['rate']:.4f}",
            flush=True,
        )
        (out / "summary.json").write_text(json.dumps(summary, indent=1), encoding="utf-8")
        (out / "best.toml").write_text(str(found.best), encoding="utf-8")
    seconds = time.monotonic() - notebook.began
    summary |= {"seconds": seconds, "games_played": notebook.played, "games": whole, "games_per_second": notebook.played / seconds}
    (out / "summary.json").write_text(json.dumps(summary, indent=1), encoding="utf-8")
    print(f"{notebook.played:,} games in {seconds:,.0f} s, {notebook.played / seconds:,.0f} games/s with the measurements on fresh deals")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True)
    parser.add_argument("--minutes", type=float, default=1e6, help="stop after so many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--iteration", type=int, default=1, help="1, 2, 3: each has its own deals")
    parser.add_argument("--base", default="base", help="a preset, or a TOML file such as best.toml of the iteration before")
    parser.add_argument("--games", type=int, default=GAMES, help="of each candidate")
    parser.add_argument("--check", type=int, default=100_000, help="fresh games of base and winner of each search")
    main(parser.parse_args())

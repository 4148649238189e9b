"""Find the best ensemble by CMA-ES over all parameters at once, and measure it honestly; this made the preset ``ensemble:best``.

    python benchmarks/tune_best.py --minutes 6 --out runs/best [--seed 1] [--start runs/before/best.json]

All cores play, the players of a generation on the same mirrored deals. Most of the time goes into the search; then those worth a closer
look race on fresh deals, and the winner plays fresh deals again, which is the only figure to quote. Needs numpy, numba, optuna and cmaes.
"""

import argparse
import json
import os
import time
from pathlib import Path
from typing import Any

# Matrices of 32 rows: a second thread costs more than it helps. Must be said before numpy is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from meldlab.chance import Purpose, derived
from meldlab.gin.players import Ensemble
from meldlab.lab.tuning.evolution import Evolution, Generation, evolve, final_race, finalists, middle, within
from meldlab.lab.tuning.measuring import by_kernel
from meldlab.lab.tuning.racing import Heats
from meldlab.lab.tuning.space import START, player_at

SHARE = 0.8  # of the time goes into the search
OPPONENTS = ("simple", "ensemble:paper", "ensemble:shipped", "knock:10,0,6", "gin-only")


def main(arguments: argparse.Namespace) -> None:
    began, out = time.monotonic(), Path(arguments.out)
    out.mkdir(parents=True, exist_ok=True)
    by_kernel([Ensemble()], "simple", seed=0, first=0, games=64)  # compiled before the clock starts
    start = json.loads(Path(arguments.start).read_text())["point"] if arguments.start else START
    plan = Evolution(
        population=arguments.population, width=arguments.width, games=arguments.games, growth=arguments.growth, seed=arguments.seed
    )
    seconds = arguments.minutes * 60 - (time.monotonic() - began)
    generations: list[Generation] = []
    lines = ["generation,seconds,games,mean,best"]
    for each in within(evolve(by_kernel, plan, {**START, **start}), SHARE * seconds):
        generations.append(each)
        mean = sum(each.scores) / len(each.scores)
        line = f"{each.number},{time.monotonic() - began:.1f},{each.games},{mean:.4f},{max(each.scores):.4f}"
        lines.append(line)
        if each.number % 10 == 0:
            print(line, flush=True)
            write(out / "search.json", {"generation": each.number, "point": middle(generations[-10:])})
            (out / "generations.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (out / "generations.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = finalists(generations)
    order = final_race(found, by_kernel, derived(arguments.seed, Purpose.RACE), Heats(4000, 64_000, keep=3, least=2))
    best, inflated, _ = order[0]
    answer: dict[str, Any] = {
        "point": best,
        "player": str(player_at(best)),
        "plan": vars(plan),
        "generations": len(generations),
        "games": sum(each.games * len(each.points) for each in generations),
        "race": [(rate, games) for _, rate, games in order],
        "inflated": {"best of a generation": max(max(each.scores) for each in generations[-25:]), "race": inflated},
    }
    write(out / "best.json", answer)
    (out / "best.toml").write_text(str(player_at(best)), encoding="utf-8")
    answer["honest"] = {}
    for opponent in OPPONENTS:
        measured = by_kernel([player_at(best)], opponent, seed=derived(arguments.seed, Purpose.FRESH), first=0, games=arguments.check)[0]
        rate = measured.rate
        answer["honest"][opponent] = {"games": measured.games, "wins": measured.wins, "rate": rate.value, "ci95": [rate.low, rate.high]}
        print(f"{opponent:18} {rate}", flush=True)
        write(out / "best.json", answer)
    answer["seconds"] = time.monotonic() - began
    write(out / "best.json", answer)
    print(f"{answer['seconds']:.0f} s; {out / 'best.toml'}")


def write(path: Path, answer: dict[str, Any]) -> None:
    path.write_text(json.dumps(answer, indent=1), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=6.0)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", help="best.json or search.json of an earlier search, to go on from its point")
    parser.add_argument("--population", type=int, default=24)
    parser.add_argument("--width", type=float, default=0.1, help="of the cloud at the start, as a share of the bounds")
    parser.add_argument("--games", type=int, default=2000, help="of each player in the first generation")
    parser.add_argument("--growth", type=float, default=1.008, help="factor by which games grow with each generation")
    parser.add_argument("--check", type=int, default=100_000, help="fresh games of the winner against each opponent")
    main(parser.parse_args())

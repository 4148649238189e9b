"""Training runs that docs/training.md quotes: best responses to every player with one budget, and the champion's run with one part changed.

    python benchmarks/training_studies.py responses --save responses.jsonl --steps 30000000 --games 65536 --device cuda
    python benchmarks/training_studies.py ablations --save ablations.jsonl --steps 36000000 --games 65536 --device cuda
    python benchmarks/training_studies.py champion --save best.jsonl --steps 220000000 --games 200000 --device cuda

One line of JSON for each run, written when it is evaluated; runs that the file has are left out. On a CPU:
--steps 1000000 --envs 1024 --minibatch 4096 --games 4000.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from torch import Tensor

from meldlab.chance import Purpose, derive_seed
from meldlab.training.config import PPOConfig, split_envs
from meldlab.training.networks import CARD_PLANES, PolicyNetwork, load_prior
from meldlab.training.ppo import PPO
from meldlab.training.train import evaluate_file, new_trainer

PLAYERS = (
    *("champion", "network:light-pool", "network:light-ensemble", "network:light", "marjj"),
    *("ensemble:best", "ensemble:paper", "simple"),
)
POOL = (
    *("simple", "network:light-ensemble", "network:light", "marjj"),
    *("network:light-ensemble", "simple", "ensemble:best", "network:light"),
)
PRIOR, EVALUATION = "network:light-pool", "network:light-ensemble"
Study = Iterator[tuple[str, str, Callable[[], PPO]]]


class BlindCritic(PPO):
    """Its critic sees what a seat sees."""

    def _critic_values(self, features: Tensor, mask: Tensor, prior_logits: Tensor, hidden: Tensor) -> Tensor:
        return super()._critic_values(features, mask, prior_logits, hidden * 0)


class FixedEquity(PPO):
    """Its match equity is that of the first iteration."""

    def set_equity(self, counts: object) -> None:
        if not self.iteration:
            super().set_equity(counts)


class WithoutHistory(PolicyNetwork):
    """Sees neither the cards that the opponent declined nor the order of the discards."""

    def forward(self, cards: Tensor, numbers: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        seen = cards.clone()
        for plane in (CARD_PLANES.index("declined"), len(CARD_PLANES) + 1):
            seen[:, :, 13 * plane : 13 * plane + 13] = 0
        return super().forward(seen, numbers)


def responses(steps: int, num_envs: int, minibatch: int, device: str) -> Study:
    """Yield a run against each player, from the prior."""
    for name in PLAYERS:
        config = PPOConfig(num_envs=(0, 0, num_envs), opponents=(name,), prior=PRIOR, total_steps=steps, minibatch_size=minibatch)
        yield name, name, lambda config=config: PPO(config, device)


def champion(steps: int, num_envs: int, minibatch: int, device: str) -> Study:
    """Yield the run against the champion from the champion."""
    config = PPOConfig(num_envs=(0, 0, num_envs), opponents=("champion",), total_steps=steps, minibatch_size=minibatch)
    yield "champion, from champion", "champion", lambda: new_trainer(config, device, "champion")[0]


def ablations(steps: int, num_envs: int, minibatch: int, device: str) -> Study:
    """Yield the champion's run unchanged, and with one part changed."""
    envs = split_envs(num_envs, "3,1,3")
    common = {"prior": PRIOR, "total_steps": steps, "seed": 1, "learning_rate": 1e-3, "final_learning_rate": 5e-5}
    base = PPOConfig(num_envs=envs, opponents=POOL, minibatch_size=minibatch, **common)
    own, snapshots, pool = base.num_envs
    changed = {
        "unchanged": {},
        "128 units": {"hidden_size": 128},
        "512 units": {"hidden_size": 512},
        "no snapshots": {"num_envs": (own + snapshots, 0, pool)},
        "as many snapshots as opponents": {"num_envs": (snapshots, own, pool)},
        "no belief loss": {"belief_coef": 0.0},
        "entropy bonus 0.05": {"ent_coef": 0.05, "final_ent_coef": 0.005},
        "no entropy bonus": {"ent_coef": 0.0, "final_ent_coef": 0.0},
        "another seed": {"seed": 2},
    }
    for name, change in changed.items():
        yield name, EVALUATION, lambda change=change: PPO(replace(base, **change), device)
    yield "critic sees no more than a seat", EVALUATION, lambda: BlindCritic(base, device)
    yield "match equity of the first iteration", EVALUATION, lambda: FixedEquity(base, device)
    network = WithoutHistory(base.hidden_size, base.num_layers, prior=load_prior(PRIOR))
    yield "neither declined cards nor order", EVALUATION, lambda: PPO(base, device, network)


def main() -> None:
    """Train and evaluate, one run after another."""
    studies = {"responses": responses, "ablations": ablations, "champion": champion}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", choices=studies)
    parser.add_argument("--save", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=500_000)
    parser.add_argument("--envs", type=int, default=57_344)
    parser.add_argument("--minibatch", type=int, default=16_384)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    finished = {json.loads(line)["run"] for line in options.save.read_text().splitlines()} if options.save.exists() else set()
    for name, opponent, create in studies[options.study](options.steps, options.envs, options.minibatch, options.device):
        if name in finished:
            continue
        start, trainer = time.perf_counter(), create()
        metrics = [iteration.metrics for iteration in trainer.iterations()][-1]
        seconds = time.perf_counter() - start
        with TemporaryDirectory() as folder:
            file = Path(folder, "network.npz")
            trainer.average.save(file, {})
            score = evaluate_file(file, opponent, options.games, derive_seed(trainer.config.seed, Purpose.FRESH), trainer.config.rules)
        row = {"run": name, "steps": trainer.steps, "seconds": round(seconds, 1), "opponent": opponent, **score.as_json(), **metrics}
        with options.save.open("a") as lines:
            lines.write(json.dumps(row) + "\n")
        print(f"{name}: {score.win_rate()} won against {opponent}, {score.games:,} games; {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()

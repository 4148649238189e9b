"""A training run from start to end: checkpoints, the learning curve, the saved network, and its evaluation.

Next to ``FILE.npz``, the network, are ``FILE.state``, the checkpoint to resume from, and ``FILE.jsonl``, the learning curve.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from pickle import UnpicklingError
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from meldlab import __version__
from meldlab.arena.contest import play_contest
from meldlab.cache import replace_file
from meldlab.chance import Purpose, derive_seed
from meldlab.errors import NotLegalHere, NotPossible
from meldlab.gin import Gin, Rules, players
from meldlab.gin.kernel_state import PolicyWeights
from meldlab.gin.network_files import read_weights
from meldlab.gin.players.policy import PolicyPlayer
from meldlab.gin.players.value_network import LightPlayer
from meldlab.parallel import Progress, no_progress
from meldlab.statistics import Score
from meldlab.training.config import PPOConfig, TDConfig, config_from_settings
from meldlab.training.networks import PolicyNetwork, ValueNetwork
from meldlab.training.ppo import PPO
from meldlab.training.rollout import Device
from meldlab.training.td import TD

if TYPE_CHECKING:
    from meldlab.runs.store import Run

DAMAGES = (AttributeError, EOFError, KeyError, OSError, RuntimeError, TypeError, UnpicklingError)  # of a checkpoint that cannot be loaded
CHECKPOINT_SECONDS = 30.0
TASK_GAMES = 1000  # of an evaluation


@dataclass(frozen=True)
class TrainingResult:
    """The result of a training run."""

    path: Path
    steps: int
    iterations: int
    seconds: float
    scores: Mapping[str, Score] = field(default_factory=dict)
    """The scores of the saved network by opponent."""

    def as_json(self) -> dict[str, Any]:
        """Return the answer of the command line."""
        numbers = {"saved": str(self.path), "steps": self.steps, "iterations": self.iterations, "seconds": self.seconds}
        return {**numbers, "scores": {name: score.as_json() for name, score in self.scores.items()}}


def train(
    config: PPOConfig | TDConfig,
    save: Path,
    *,
    device: Device = "cpu",
    init_from: str = "",
    evaluate: Sequence[str] = (),
    eval_games: int = 2000,
    run: "Run | None" = None,
    progress: Progress = no_progress,
) -> TrainingResult:
    """Train a network, save it, and let it play ``eval_games`` games against each of some opponents; an existing checkpoint is resumed.

    ``init_from``: a player or a file whose network is trained further. ``run``: a run of the store for the evaluation.
    """
    if save.suffix != ".npz":
        raise NotLegalHere(f"a network is saved as FILE.npz, not {save.name}")
    checkpoint, curve = save.with_suffix(".state"), save.with_suffix(".jsonl")
    trainer, lineage = new_trainer(config, device, init_from)
    settings = {**config.settings(), "init_from": init_from, "version": __version__}
    if checkpoint.exists():
        try:
            trainer.load_checkpoint(checkpoint)
        except DAMAGES:
            raise NotPossible(f"{checkpoint} cannot be resumed: it is damaged, or of a run with other settings") from None
        lineage = _saved_lineage(save, settings) if save.exists() else lineage
    lineage = [*lineage, settings]
    _truncate(curve, trainer.iteration)
    start = saved = perf_counter()
    with curve.open("a") as lines:
        for iteration in trainer.iterations():
            lines.write(json.dumps(iteration.as_json()) + "\n")
            lines.flush()
            progress(min(trainer.steps, config.total_steps), config.total_steps, "")
            if perf_counter() - saved > CHECKPOINT_SECONDS:
                _save(trainer, save, lineage)
                saved = perf_counter()
    _save(trainer, save, lineage)
    seed = derive_seed(config.seed, Purpose.FRESH)
    scores = {name: evaluate_file(save, name, eval_games, seed, config.rules, run) for name in evaluate}
    return TrainingResult(save, trainer.steps, trainer.iteration, perf_counter() - start, scores)


def run_training(run: "Run | None", settings: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Train as a run of the store, if there is one; ``settings``: of the configuration, and the arguments of ``train``."""
    save, steps = Path(settings["save"]), 0

    def report(done: float, total: float, message: str) -> None:
        nonlocal steps
        steps = round(done)
        progress(done, total, message)

    numbers = {name: settings[name] for name in ("device", "init_from", "evaluate", "eval_games")}
    if run is not None:
        run.set_total(settings["eval_games"] * len(settings["evaluate"]))
    try:
        result = train(config_from_settings(settings), save, run=run, progress=report, **numbers)
    except BaseException:
        if run is not None and steps:
            run.note(f"interrupted after {steps:,} decisions; --resume continues")
        raise
    curve = [json.loads(line) for line in save.with_suffix(".jsonl").read_text().splitlines()]
    return {**result.as_json(), "curve": curve}


def evaluate_file(save: Path, opponent: str, games: int, seed: int, rules: Rules, run: "Run | None" = None) -> Score:
    """Return the score of a saved network on mirrored deals; with a run, its games are tasks of the run."""
    player, games = f"network:{save}", games + games % 2
    if run is None:
        return play_contest(Gin(rules), [player, opponent], games, seed).score()
    from meldlab.runs.tasks import Task, run_tasks

    whole = Task("contest", player, opponent, json.dumps(rules.as_record()), seed, games=games, label=save.stem)
    return Score.from_counts(run_tasks(whole.split(TASK_GAMES), run).values())


def new_trainer(config: PPOConfig | TDConfig, device: Device, init_from: str = "") -> tuple[PPO | TD, list[dict[str, Any]]]:
    """Return a trainer, and the settings of the runs that trained the network it starts with."""
    player = (
        players.parse(f"network:{init_from}" if init_from.endswith(".npz") and ":" not in init_from else init_from) if init_from else None
    )
    if isinstance(config, TDConfig):
        if player is None:
            return TD(config, device), []
        if not isinstance(player, LightPlayer):
            raise NotLegalHere(f"{init_from} is not a value network")
        return TD(config, device, ValueNetwork.from_weights(player.network)), _lineage(player.metadata)
    if player is None:
        return PPO(config, device), []
    if not isinstance(player, PolicyPlayer):
        raise NotLegalHere(f"{init_from} is not a policy network")
    file = init_from.removeprefix("computed:").removeprefix("network:")
    lineage = _lineage(read_weights(PolicyWeights, file, file)[1]) if file.endswith(".npz") else []
    return PPO(config, device, PolicyNetwork.from_weights(player.policy)), lineage


def _truncate(curve: Path, iterations: int) -> None:
    """Drop the iterations after the checkpoint from the curve; they are repeated."""
    lines = curve.read_text().splitlines(keepends=True) if curve.exists() else []
    with replace_file(curve) as file:
        file.write("".join(line for line in lines[:iterations] if line.endswith("\n")).encode())


def _lineage(metadata: Mapping[str, Any]) -> list[dict[str, Any]]:
    return list(metadata.get("lineage", []))


def _saved_lineage(save: Path, settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the lineage of a saved network without the run that is resumed; a run with other settings counts as one more."""
    with np.load(save) as arrays:
        lineage = _lineage(json.loads(str(arrays["notes"])))
    last = {name: value for name, value in lineage[-1].items() if name != "learned"} if lineage else {}
    return lineage[:-1] if last == json.loads(json.dumps(settings)) else lineage


def _save(trainer: PPO | TD, save: Path, lineage: list[dict[str, Any]]) -> None:
    trainer.save_checkpoint(save.with_suffix(".state"))
    settings = {**lineage[-1], "learned": trainer.steps}
    metadata = {"against": ",".join(dict.fromkeys(trainer.config.opponents)), "lineage": [*lineage[:-1], settings]}
    with replace_file(save) as file:
        trainer.average.save(file, metadata)

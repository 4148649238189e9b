"""``meldlab gin train`` and ``meldlab gin exploit``: networks trained in self-play, or against one player."""

import shlex
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from meldlab.cli.interruption import NOTHING, on_interrupt
from meldlab.cli.options import DeviceOption, GinRulesOption, JsonOption, SeedOption, StoreOption
from meldlab.cli.output import print_json, score_text
from meldlab.cli.progress import progress_bar
from meldlab.errors import NotLegalHere, NotPossible

if TYPE_CHECKING:
    from meldlab.training.config import PPOConfig, TDConfig

PPO_OPTIONS = ("prior", "num_envs", "env_shares", "hidden_size", "num_layers", "ent_coef")
TD_OPTIONS = ("rollout_rounds", "train_seats")
EXPLOIT_MINIBATCH = 16_384  # smaller than that of gin train, because a best response has fewer decisions to learn from

AlgorithmOption = Annotated[
    Literal["ppo", "td"], typer.Option("--algorithm", help="ppo: a policy network; td: a value network by TD(lambda).")
]
TotalStepsOption = Annotated[int, typer.Option("--total-steps", min=1, help="Decisions to learn from.")]
PriorOption = Annotated[str, typer.Option("--prior", help="PPO: light player whose action values serve as prior logits; '' for none.")]
RoundsOption = Annotated[int, typer.Option("--rollout-rounds", min=2, help="TD: rounds of a batch; an iteration has up to five batches.")]
EvalGamesOption = Annotated[int, typer.Option("--eval-games", min=2, help="Mirrored games per opponent, rounded up to an even number.")]
SaveOption = Annotated[Path, typer.Option("--save", help="File of the network; network:FILE.npz plays it.")]
InitOption = Annotated[str, typer.Option("--init-from", help="Initial network: FILE.npz, or a player such as network:light.")]
ResumeOption = Annotated[bool, typer.Option("--resume", help="Resume the run of --save.")]


@dataclass(frozen=True)
class TrainingOptions:
    """Options of train and exploit."""

    algorithm: AlgorithmOption = "ppo"
    prior: PriorOption = "network:light-pool"
    rollout_rounds: RoundsOption = 1 << 18
    init_from: InitOption = ""
    resume: ResumeOption = False
    rules: GinRulesOption = "eaai"
    seed: SeedOption = 0
    device: DeviceOption = "auto"
    store: StoreOption = None
    json: JsonOption = False


def train(
    context: typer.Context,
    options: TrainingOptions,
    opponents: Annotated[
        str, typer.Option("--opponents", help="Opponent pool: kernel players or network:FILE.npz; TD: also self, snapshot.")
    ] = "simple",
    total_steps: TotalStepsOption = 20_000_000,
    num_envs: Annotated[int, typer.Option("--num-envs", min=2, help="PPO: parallel environments.")] = 3584,
    env_shares: Annotated[
        str, typer.Option("--env-shares", help="PPO: shares of the environments for self-play, snapshots and opponents.")
    ] = "4,2,1",
    train_seats: Annotated[int, typer.Option("--train-seats", min=1, max=2, help="TD: seats that learn in self-play.")] = 2,
    hidden_size: Annotated[int, typer.Option("--hidden-size", min=1, max=2048, help="PPO: units of a layer.")] = 256,
    num_layers: Annotated[int, typer.Option("--num-layers", min=0, max=8, help="PPO: layers after the input layer.")] = 2,
    learning_rate: Annotated[float | None, typer.Option("--learning-rate", help="Initial learning rate; PPO 5e-4, TD 8e-4.")] = None,
    ent_coef: Annotated[float, typer.Option("--ent-coef", min=0, max=1, help="PPO: initial entropy bonus; decays tenfold.")] = 0.01,
    minibatch_size: Annotated[int, typer.Option("--minibatch-size", min=1, help="Decisions per gradient step.")] = 65_536,
    save: SaveOption = Path("network.npz"),
    evaluate: Annotated[str | None, typer.Option("--evaluate", help="Players to evaluate against, comma-separated; else the pool.")] = None,
    eval_games: EvalGamesOption = 2000,
) -> None:
    """Train a gin network by PPO or TD(lambda) in self-play, against snapshots and an opponent pool.

    Example: meldlab gin train --prior network:light --total-steps 2000000 --hidden-size 64 --save mine.npz
    """
    _reject_options(context, options.algorithm)
    device = _torch_device(options.device)
    from meldlab.gin import Rules
    from meldlab.training.config import PPOConfig, TDConfig, parse_opponents, split_envs

    if learning_rate is not None and not 0 < learning_rate <= 1:
        raise NotLegalHere(f"learning rate: expected a number above 0 and at most 1, got {learning_rate:g}")
    common: dict[str, Any] = {
        "opponents": parse_opponents(opponents),
        "total_steps": total_steps,
        "seed": options.seed,
        "rules": Rules.named(options.rules),
        "minibatch_size": minibatch_size,
    }
    config: PPOConfig | TDConfig
    if options.algorithm == "td":
        config = TDConfig(**common, rollout_rounds=options.rollout_rounds, train_seats=train_seats, learning_rate=learning_rate or 8e-4)
    else:
        rate = learning_rate or 5e-4
        config = PPOConfig(
            **common,
            num_envs=split_envs(num_envs, env_shares),
            prior=_prior(context, options),
            hidden_size=hidden_size,
            num_layers=num_layers,
            learning_rate=rate,
            final_learning_rate=rate / 20,
            ent_coef=ent_coef,
            final_ent_coef=ent_coef / 10,
        )
    players = tuple(dict.fromkeys(config.players)) if evaluate is None else parse_opponents(evaluate)
    run = {"save": str(save), "device": device, "init_from": options.init_from, "evaluate": players, "eval_games": eval_games}
    result = _train(context, config, run, options)
    if options.json:
        print_json(result)
        return
    print(f"{result['steps']:,} decisions in {result['iterations']} iterations, {result['seconds']:,.0f} s; play it as network:{save}")
    _print_scores(result)


def exploit(
    context: typer.Context,
    player: Annotated[str, typer.Argument(help="The opponent: a kernel player, or network:FILE.npz.")],
    options: TrainingOptions,
    total_steps: Annotated[
        int, typer.Option("--total-steps", min=1, help="Decisions to learn from; use the same for all players to compare.")
    ] = 20_000_000,
    num_envs: Annotated[int, typer.Option("--num-envs", min=2, help="PPO: parallel environments.")] = 4096,
    eval_games: EvalGamesOption = 20_000,
    save: SaveOption = Path("response.npz"),
) -> None:
    """Train an approximate best response to one player; its win rate is a lower bound on the player's exploitability.

    Example: meldlab gin exploit simple --total-steps 2000000 --eval-games 2000
    """
    _reject_options(context, options.algorithm)
    device = _torch_device(options.device)
    from meldlab.gin import Rules
    from meldlab.training.config import PPOConfig, TDConfig

    common: dict[str, Any] = {"opponents": (player,), "total_steps": total_steps, "seed": options.seed, "rules": Rules.named(options.rules)}
    config: PPOConfig | TDConfig
    if options.algorithm == "td":
        config = TDConfig(**common, rollout_rounds=options.rollout_rounds)
    else:
        num_envs -= num_envs % 2
        config = PPOConfig(**common, num_envs=(0, 0, num_envs), prior=_prior(context, options), minibatch_size=EXPLOIT_MINIBATCH)
    run = {"save": str(save), "device": device, "init_from": options.init_from, "evaluate": (player,), "eval_games": eval_games}
    result = _train(context, config, run, options)
    if options.json:
        print_json(result)
        return
    print(f"an approximate best response, trained on {result['steps']:,} decisions")
    _print_scores(result)
    print(f"so {player} is at least this exploitable; longer training may find more")


def _train(context: typer.Context, config: "PPOConfig | TDConfig", settings: dict[str, Any], options: TrainingOptions) -> dict[str, Any]:
    """Train as a run of the store where there can be one, and return the result."""
    settings = {**config.settings(), **settings, "eval_games": settings["eval_games"] + settings["eval_games"] % 2}
    checkpoint = Path(settings["save"]).with_suffix(".state")
    if options.resume != checkpoint.exists():
        if options.resume:
            raise NotPossible(f"nothing to resume: there is no {checkpoint}")
        raise NotPossible(f"{checkpoint} exists: --resume continues this run, another --save starts a new one")
    on_interrupt(lambda: f"the training state is saved in {checkpoint}; add --resume to continue" if checkpoint.exists() else NOTHING)
    with progress_bar("training") as show:
        if find_spec("sqlalchemy") is None:
            from meldlab.training.train import run_training

            print("nothing is stored: SQLAlchemy is missing", file=sys.stderr)
            result = run_training(None, settings, show)
        else:
            from meldlab.runs.queue import execute_here
            from meldlab.runs.store import Store

            # A resumed run is the same run.
            command = shlex.join(["meldlab", *(word for word in context.obj or () if word != "--resume")])
            result = execute_here(Store.open(options.store), str(context.command.name), {"command": command, **settings}, show)
    return {name: value for name, value in result.items() if name != "curve"}


def _print_scores(result: dict[str, Any]) -> None:
    for opponent, score in result["scores"].items():
        print(f"{score_text(score)} won against {opponent}, {score['games']:,} games")


def _reject_options(context: typer.Context, algorithm: str) -> None:
    """Raise for options of the other algorithm."""
    for name in PPO_OPTIONS if algorithm == "td" else TD_OPTIONS:
        if _given(context, name):
            raise NotLegalHere(f"--{name.replace('_', '-')} is not an option of --algorithm {algorithm}")


def _prior(context: typer.Context, options: TrainingOptions) -> str:
    """Return the prior of a policy; a network that is trained further has its own."""
    if not options.init_from:
        return options.prior
    if _given(context, "prior"):
        raise NotLegalHere(f"--prior is for a new network; {options.init_from} has its own")
    return ""


def _given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _torch_device(device: str) -> Literal["cpu", "cuda"]:
    """Return the device of PyTorch, or raise for what is missing."""
    from meldlab.gpu import has_gpu, use_gpu

    if find_spec("torch") is None:
        raise NotPossible("training needs PyTorch: pip install 'meldlab[train]'")
    if device == "cpu" or (device == "auto" and not has_gpu()):
        return "cpu"
    use_gpu()
    import torch

    if not torch.cuda.is_available():
        raise NotPossible("there is a GPU, but this PyTorch cannot use it; --device cpu trains without")
    return "cuda"

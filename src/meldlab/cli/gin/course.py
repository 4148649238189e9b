"""A course of the training room on the command line: progress, the store, and the answer."""

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from meldlab.cli.interruption import DRY_RUN, on_interrupt
from meldlab.cli.output import print_estimate, print_json
from meldlab.cli.progress import progress_bar

if TYPE_CHECKING:
    from meldlab.training.learner import Course
    from meldlab.training.training import Trained
    from meldlab.training.value_learner import ValueCourse


def teach(
    context: typer.Context,
    course: "Course | ValueCourse",
    *,
    save: Path,
    place: Literal["cpu", "cuda"],
    start: str,
    resume: bool,
    against: Sequence[str],
    games: int,
    store: str | None,
    dry_run: bool,
    json: bool,
) -> "Trained | None":
    """Run a course and keep it in the store, where there can be one; return nothing where all is said: the JSON, or what it would take."""
    from meldlab.training import keeping, measuring, training

    games = 2 * measuring.mirrored_deals(games)
    if dry_run:
        _foretell(course, training.decisions_done(save) if resume else 0, place, start, against, games, json)
        return None
    experiment = context.command.name or "train"
    told = training.settings_of(course)
    settings = {"command": command_of(context), **told, "start": start, "save": str(save), "device": place}
    if not keeping.can_keep():
        print("nothing is kept in the store: SQLAlchemy is missing", file=sys.stderr)
    kept = keeping.kept_course(store, experiment, settings, against, games) if keeping.can_keep() else nullcontext()
    state = save.with_suffix(".state")
    on_interrupt(lambda: f"the training state is saved in {state}; add --resume to continue" if state.exists() else DRY_RUN)
    with kept as run, progress_bar("teaching") as show:

        def report(lap: Any, learner: Any) -> None:
            show(min(lap.steps, course.steps), course.steps)
            if run is not None:
                run.lap(lap.steps)

        found = training.train(course, save, device=place, start=start, resume=resume, against=against, games=games, report=report)
        if run is not None:
            run.finish(found)
    if json:
        print_json(found.as_json())
        return None
    return found


def _foretell(
    course: "Course | ValueCourse", done: int, place: Literal["cpu", "cuda"], start: str, against: Sequence[str], games: int, json: bool
) -> None:
    """Say what is left of a course with ``done`` decisions behind it, and the games that measure it, would take."""
    from dataclasses import replace

    from meldlab.dry_run import course_cost

    left = max(0, course.steps - done)
    cost = course_cost(replace(course, steps=left), place, start, against, games)
    after = f" after {done:,}" if done else ""
    measured = f", and {games:,} games against {', '.join(against)}" if against else ""
    print_estimate(f"{left:,} decisions to learn from{after}{measured}", cost, json)


def command_of(context: typer.Context) -> str:
    """Return the line that was given, without --resume: a course that goes on is the same course."""
    import shlex

    return shlex.join(["meldlab", *(word for word in context.obj or () if word != "--resume")])


def refuse(context: typer.Context, names: Sequence[str], learn: str) -> None:
    """Refuse options that a course does not have."""
    from meldlab.errors import NotLegalHere

    for name in names:
        if _given(context, name):
            raise NotLegalHere(f"--{name} is not for --learn {learn}")


def adviser_of(context: typer.Context, adviser: str, start: str) -> str:
    """Return whom a policy hears: one that does not begin fresh has its adviser already."""
    if not start:
        return adviser
    if _given(context, "adviser"):
        from meldlab.errors import NotLegalHere

        raise NotLegalHere(f"--adviser is for a fresh network; {start} has its own")
    return ""


def _given(context: typer.Context, name: str) -> bool:
    """Tell whether somebody typed an option."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def place_of(device: str) -> Literal["cpu", "cuda"]:
    """Return where to train, or say what is missing."""
    from importlib.util import find_spec

    from meldlab.errors import NotPossible
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

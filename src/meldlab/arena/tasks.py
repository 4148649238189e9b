"""Contests as tasks of a run: the task ``contest`` plays any game of the registry.

>>> whole = Task("contest", "simple", "gin-only", seed=1, games=40)
>>> result = ContestResult.from_counts(task_game(whole), ["simple", "gin-only"], map(contest_task, whole.split(10)))
>>> result.wins() == play_contest(task_game(whole), ["simple", "gin-only"], 40, seed=1).wins()
True
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from meldlab.arena.contest import ContestResult, play_contest, seatings
from meldlab.digests import load_object
from meldlab.errors import NoSuchThing, NotLegalHere
from meldlab.games import GAMES
from meldlab.parallel import Progress
from meldlab.play import Game
from meldlab.runs.store import Counts, Run
from meldlab.runs.tasks import Task, run_tasks

TASK_DEALS = 500  # of one task of a run


def contest_task(task: Task) -> Counts:
    """Play the games of a task on one core: ``play_contest`` of its player and its opponent, in the game of its argument ``game``."""
    game, others = task_game(task), task.arguments.get("others", ())
    players = [player for player in (task.player, task.opponent, *others) if isinstance(player, str)]
    if len(players) < 2 + len(others):
        raise NotLegalHere("a contest is between players with names, not numbers")
    num_seatings = len(seatings(game, len(players)))
    if task.first % num_seatings or task.games % num_seatings:
        kind = "mirrored pairs" if num_seatings == 2 else f"whole deals of {num_seatings} games"
        raise NotLegalHere(f"games {task.first} to {task.first + task.games - 1} are not {kind}")
    return play_contest(game, players, task.games, task.seed, first_deal=task.first // num_seatings, threads=1).counts()


def run_contest(run: Run, settings: Mapping[str, Any], progress: Progress) -> dict[str, object]:
    """Play a contest as tasks of a run, and return its answer; ``settings``: ``game``, ``players``, ``games``, ``rules`` and ``seed``."""
    first, second, *others = settings["players"]
    arguments = {"game": settings.get("game", "gin"), **({"others": others} if others else {})}
    rules, seed = settings.get("rules", "eaai"), settings.get("seed", 0)
    one_deal = Task("contest", first, second, rules, seed, arguments=arguments)
    num_seatings = len(seatings(task_game(one_deal), len(settings["players"])))
    games = -(-settings["games"] // num_seatings) * num_seatings
    tasks = replace(one_deal, games=games).split(TASK_DEALS * num_seatings)
    counts = run_tasks(tasks, run, jobs=settings.get("threads", 0), progress=progress)
    return ContestResult.from_counts(task_game(one_deal), settings["players"], counts.values()).as_json()


def task_game(task: Task) -> Game[Any]:
    """Return the game of a contest: gin, or that of the argument ``game``; ``rules``: a preset, or the rules of a record as JSON."""
    name = task.arguments.get("game", "gin")
    if name not in GAMES:
        raise NoSuchThing("game", name, list(GAMES))
    game: type[Game[Any]] = load_object(GAMES[name].game)
    return game.read(rules_record(task))


def rules_record(task: Task) -> Mapping[str, Any]:
    """Return the rules of a task as a record has them."""
    record: Mapping[str, Any] = json.loads(task.rules) if task.rules.startswith("{") else {"preset": task.rules}
    return record

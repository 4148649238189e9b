"""Functions of the waiting pages that run in workers."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from meldlab.cards import Hand
from meldlab.errors import NotPossible
from meldlab.parallel import Progress
from meldlab.runs.store import Run
from meldlab.waiting import Goal, Solution, WaitingGame
from meldlab.waiting.distribution import QUANTILES, TurnDistribution
from meldlab.waiting.storage import cached_path, load, solve_cached

AT_ONCE = 5  # cards up to which a game is solved within a request
SPREAD = 6  # cards up to which the distribution is computed within a request
POINTS = 200  # of the curve over all hands
CLASSES = 2_000_000  # the most classes that are sorted for the curve; of more, an even sample


def look(hand: str, cards: int, aces: str, goal: str) -> dict[str, Any]:
    """Return what is known about a hand, whole or not yet: sizes that are solved, and for a whole hand everything."""
    held = Hand.parse(hand)
    game = WaitingGame(cards, aces, Goal.parse(goal))
    answer: dict[str, Any] = {"hand": [str(card) for card in held], "solved": _solved(aces, goal), "found": None}
    if len(held) == cards:
        answer["found"] = _found(held, _solution(game))
    return answer


def _solved(aces: str, goal: str) -> list[int]:
    """Return the sizes of hands that can be looked up here at once."""
    solved = [cards for cards in range(AT_ONCE + 1, 11) if cached_path(WaitingGame(cards, aces, Goal.parse(goal))).is_file()]
    return [*range(3, AT_ONCE + 1), *solved]


@lru_cache(maxsize=4)
def _solution(game: WaitingGame) -> Solution:
    if game.cards > AT_ONCE and not cached_path(game).is_file():
        raise NotPossible(f"hands of {game.cards} cards are not solved on this machine yet")
    return solve_cached(game, device="cpu")


@lru_cache(maxsize=4)
def _curve(game: WaitingGame) -> tuple[list[float], np.ndarray[Any, Any]]:
    """Return the waiting times of all kinds of hands in order, as points and whole."""
    solution = _solution(game)
    step = max(1, len(solution.expected) // CLASSES)
    ascending = np.sort(solution.expected[::step].astype(np.float64) * solution.unit)
    index = np.linspace(0, len(ascending) - 1, POINTS).astype(int)
    return [round(float(value), 4) for value in ascending[index]], ascending


def _found(held: Hand, solution: Solution) -> dict[str, Any]:
    expected = solution.turns(held)
    points, ascending = _curve(solution.game)
    place = float(np.searchsorted(ascending, expected, side="left")) / len(ascending)
    draws = [{"draw": str(draw.draw), "discard": str(draw.discard), "expected": draw.expected} for draw in solution.draws(held)]
    answer = {"expected": expected, "draws": draws, "curve": points, "quantile": place, "sd": None, "quantiles": None, "chances": None}
    if solution.game.cards <= SPREAD:
        turns = TurnDistribution.from_hand(solution, held)
        answer["sd"] = turns.sd()
        answer["quantiles"] = {str(part): turns.quantile(part) for part in QUANTILES}
        answer["chances"] = [round(float(probability), 6) for probability in turns.probabilities[: turns.quantile(0.99) + 1]]
    return answer


def solve_in_steps(run: Run, settings: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Solve all hands of a size and store them; resumed after a kill. ``settings``: cards, aces and goal."""
    game = WaitingGame(settings["cards"], settings["aces"], Goal.parse(settings["goal"]))
    solution = solve_cached(game, device="cpu", progress=lambda done, total, _: progress(done, total, f"solving {game}"))
    load(cached_path(game))
    return {"cards": game.cards, "seconds": solution.seconds}

"""What a worker does for the studio: check, draw, run, tell; untrusted texts run here only."""

import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from meldlab.analysis.movement import dot, draw_movement
from meldlab.analysis.variant import Variant
from meldlab.arena.contest import ContestResult
from meldlab.errors import NotLegalHere
from meldlab.games import parse_player
from meldlab.parallel import chunks
from meldlab.play import Deal, Step, Table
from meldlab.recycle.check import check_program
from meldlab.recycle.game import RecycleGame
from meldlab.recycle.language.constants import constant
from meldlab.recycle.language.diagnostics import TITLES
from meldlab.recycle.language.header import Header
from meldlab.recycle.movement import Movement
from meldlab.recycle.narration import Narrator
from meldlab.recycle.players import one_per_seat
from meldlab.recycle.transcript import describe_start, describe_step
from meldlab.reports.page import figure_svg
from meldlab.statistics import Interval
from meldlab.tables.model import Fact
from meldlab.tables.recycle import open_zones

SECONDS = 6.0  # after which games are no longer started, so that there is time to tell of those that were played
FIRST = 16  # games that are played before the clock is looked at
# Of the random games of a check, which follows every change in the editor: 0.02 to 0.2 seconds of CPU in the library, 1.1 in hostile texts.
CHECK_WORK = 20_000_000
MAX_STEPS = 1_000  # decisions of a game that is response; each keeps a whole state
BARS = 24
PLAYER = ("player", "wins", "win_rate", "ci95", "score", "score_ci95")
MAX_SPOTS, MAX_EDGES = 80, 300  # that a picture can hold


def check(text: str) -> dict[str, Any]:
    """Return errors and warnings of a text, random games included, and what it declares if it can be read."""
    report = check_program(text, work=CHECK_WORK)
    declares = report.checked.parsed.declares if report.checked else ()
    numbers = {node.var: number for node in declares if (number := constant(node.value)) is not None}
    diagnostics = [
        {
            **diagnostic.as_json(text),
            "at": min(diagnostic.offset, len(text)),
            "severity": "error" if diagnostic.is_error else "warning",
            "title": TITLES[diagnostic.code],
        }
        for diagnostic in report.diagnostics
    ]
    return {
        "ok": report.ok,
        "title": Header.parse(text).title[:80],
        "players": report.players,
        "numbers": numbers,
        "diagnostics": diagnostics,
    }


@lru_cache(maxsize=4)
def game_of_text(text: str, name: str = "described") -> RecycleGame:
    """Return the game of a text, compiled, from a small cache."""
    game = RecycleGame(name, text)
    assert game.machine.players
    return game


def graph(text: str, seed: int) -> dict[str, Any]:
    """Return which way the cards go in one random game, drawn."""
    game = game_of_text(text)
    movement = Movement.of(game.machine, seed)
    if len(movement.locations) > MAX_SPOTS or len(movement.edges) > MAX_EDGES:
        raise NotLegalHere(f"{len(movement.locations)} places and {len(movement.edges)} ways between them are too many to be drawn")
    figure, numbers = draw_movement(movement)
    edges = [dict(zip(numbers, row, strict=True)) for row in zip(*numbers.values(), strict=True)]
    return {"svg": str(figure_svg(figure, "movement", "Which way the cards go")), "dot": dot(movement, "movement"), "edges": edges}


def subject(text: str, settings: Mapping[str, int]) -> str:
    """Return the name for people of a game or its variant, once it is known that it can be run."""
    result = Variant(RecycleGame("described", text), settings)
    assert result.machine.players
    return result.title[:120]


def run(text: str, players: Sequence[str], games: int, seed: int, seconds: float = SECONDS) -> dict[str, Any]:
    """Play games for some seconds, and return what they came to."""
    game = game_of_text(text)
    names = one_per_seat(players, game.machine.players)
    seats = [parse_player(game, name) for name in names]
    started, parts, lengths, scores = time.monotonic(), list[ContestResult](), list[int](), list[list[int]]()
    # A game of players that search may take seconds.
    for first, count in chunks(games, FIRST if set(names) == {"random"} else 1, 0.5):
        batch = game.batch(seats, seed, first, count, threads=1)
        labels = [f"p{seat} {name}" for seat, name in enumerate(names, 1)]
        parts.append(ContestResult.from_batches(game, labels, [tuple(range(len(names)))], [batch], first))
        lengths += batch.counts["decisions"].tolist()
        scores += batch.scores.tolist()
        if time.monotonic() - started > seconds:
            break
    result = ContestResult.join(parts)
    response: dict[str, Any] = result.as_json()
    return {
        **{name: response[name] for name in ("games", "drawn", "finished", "capped", "failed", "failures")},
        "players": [{name: row[name] for name in PLAYER} for row in response["players"]],
        "requested": games,
        "seconds": time.monotonic() - started,
        "lowest_wins": result.lowest_wins,
        "decisions": _interval(result.count("decisions")),
        "options": _interval(result.count("options")) if sum(lengths) else None,
        "lengths": bars(lengths),
        "scores": bars([score for row in scores for score in row]),
    }


def _interval(found: Interval) -> dict[str, Any]:
    return {"value": found.value, "ci95": found.ends}


def bars(numbers: Sequence[int]) -> list[dict[str, int]]:
    """Return how many numbers lie in each of a few equal stretches, ends included.

    >>> bars([1, 1, 2, 4])
    [{'first': 1, 'last': 1, 'many': 2}, {'first': 2, 'last': 2, 'many': 1}, {'first': 3, 'last': 3, 'many': 0},
     {'first': 4, 'last': 4, 'many': 1}]
    """
    if not numbers:
        return []
    low, high = min(numbers), max(numbers)
    width = -(-(high - low + 1) // BARS)
    many = [0] * ((high - low) // width + 1)
    for number in numbers:
        many[(number - low) // width] += 1
    return [{"first": low + index * width, "last": low + (index + 1) * width - 1, "many": count} for index, count in enumerate(many)]


class GameResponse:
    """One game between players, as far as the page has stepped, or as time allowed."""

    def __init__(self, text: str, players: Sequence[str], seed: int) -> None:
        self.game = game_of_text(text)
        self.deal, self.describer = Deal(seed), Narrator(self.game.machine)
        self.position, self.begins, _ = describe_start(self.game.machine, seed)
        self.table = Table(self.game, [parse_player(self.game, name) for name in one_per_seat(players, self.game.machine.players)])
        self.steps: list[Step[Any]] = []
        self.over = self.position.over

    def play(self) -> None:
        """Continue until the end, for some seconds."""
        end = time.monotonic() + SECONDS
        if self.over or len(self.steps) >= MAX_STEPS:
            return
        for step in self.table.steps(self.deal, self.steps[-1] if self.steps else None):
            self.steps.append(step)
            self.over = step.result is not None
            if time.monotonic() > end or len(self.steps) >= MAX_STEPS:
                return


@lru_cache(maxsize=2)
def _game_response(text: str, players: tuple[str, ...], seed: int) -> GameResponse:
    return GameResponse(text, players, seed)


def steps(text: str, players: Sequence[str], seed: int, at: int, around: int) -> dict[str, Any]:
    """Return a game that is response decision by decision: what lies where after ``at`` of them, and the decisions around it."""
    response = _game_response(text, tuple(players), seed)
    response.play()
    at = min(at, len(response.steps))
    position = response.steps[at - 1].after.position if at else response.position
    first, last = max(0, at - around), min(len(response.steps), at + around)
    result = response.steps[-1].result if response.steps else response.game.start(response.game.machine.players, response.deal).result
    return {
        "at": at,
        "decisions": len(response.steps),
        "over": response.over,
        "begins": response.begins,
        "moves": [{"number": step.number + 1, "seat": step.seat, **describe_step(step)} for step in response.steps[first:last]],
        "zones": open_zones(response.describer, position),
        "facts": [
            Fact(key=name + response.describer.owner_text(category, owner), value=str(value))
            for _, category, owner, name, value in position.cells()
        ],
        "standard_cards": response.describer.standard_cards,
        "result": {"scores": list(result.scores), "winners": list(result.winners), "reason": result.reason}
        if response.over and result
        else None,
    }

"""Page of a search: the front, the winner and its program, the effects of each number, and all variants."""

import json
import shlex
from pathlib import Path

from meldlab.analysis.page import PLAYERS
from meldlab.recycle import library
from meldlab.recycle.language.header import highlight
from meldlab.recycle.language.settings import declared_numbers
from meldlab.reports.page import render, write_report
from meldlab.reports.plot import Plot
from meldlab.reports.rows import csv_text
from meldlab.statistics import Interval
from meldlab.variants.effects import Effect, effects
from meldlab.variants.figures import draw_front, draw_numbers, trial_kind
from meldlab.variants.measures import MEASURES
from meldlab.variants.search import SearchResult


def _effects_by_measure(result: SearchResult) -> dict[str, list[Effect]]:
    by_measure: dict[str, list[Effect]] = {name: [] for name in MEASURES}
    for effect in effects(result):
        by_measure[effect.measure].append(effect)
    return by_measure


def search_page(result: SearchResult) -> str:
    """Return the page as one self-contained HTML text."""
    contents = {
        "summary": "Summary",
        "front": "The front of the best",
        "winner": "The winner, measured again",
        "effects": "What each number does",
        "variants": "All variants",
        "code": "The winner's text",
        "data": "Data",
    }
    spec, winner = result.spec, result.winner
    without = set() if winner is not None else {"winner", "code"}
    return render(
        "meldlab.variants",
        "search.html.jinja",
        frame="base.html.jinja",
        title=f"Variants of {result.baseline.variant.header.title or result.game.name}",
        contents={id: name for id, name in contents.items() if id not in without},
        result=result,
        names=spec.measures,
        measures=MEASURES,
        differences={
            name: result.tested[winner.number].difference(result.tested[0], name) if winner and result.gain else None for name in MEASURES
        },
        effects=_effects_by_measure(result),
        comparisons=len(MEASURES) * len(spec.ranges),
        trial_kind=trial_kind,
        players=PLAYERS[result.config.algorithm],
        sheets=sheets(result),
        code=highlight(result.program_text(winner)) if winner is not None else "",
        text=result.program_text(winner) if winner is not None else "",
        file=f"{result.game.name}.rcy",
        tables={"variants.csv": variants_csv(result), "effects.csv": effects_csv(result)},
        json=json.dumps(result.as_json(), indent=1),
        command=command(result),
    )


def sheets(result: SearchResult) -> dict[str, Plot]:
    """Return the figures by name."""
    return {"front": draw_front(result), "numbers": draw_numbers(result)}


def command(result: SearchResult) -> str:
    """Return the command that makes this page."""
    spec, budget, config = result.spec, result.budget, result.config
    words = ["meldlab", "recycle", "search", result.game.name]
    # The program of a library game shows the settings; one of a file is its own text.
    if result.game.name in library.names():
        default, now = (declared_numbers(text, result.game.dialect) for text in (library.entry(result.game.name).text, result.game.text))
        words += [f"--set={name}={value}" for name, value in now.items() if default.get(name, value) != value]
    words += [word for span in spec.ranges for word in ("--vary", str(span))]
    words += [f"--{str(spec.objective).split()[0]}", spec.objective.measure]
    words += [word for constraint in spec.constraints for word in ("--require", str(constraint))]
    numbers = {"trials": budget.trials, "games": budget.games, "test-games": budget.test_games, "player": config.player}
    numbers |= {"simulations": config.simulations, "seed": config.seed}
    return shlex.join([*words, *(word for name, value in numbers.items() for word in (f"--{name}", str(value)))])


def _cells(interval: Interval | None) -> list[float | None]:
    return [interval.value, *(interval.ends or (None, None))] if interval else [None] * 3


def variants_csv(result: SearchResult) -> str:
    """Return a row for each variant and measure."""
    names = [span.name for span in result.spec.ranges]
    rows = [
        [trial.number, *map(trial.variant.settings.get, names), trial.games, trial.problem or trial.stopped, measure, *_cells(value)]
        for trial in result.trials
        for measure, value in trial.measures.items()
    ]
    return csv_text([["variant", *names, "games", "ended", "measure", "value", "low", "high"], *rows], digits=6)


def effects_csv(result: SearchResult) -> str:
    """Return a row for each measure and number."""
    rows = [[effect.measure, effect.number, *_cells(effect.change), effect.explained] for effect in effects(result)]
    return csv_text([["measure", "number", "change", "low", "high", "explained"], *rows], digits=6)


def write_search(result: SearchResult, folder: Path) -> list[Path]:
    """Write page, tables, figures, JSON and the winner's program into a folder; return the files."""
    texts = {
        "index.html": search_page(result),
        "variants.csv": variants_csv(result),
        "effects.csv": effects_csv(result),
        "search.json": json.dumps(result.as_json(), indent=1) + "\n",
    }
    if result.winner is not None:
        texts[f"{result.game.name}.rcy"] = result.program_text(result.winner)
    return write_report(folder, texts, sheets(result))

"""The page of a search: the front, the winner and its text, what each number does, and every variant that was tried."""

import json
import shlex
from pathlib import Path

from meldlab.analysis.page import PLAYERS
from meldlab.recycle import library
from meldlab.recycle.language.header import coloured
from meldlab.recycle.language.settings import declared_numbers
from meldlab.reports.page import render, write_report
from meldlab.reports.plot import Plot
from meldlab.reports.rows import csv_text
from meldlab.variants.effects import Effect, effects
from meldlab.variants.figures import draw_front, draw_numbers, kind_of
from meldlab.variants.measures import MEASURES
from meldlab.variants.search import Discovery

__all__ = ["discovery_page", "write_discovery"]


def _by_measure(found: Discovery) -> dict[str, list[Effect]]:
    answers: dict[str, list[Effect]] = {name: [] for name in MEASURES}
    for each in effects(found):
        answers[each.measure].append(each)
    return answers


def discovery_page(found: Discovery) -> str:
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
    wishes, winner = found.wishes, found.winner
    without = set() if winner is not None else {"winner", "code"}
    both = winner is not None and found.gain is not None
    return render(
        "meldlab.variants",
        "search.html.jinja",
        frame="base.html.jinja",
        title=f"Variants of {found.written.variant.subject.preface.title or found.game.name}",
        contents={id: name for id, name in contents.items() if id not in without},
        found=found,
        names=list(dict.fromkeys([wishes.aim.measure, *(demand.measure for demand in wishes.demands)])),
        yardsticks=MEASURES,
        differences={
            name: found.fresh[winner.number].compared(found.fresh[0], name) if both and winner is not None else None for name in MEASURES
        },
        effects=_by_measure(found),
        comparisons=len(MEASURES) * len(wishes.spans),
        kind_of=kind_of,
        players=PLAYERS[found.effort.algorithm],
        sheets=sheets(found),
        code=coloured(found.text_of(winner)) if winner is not None else "",
        text=found.text_of(winner) if winner is not None else "",
        file=f"{found.game.name}.rcy",
        tables={"variants.csv": variants_csv(found), "effects.csv": effects_csv(found)},
        findings=json.dumps(found.as_json(), indent=1),
        command=command(found),
    )


def sheets(found: Discovery) -> dict[str, Plot]:
    """Return the figures by name."""
    return {"front": draw_front(found), "numbers": draw_numbers(found)}


def command(found: Discovery) -> str:
    """Return the command that makes this page."""
    wishes, sizes, effort = found.wishes, found.sizes, found.effort
    words = ["meldlab", "recycle", "search", found.game.name]
    # What was set beside: a program of the library tells, one of a file is its own text.
    if found.game.name in library.names():
        usual, now = (declared_numbers(text, found.game.dialect) for text in (library.entry(found.game.name).text, found.game.text))
        words += [f"--set={name}={value}" for name, value in now.items() if usual.get(name, value) != value]
    words += [word for span in wishes.spans for word in ("--vary", str(span))]
    words += [f"--{str(wishes.aim).split()[0]}", wishes.aim.measure]
    words += [word for demand in wishes.demands for word in ("--require", str(demand))]
    words += ["--trials", str(sizes.trials), "--games", str(sizes.games), "--test-games", str(sizes.fresh), "--player", effort.player]
    words += ["--simulations", str(effort.simulations), "--seed", str(effort.seed)]
    return shlex.join(words)


def variants_csv(found: Discovery) -> str:
    """Return a row for each variant and measure."""
    names = [span.name for span in found.wishes.spans]
    rows = [
        [one.number, *(one.variant.settings[name] for name in names), one.games, one.problem or one.stopped, measure]
        + ([value.value, *(value.ends or (None, None))] if value else [None] * 3)
        for one in found.attempts
        for measure, value in one.measures.items()
    ]
    return csv_text([["variant", *names, "games", "ended", "measure", "value", "low", "high"], *rows], digits=6)


def effects_csv(found: Discovery) -> str:
    """Return a row for each measure and number."""
    rows = [
        [
            each.measure,
            each.number,
            *((each.change.value, *(each.change.ends or (None, None))) if each.change else [None] * 3),
            each.explained,
        ]
        for each in effects(found)
    ]
    return csv_text([["measure", "number", "change", "low", "high", "explained"], *rows], digits=6)


def write_discovery(found: Discovery, folder: Path) -> list[Path]:
    """Write page, tables, figures, findings and the winner's text into a folder; return the files."""
    texts = {
        "index.html": discovery_page(found),
        "variants.csv": variants_csv(found),
        "effects.csv": effects_csv(found),
        "search.json": json.dumps(found.as_json(), indent=1) + "\n",
    }
    if found.winner is not None:
        texts[f"{found.game.name}.rcy"] = found.text_of(found.winner)
    return write_report(folder, texts, sheets(found))

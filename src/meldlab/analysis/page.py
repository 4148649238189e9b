"""Page of an analysis: rules, movement graph, branching, spread, lead, heuristics, games and code."""

import json
from collections import Counter
from collections.abc import Collection
from pathlib import Path

import numpy as np

from meldlab.analysis.heuristics import first_side
from meldlab.analysis.library_range import LibraryRange
from meldlab.analysis.movement import dot
from meldlab.analysis.study import Analysis, StudyConfig, win_rate
from meldlab.recycle.language.header import highlight
from meldlab.reports.page import render, write_report
from meldlab.statistics import Interval

PLAYERS = {
    "random": "random players",
    "pimc": "players that sample (perfect-information Monte Carlo)",
    "mcts": "MCTS players (Monte Carlo tree search on determinized games)",
    "ismcts": "ISMCTS players (Monte Carlo tree search over information sets)",
}


def analysis_page(analysis: Analysis, frame: str = "base.html.jinja", without: Collection[str] = ()) -> str:
    """Return the page as one self-contained HTML text, or in another frame without some of its sections."""
    variant = analysis.variant
    searched = [name for name in ("spread", "lead") if len(analysis.sheets[name][1]["portion"]) and analysis.skilled.estimated.any()]
    contents = {
        "summary": "Summary",
        "rules": "Rules of play",
        "variants": "Variants used",
        "movement": "Information flow",
        "branching": "Branching factor",
        "spread": "Decision spread",
        "lead": "Lead history",
        "heuristics": "Heuristics",
        "games": "Games played",
        "code": "RECYCLE code",
        "data": "Data",
    }
    missing = ({"spread", "lead", *(() if variant.settings else ("variants",))} - set(searched)) | set(without)
    return render(
        "meldlab.analysis",
        "page.html.jinja",
        frame=frame,
        title=variant.title,
        contents={id: name for id, name in contents.items() if id not in missing},
        analysis=analysis,
        sheets=analysis.sheets,
        players=PLAYERS[analysis.config.algorithm],
        cards=sum(len(cards) for location, cards in variant.machine.start(analysis.config.seed).locations() if location.kind != "mem"),
        decisions=analysis.random.decisions,
        median=np.median,
        skill=_skill(analysis),
        library_ranges={
            heuristic.name: LibraryRange.for_heuristic(heuristic.name, "" if variant.settings else variant.game.name, heuristic.interval)
            for heuristic in analysis.heuristics
        },
        win_rate=win_rate,
        reasons=sum((sample.reasons for sample in analysis.samples.values()), Counter[str]()),
        dot=dot(analysis.movement, variant.title),
        code=highlight(variant.header.code),
        json=json.dumps(analysis.as_json(), indent=1),
        command=_command(analysis),
    )


def write_analysis(analysis: Analysis, folder: Path) -> list[Path]:
    """Write page, tables, figures (SVG, PNG and their numbers), graph, code and JSON into a folder; return the files."""
    variant = analysis.variant
    texts = {
        "index.html": analysis_page(analysis),
        **analysis.tables,
        "movement.dot": dot(analysis.movement, variant.title),
        "analysis.json": json.dumps(analysis.as_json(), indent=1) + "\n",
        f"{variant.game.name}.rcy": variant.game.text,
    }
    return write_report(folder, texts, analysis.sheets)


def _command(analysis: Analysis) -> str:
    """Return the command that makes this page."""
    config, default = analysis.config, StudyConfig.from_options(None, None, analysis.config.quick, "mcts", 0)
    words = ["meldlab recycle analyse", analysis.variant.game.name]
    words += ["--quick"] if config.quick else []
    words += [f"--{name} {getattr(config, name)}" for name in ("games", "simulations") if getattr(config, name) != getattr(default, name)]
    words += [f"--player {config.player}", f"--seed {config.seed}"]
    return " ".join([*words, *(f"--set {name}={value}" for name, value in analysis.variant.settings.items())])


def _skill(analysis: Analysis) -> tuple[str, Interval | None] | None:
    """Return the win rate of one searching player, after the start of its sentence; None if it is not defined."""
    order = next(heuristic for heuristic in analysis.heuristics if heuristic.name == "order")
    if order.interval is None or analysis.config.algorithm == "random":
        return None
    side = first_side(analysis.single, analysis.teams)
    rate = win_rate(analysis.single.win_shares[analysis.single.ended][:, side].sum(axis=1))
    return ("player beats" if len(side) == 1 else "player and its random partners beat"), rate

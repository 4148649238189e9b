"""The page of a game: what it is, how it flows, how it branches, what is at stake, who leads, what it is like, and its code."""

import json
from collections import Counter
from collections.abc import Collection
from pathlib import Path

import numpy as np

from meldlab.analysis.heuristics import first_side
from meldlab.analysis.movement import dot
from meldlab.analysis.strip import Strip
from meldlab.analysis.study import Analysis, Effort, win_rate
from meldlab.recycle.language.header import coloured
from meldlab.reports.page import render, write_report
from meldlab.statistics import Interval

__all__ = ["PLAYERS", "analysis_page", "write_analysis"]

PLAYERS = {
    "random": "random players",
    "pimc": "players that sample (perfect-information Monte Carlo)",
    "mcts": "MCTS players (Monte Carlo tree search on determinized games)",
    "ismcts": "ISMCTS players (Monte Carlo tree search over information sets)",
}


def analysis_page(analysis: Analysis, frame: str = "base.html.jinja", without: Collection[str] = ()) -> str:
    """Return the page as one self-contained HTML text, or in another frame and without some of its sections."""
    subject = analysis.subject
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
    missing = ({"spread", "lead", *(() if subject.settings else ("variants",))} - set(searched)) | set(without)
    return render(
        "meldlab.analysis",
        "page.html.jinja",
        frame=frame,
        title=subject.title,
        contents={id: name for id, name in contents.items() if id not in missing},
        analysis=analysis,
        sheets=analysis.sheets,
        players=PLAYERS[analysis.effort.algorithm],
        cards=sum(len(cards) for location, cards in subject.machine.start(analysis.effort.seed).locations() if location.kind != "mem"),
        made=analysis.random.decisions,
        median=np.median,
        skill=_skill(analysis),
        strips={
            each.name: Strip.of(each.name, "" if subject.settings else subject.described.name, each.interval)
            for each in analysis.heuristics
        },
        win_rate=win_rate,
        reasons=sum((sample.reasons for sample in analysis.samples.values()), Counter[str]()),
        dot=dot(analysis.movement, subject.title),
        code=coloured(subject.preface.code),
        findings=json.dumps(analysis.as_json(), indent=1),
        command=_command(analysis),
    )


def write_analysis(analysis: Analysis, folder: Path) -> list[Path]:
    """Write page, tables, figures (SVG, PNG and their numbers), graph, code and findings into a folder; return the files."""
    subject = analysis.subject
    texts = {
        "index.html": analysis_page(analysis),
        **analysis.tables,
        "movement.dot": dot(analysis.movement, subject.title),
        "analysis.json": json.dumps(analysis.as_json(), indent=1) + "\n",
        f"{subject.described.name}.rcy": subject.described.text,
    }
    return write_report(folder, texts, analysis.sheets)


def _command(analysis: Analysis) -> str:
    """Return the command that makes this page."""
    effort, usual = analysis.effort, Effort.of(None, None, analysis.effort.quick, "mcts", 0)
    words = ["meldlab recycle analyse", analysis.subject.described.name]
    words += ["--quick"] if effort.quick else []
    words += [f"--{name} {getattr(effort, name)}" for name in ("games", "simulations") if getattr(effort, name) != getattr(usual, name)]
    words += [f"--player {effort.player}", f"--seed {effort.seed}"]
    return " ".join([*words, *(f"--set {name}={value}" for name, value in analysis.subject.settings.items())])


def _skill(analysis: Analysis) -> tuple[str, Interval | None] | None:
    """Return whom one searching player beats, and how often; nothing where that is not defined."""
    order = next(each for each in analysis.heuristics if each.name == "order")
    if order.interval is None or analysis.effort.algorithm == "random":
        return None
    side = first_side(analysis.single, analysis.teams)
    rate = win_rate(analysis.single.win_shares[analysis.single.ended][:, side].sum(axis=1))
    return ("player beats" if len(side) == 1 else "player and its random partners beat"), rate

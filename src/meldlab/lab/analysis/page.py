"""The page of a game: what it is, how it flows, how it branches, what is at stake, who leads, what it is like, and its code."""

import json
from collections import Counter
from html import escape
from pathlib import Path

import numpy as np

from meldlab import __version__
from meldlab.errors import NotLegalHere
from meldlab.lab.analysis import captions
from meldlab.lab.analysis.heuristics import first_side
from meldlab.lab.analysis.html import download, figure_block, page, table
from meldlab.lab.analysis.movement import dot
from meldlab.lab.analysis.study import Analysis, Budget, win_rate
from meldlab.lab.analysis.writing import highlighted, linked
from meldlab.lab.figures.sheet import save
from meldlab.statistics import Interval

__all__ = ["analysis_page", "shown", "write_analysis"]


def analysis_page(analysis: Analysis) -> str:
    """Return the page as one self-contained HTML text."""
    title = analysis.subject.title
    parts = [
        f"<h1>{escape(title)}</h1>",
        *_quick(analysis),
        "<h2>Summary</h2>",
        _summary(analysis),
        "<h2>Rules of Play</h2>",
        *_rules(analysis),
        *_variants(analysis),
        "<h2>Information Flow</h2>",
        _movement(analysis),
        "<h2>Branching Factor</h2>",
        _branching(analysis),
        *_searched(analysis, "spread", "Decision Spread", captions.SPREAD),
        *_searched(analysis, "lead", "Lead History", captions.LEAD),
        "<h2>Heuristics</h2>",
        _heuristics(analysis),
        "<h2>Games Played</h2>",
        *_games(analysis),
        "<h2>RECYCLE Code</h2>",
        *_code(analysis),
        "<h2>Data</h2>",
        _data(analysis),
        f"<footer>Made by meldlab {__version__}: {escape(_command(analysis))}</footer>",
    ]
    return page(f"{title} – meldlab", parts)


def write_analysis(analysis: Analysis, folder: Path) -> list[Path]:
    """Write page, tables, figures (SVG, PNG and their numbers), graph, code and findings into a folder; return the files."""
    subject = analysis.subject
    texts = {
        "index.html": analysis_page(analysis),
        **analysis.tables,
        "movement.dot": dot(analysis.movement, subject.title),
        "analysis.json": json.dumps(analysis.answer(), indent=1) + "\n",
        f"{subject.described.name}.rcy": subject.described.text,
    }
    files = []
    try:
        (folder / "figures").mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, "utf-8")
            files.append(folder / name)
    except OSError as problem:
        raise NotLegalHere(f"cannot write to {folder}: {problem.strerror}") from None
    for name, (figure, data) in analysis.sheets.items():
        picture, numbers = save(figure, data, folder / "figures" / f"{name}.svg")
        files += [picture, numbers, save(figure, data, folder / "figures" / f"{name}.png")[0]]
    return files


# --- the parts of the page


def _command(analysis: Analysis) -> str:
    """Return the command that makes this page."""
    budget, usual = analysis.budget, Budget.of(None, None, analysis.budget.quick, "mcts", 0)
    words = ["meldlab recycle analyse", analysis.subject.described.name]
    words += ["--quick"] if budget.quick else []
    words += [f"--{name} {getattr(budget, name)}" for name in ("games", "simulations") if getattr(budget, name) != getattr(usual, name)]
    words += [f"--player {budget.player}", f"--seed {budget.seed}"]
    return " ".join([*words, *(f"--set {name}={value}" for name, value in analysis.subject.settings.items())])


def _quick(analysis: Analysis) -> list[str]:
    budget = analysis.budget
    return [captions.QUICK.format(games=budget.games, simulations=budget.searcher.simulations)] if budget.quick else []


def _summary(analysis: Analysis) -> str:
    machine, random = analysis.subject.machine, analysis.random
    cards = machine.begin(analysis.budget.seed)
    many = sum(len(place.cards) for place in cards.places() if place.kind != "mem")
    seats = f"{random.seats} player{'s' * (random.seats != 1)}"
    best = "highest" if machine.best == "max" else "lowest"
    made, options = random.decisions, random.options
    shape = f"A game between random players has {np.median(made):.0f} decision points ({made.min()} to {made.max()})"
    choice = f" with {options.mean():.1f} options on average (up to {options.max()})" if len(options) else ""
    skill = next(each for each in analysis.heuristics if each.name == "order").interval
    told = ""
    if skill is not None and analysis.budget.searcher.kind != "random":
        side = first_side(analysis.single, analysis.teams)
        rate = win_rate(analysis.single.win_shares[analysis.single.ended][:, side].sum(axis=1))
        who = "player beats" if len(side) == 1 else "player and its random partners beat"
        told = f" One {analysis.budget.searcher.kind.upper()} {who} random ones in {_percent(rate)} of the games."
    return f"<p>A game for {seats} with {many} cards; the {best} score wins. {shape}{choice}.{told}</p>"


def _percent(rate: Interval | None) -> str:
    return "none" if rate is None else f"{rate.value:.0%} ({rate.low:.0%} to {rate.high:.0%})"


def _rules(analysis: Analysis) -> list[str]:
    rules = analysis.subject.rules
    head = [paragraph(line) for line in rules.head]
    notes = ["<p>The comments in the code add:</p>", "<ul>", *(f"<li>{linked(note)}</li>" for note in rules.notes), "</ul>"]
    return (head + notes if rules.notes else head) or ["<p>The code has no comments.</p>"]


def paragraph(line: str) -> str:
    """Return a paragraph as HTML; one that begins like the point of a list becomes one.

    >>> paragraph("2. Play a card")
    '<ol start="2"><li>Play a card</li></ol>'
    """
    number, _, rest = line.partition(" ")
    if number == "-":
        return f"<ul><li>{linked(rest)}</li></ul>"
    if number.removesuffix(".").isdecimal() and number.endswith("."):
        return f'<ol start="{number[:-1]}"><li>{linked(rest)}</li></ol>'
    return f"<p>{linked(line)}</p>"


def _variants(analysis: Analysis) -> list[str]:
    settings = analysis.subject.settings
    return ["<h2>Variants Used</h2>", f"<p>Declared numbers set for this page: {escape(analysis.subject.variant)}.</p>"] if settings else []


def _movement(analysis: Analysis) -> str:
    caption = captions.MOVEMENT.format(title=escape(analysis.subject.title))
    link = download("movement.dot", dot(analysis.movement, analysis.subject.title), "Download the graph as DOT text")
    return figure_block(analysis.sheets["movement"][0], "movement", "Card movement graph", caption, [link])


def _branching(analysis: Analysis) -> str:
    caption = captions.BRANCHING.format(games=analysis.random.games)
    return figure_block(analysis.sheets["branching"][0], "branching", "Branching factor", caption)


def _searched(analysis: Analysis, name: str, says: str, caption: str) -> list[str]:
    """Return a figure of the games between searching players, if there were any and it has something to show."""
    if not len(analysis.sheets[name][1]["portion"]) or not analysis.skilled.estimated.any():
        return []
    told = caption.format(games=analysis.skilled.games, players=captions.PLAYERS[analysis.budget.searcher.kind])
    return [f"<h2>{says}</h2>", figure_block(analysis.sheets[name][0], name, says, told)]


def _heuristics(analysis: Analysis) -> str:
    rows = [
        [
            f"<strong>{each.name.capitalize()}</strong><br>{escape(each.meaning)}",
            shown(each.interval) + (f"<br>as published {shown(each.published)}" if each.published else ""),
        ]
        for each in analysis.heuristics
    ]
    return table(["", "value, 95 % interval"], rows, numbers=[1])


def shown(found: Interval | None) -> str:
    """Return a number with its interval below it, as HTML."""
    if found is None:
        return "not defined"
    ends = f"{found.low:.3f} to {found.high:.3f}" if np.isfinite(found.low) else "one game"
    return f"{found.value:.3f}<br><small>{ends}</small>"


def _games(analysis: Analysis) -> list[str]:
    rows = []
    for name, record in analysis.records.items():
        shares, scores = record.win_shares[record.ended], record.scores[record.ended]
        wins = "<br>".join(f"p{seat + 1} {_percent(win_rate(shares[:, seat]))}" for seat in range(record.seats))
        means = "<br>".join(f"p{seat + 1} {scores[:, seat].mean():.2f}" for seat in range(record.seats)) if len(scores) else "–"
        ends = [str(number) for number in (record.games, record.finished, record.capped, record.failed)]
        rows.append([escape(name), *ends, f"{record.decisions.mean():.1f}", means, wins])
    head = ["players", "games", "finished", "stopped at the limit", "failed", "decisions", "mean score", "wins"]
    reasons = sum((record.reasons for record in analysis.records.values()), Counter[str]())
    note = captions.STOPPED.format(games=reasons.total(), reasons=_listed(reasons)) if reasons else "<p>Every game came to its end.</p>"
    return [
        table(head, rows, numbers=range(1, 6)),
        note,
        figure_block(
            analysis.sheets["decisions"][0], "decisions", "Decision points per game", "Decision points per game: quartiles and outliers."
        ),
        figure_block(
            analysis.sheets["scores"][0], "scores", "Scores", "Final scores by seat and by who played; the bar inside is the median."
        ),
        figure_block(
            analysis.sheets["times"][0], "times", "Time per game", "Median time per game on one core of the machine that made this page."
        ),
    ]


def _listed(reasons: Counter[str]) -> str:
    return "; ".join(f"{escape(why)} ({many})" for why, many in reasons.most_common())


def _code(analysis: Analysis) -> list[str]:
    described = analysis.subject.described
    link = download(f"{described.name}.rcy", described.text, "Download the code")
    return [
        f"<p>The rules of {escape(analysis.subject.title)} in RECYCLE, a language that describes card games. {link}.</p>",
        f"<pre><code>{highlighted(described.text)}</code></pre>",
    ]


def _data(analysis: Analysis) -> str:
    links = ", ".join(download(name, text) for name, text in analysis.tables.items())
    findings = download("analysis.json", json.dumps(analysis.answer(), indent=1), "analysis.json")
    return f"<p>Tables of all decisions, results, leads and spreads: {links}. The findings of this page: {findings}.</p>"

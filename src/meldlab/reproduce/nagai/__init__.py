"""Nagai and others' gin player: its three tuning experiments again, at the paper's size or smaller, and its claims about them."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from importlib import import_module
from typing import Any

import numpy as np

from meldlab.arena.contest import play_contest
from meldlab.arena.evaluation import RunEvaluator, warm_up
from meldlab.cards import CARDS, Hand
from meldlab.errors import NotPossible
from meldlab.gin import Gin
from meldlab.gin.players import Ensemble
from meldlab.melds import deadwood
from meldlab.play import Deal
from meldlab.reports.plot import Sheet, blank
from meldlab.reproduce.bench import Findings, PlannedSearch, Reproducer
from meldlab.reproduce.claims import Ruling
from meldlab.reproduce.judging import Obtained
from meldlab.reproduce.nagai import ensemble as ensembles
from meldlab.reproduce.nagai import knocking, tracking
from meldlab.reproduce.nagai.figures import draw_knocks, inflation_figure, tracking_figure
from meldlab.reproduce.nagai.grids import GAMES, GRIDS, Grids, adjacency_in_floats, candidates, played
from meldlab.reproduce.nagai.knocking import FIGURE_2
from meldlab.reproduce.nagai.report import Report
from meldlab.reproduce.nagai.significance import Verdict, of_all, of_games, one_sample, two_samples
from meldlab.statistics import Interval, Score
from meldlab.tuning.halving import HalvingConfig

__all__ = ["claims", "searches"]

Answer = Mapping[str, Any]
TRACK = {
    "full": tracking.FULL,
    "quick": tracking.TrackingSize(population=20, generations=4, games=60, final=6000),
    "tiny": tracking.TrackingSize(population=10, generations=1, games=10, final=200),
}
KNOCK = {
    "full": knocking.FULL,
    "quick": knocking.KnockingSize(one_stage=300, two_stages=200, others=40, fresh=20_000),
    "tiny": knocking.KnockingSize(one_stage=2, two_stages=2, others=2, fresh=20, turns=(5, 6, 7)),
}
ENSEMBLE = {
    "full": ensembles.FULL,
    "quick": ensembles.SearchSize(grid=False, fresh=8_000, heats=HalvingConfig(start=20, most=1500)),
    "tiny": ensembles.SearchSize(grid=False, fresh=20, heats=HalvingConfig(start=2, most=4)),
}
REDUCED = "fewer games and individuals than the paper's; --full has its sizes"


class Experiment:
    """One of the three experiments of section 5: kept in the package, kept in the store, or played now."""

    def __init__(self, bench: Reproducer, planned: PlannedSearch, search: Callable[[RunEvaluator], Report]) -> None:
        self.stored, self.reduced = "", "" if bench.full else REDUCED
        kept = bench.carried(planned.experiment)
        if kept is not None:
            self.answer: Answer = kept["result"]
            self.stored = (
                f"stored {kept['date']}, {kept['machine']}, version {kept['version']}, {kept['games']:,} games in {kept['seconds']:.0f} s"
            )
            return
        with bench.opened.start_run(planned.experiment, planned.settings) as run:
            if run.finished and run.result is not None:
                self.answer, self.stored = run.result, bench.known(run)
                return
            warm_up()
            report = search(
                RunEvaluator(run, planned.games, bench.threads, None, lambda done, whole, _: bench.progress(min(1.0, done / max(1, whole))))
            )
            run.finish(report.as_json())
        self.answer = report.as_json()

    def findings(self, claim: str) -> list[Answer]:
        """Return the findings of its report on a claim, by the id of the claim."""
        return [each for each in self.answer["findings"] if each["id"] == claim]

    def obtained(self, claim: str, holds: Ruling = Ruling.SHAPE, seed: int = 1) -> Obtained:
        """Return the result of its report for a claim, which holds if all of its parts do."""
        some = self.findings(claim)
        if not some:
            raise NotPossible(f"the report of the experiment has no finding on the claim {claim}")
        told = "; ".join(f"{each['what']}: {each['ours']}" if len(some) > 1 else each["ours"] for each in some)
        verdict = of_all(Verdict(each["verdict"]) for each in some)
        note = "Our games do not speak against it, but do not settle it." if verdict is Verdict.OPEN else ""
        return Obtained(told, judged=of_games(verdict, holds), note=note, reduced=self.reduced, seed=seed, stored=self.stored)


def _sizes(bench: Reproducer) -> tuple[tracking.TrackingSize, knocking.KnockingSize, ensembles.SearchSize, Grids]:
    size = "tiny" if bench.tiny else "full" if bench.full else "quick"
    grids = {**GRIDS, "weights": lambda: GRIDS["weights"]()[:40]} if bench.tiny else GRIDS
    return TRACK[size], KNOCK[size], ENSEMBLE[size], grids


def searches(bench: Reproducer) -> dict[str, PlannedSearch]:
    """Return the three experiments by the claim for which each is played."""
    track, knock, ensemble, grids = _sizes(bench)
    return {
        "tracking-rises": PlannedSearch("track", {**asdict(track), "seed": bench.seed}, track.planned()),
        "one-stage": PlannedSearch("knock", {**asdict(knock), "seed": bench.seed}, knock.planned()),
        "iteration-gain": PlannedSearch("ensemble", {**asdict(ensemble), "base": "base", "seed": bench.seed}, ensemble.planned(grids)),
    }


def claims(bench: Reproducer) -> Findings:
    """Give what comes out for each claim of the paper."""
    planned, (track, knock, ensemble, grids) = searches(bench), _sizes(bench)
    yield "start", _start()
    worst = Hand.parse("KS KH QD QC JS JH TD TC 9S 9H")
    yield "most-deadwood", Obtained(f"{deadwood(worst)} for {worst}: a rank has at most two cards outside a set", deadwood(worst))
    seed = bench.seed
    trackers = Experiment(bench, planned["tracking-rises"], lambda work: tracking.search_trackers(work, track, seed))
    yield from _tracking(bench, trackers)
    knocks = Experiment(bench, planned["one-stage"], lambda work: knocking.search_knocks(work, knock, seed))
    yield from _knocking(bench, knocks)
    yield from _grids()
    players = Experiment(bench, planned["iteration-gain"], lambda work: ensembles.search_ensembles(work, ensemble, seed, grids=grids))
    yield from _ensembles(bench, players)
    yield from _rates(bench)
    yield from _statistics(bench)
    yield from _openspiel()


def _start() -> Obtained:
    """Count the cards that the seat to move does not see at the start of a round, and those of them that lie in stock."""
    view = Gin().start(2, Deal()).view(0)
    unknown = len(CARDS) - len(view.cards) - len(view.pile)
    return Obtained(f"{view.stock} of {unknown} unknown cards lie in stock", [view.stock, unknown])


def _tracking(bench: Reproducer, found: Experiment) -> Findings:
    yield "tracking-rises", found.obtained("tracking-rises", seed=bench.seed)
    yield "tracking-adjacency", found.obtained("tracking-adjacency", seed=bench.seed)
    yield "tracking-times", found.obtained("tracking-times", Ruling.WITHIN, bench.seed)
    bench.draw(
        "nagai-figure-1",
        "Figure 1: cards guessed, by turn",
        tracking_figure(found.answer),
        "They printed the picture, not its numbers.",
        "tracking-rises",
    )


def _knocking(bench: Reproducer, found: Experiment) -> Findings:
    yield "one-stage", found.obtained("one-stage", seed=bench.seed)
    yield "two-stages", found.obtained("two-stages", seed=bench.seed)
    yield "knock-rate", found.obtained("knock-rate", Ruling.WITHIN, bench.seed)
    yield "figure-2", found.obtained("figure-2", Ruling.WITHIN, bench.seed)
    yield "other-opponents", found.obtained("other-opponents", seed=bench.seed)
    bench.draw(
        "nagai-figure-2",
        "Figure 2: theirs and ours",
        _both_figures_2(found.answer),
        "Their 55 numbers on the left, ours on the right; late from draw 6 on.",
        "figure-2",
    )


def _both_figures_2(answer: Answer) -> Sheet:
    """Draw both heat maps with one scale."""
    theirs, ours = np.full((10, 10), np.nan), np.full((10, 10), np.nan)
    for row, printed in enumerate(FIGURE_2):
        theirs[row, : len(printed)] = printed
    for one in answer["two_stages"]:
        early, late, turn = one["knock"]
        if turn == 6:
            ours[early - 1, late] = one["win_rate"]
    figure, panels = blank(panels=2, size=(5.6, 5.0))
    for axes, rates, title in zip(
        panels, (theirs, ours), ("theirs: 2,000 games a cell", f"ours: {answer['two_stages'][0]['games']:,} games a cell"), strict=True
    ):
        picture = draw_knocks(axes, rates, letters=7, ends=(0.3, 0.6))
        axes.set_title(title, fontsize=11)
    figure.colorbar(picture, ax=panels, shrink=0.7, label="games won")
    places = [(row + 1, column) for row in range(10) for column in range(row + 1)]
    columns: dict[str, list[Any]] = {
        "early": [early for early, _ in places],
        "late": [late for _, late in places],
        "theirs": [float(theirs[early - 1, late]) for early, late in places],
        "ours": [float(ours[early - 1, late]) for early, late in places],
    }
    return figure, columns


def _grids() -> Findings:
    sizes = {name: len(GRIDS[name]()) for name in GRIDS}
    told = ", ".join(f"{name} {many}" for name, many in sizes.items())
    note = "One of the five, adjacency, has fewer than a hundred."
    yield "grid-sizes", Obtained(told, sum(many >= 100 for many in sizes.values()) >= 4 and max(sizes.values()) > 1000, note=note)
    exact, floats = len(GRIDS["adjacency"]()), len(adjacency_in_floats())
    yield "adjacency-vectors", Obtained(f"{exact} in exact arithmetic, {floats} in a loop over doubles", exact if floats == 34 else None)
    different = len({played(each) for each in candidates("weights", Ensemble())})
    yield "weight-vectors", Obtained(f"{different} different players (exact)", different)


def _ensembles(bench: Reproducer, found: Experiment) -> Findings:
    yield "iteration-gain", _gain(found, bench)
    later = found.findings("later-iterations")
    if later:
        gains = later[0]["verdict"] == Verdict.DIFFERS
        one = Obtained(later[0]["ours"], not gains, seed=bench.seed, stored=found.stored)
    else:
        note = "one iteration has been played so far; --full --anew plays three"
        one = Obtained("one iteration", judged=Ruling.OPEN, note=note, reduced=found.reduced, seed=bench.seed, stored=found.stored)
    yield "later-iterations", one
    yield "runs-over-sets", found.obtained("runs-over-sets", seed=bench.seed)
    yield "m0-m1", _influence(found, bench)
    yield "deadwood-weight", found.obtained("deadwood-weight", seed=bench.seed)
    bench.draw(
        "nagai-searches",
        "The best of each grid, when chosen and on fresh deals",
        inflation_figure(found.answer),
        "The paper prints the rates when chosen: 0.720 and 0.739.",
        "tuned",
    )


def _gain(found: Experiment, bench: Reproducer) -> Obtained:
    """Return whether the end of the searches beats their start; as that start is our guess, the size of the gain says nothing."""
    one, whole = found.obtained("iteration-gain", seed=bench.seed), found.answer["whole"]["fresh_paired"]
    if whole["gain"] or whole["loss"]:
        return replace(one, judged=Ruling.SHAPE if whole["gain"] else Ruling.REFUTED, note="")
    return replace(one, judged=Ruling.OPEN, note="a gain of a third of a percent, as in longer runs, takes 100,000 games to be seen")


def _influence(found: Experiment, bench: Reproducer) -> Obtained:
    """Return how much the best rate depends on either obtainability, over the whole grid where it was played."""
    rates = found.answer.get("rates", {}).get("meldability")
    if not rates:
        note = "a race leaves most of the grid with few games; --full plays it whole"
        return Obtained("not measured", judged=Ruling.OPEN, note=note, reduced=found.reduced, seed=bench.seed)
    spans = []
    for place in (0, 1):
        best: dict[float, int] = {}
        for value, wins in rates:
            best[value[place]] = max(best.get(value[place], 0), wins)
        # With a_m1 = 0 no unknown card is ever expected, which is another player.
        some = [wins for value, wins in best.items() if place == 0 or value > 0]
        spans.append((max(some) - min(some)) / GAMES)
    told = f"the best rates differ by at most {spans[0]:.4f} over a_m0 and {spans[1]:.4f} over a_m1 above 0"
    return Obtained(told, max(spans), seed=bench.seed, stored=found.stored)


def _rates(bench: Reproducer) -> Findings:
    games = bench.pick(100_000, 20_000, 40)
    reduced = "" if bench.full else f"{games:,} games; --full 100,000"
    warm_up()
    for name, player in (("base", "ensemble:base"), ("tuned", "ensemble:paper"), ("shipped", "ensemble:shipped")):
        rate: Interval = play_contest(Gin(), [player, "simple"], games, seed=bench.seed, threads=bench.threads).win_rate()
        half = (rate.high - rate.low) / 2
        yield name, Obtained(f"{player[9:]}: {rate} over {games:,} games", rate.value, error=half, seed=bench.seed, reduced=reduced)


def _statistics(bench: Reproducer) -> Findings:
    best = np.random.default_rng(bench.seed).binomial(GAMES, ensembles.AUTHORS_AGAIN[0], (bench.pick(2000, 300, 20), 3003)).max(1) / GAMES
    told = f"the best of 3003: {np.median(best):.4f} in the median, above 0.739 in {np.mean(best > 0.739):.0%} of {len(best)} simulations"
    yield "winners-curse", Obtained(told, float(np.median(best)), seed=bench.seed)
    for name, (_, before, after, printed) in zip(("chi-whole", "chi-meldability", "chi-weights"), ensembles.CLAIMS, strict=True):
        old, new = (Score(GAMES, round(rate * GAMES)) for rate in (before, after))
        one, two = one_sample(before, new), two_samples(old, new)
        yield name, Obtained(f"one sample {one.chi_square:.1f} (printed {printed}); two samples: {two}", two.chi_square)


def _openspiel() -> Findings:
    """Ask OpenSpiel for a chain of lay-offs and for the deadwood of eleven cards."""
    try:
        theirs = import_module("pyspiel").gin_rummy.GinRummyUtils(13, 4, 10)
    except ImportError:
        for name in ("openspiel-layoffs", "openspiel-eleven"):
            yield name, Obtained("not asked", absent="open_spiel")
        return
    run = theirs.meld_to_int(theirs.card_strings_to_card_ints(["3s", "4s", "5s"]))
    offered = theirs.card_ints_to_card_strings(theirs.all_layoffs([run], theirs.card_strings_to_card_ints(["6s", "7s"])))
    highest = max("A23456789TJQK".index(card[0]) + 1 for card in offered)
    yield "openspiel-layoffs", Obtained(f"on 3S 4S 5S with 6S 7S laid off it offers {', '.join(offered)}", highest)
    eleven = Hand.parse("2H 3H 4C 4D 4H 5C 5D 5H 6C 6D 6S")
    least, said = _least(eleven), theirs.min_deadwood([card.index for card in eleven])
    yield "openspiel-eleven", Obtained(f"it says {said}; the least over all discards is {least}", said if least == 0 else None)


def _least(hand: Hand) -> int:
    return min(deadwood(Hand(each for each in hand if each != card)) for card in hand)

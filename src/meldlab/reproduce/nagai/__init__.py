"""Nagai and others' gin player: its three tuning experiments at the paper's size or smaller, and its claims about them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from meldlab.arena.contest import play_contest
from meldlab.arena.evaluation import RunEvaluator, warm_up
from meldlab.cards import CARDS, Hand
from meldlab.errors import NotPossible
from meldlab.gin import Gin
from meldlab.gin.players import Ensemble
from meldlab.melds import deadwood
from meldlab.play import Deal
from meldlab.reproduce.claims import Outcome, Verdict
from meldlab.reproduce.nagai import ensemble as ensembles
from meldlab.reproduce.nagai import knocking, tracking
from meldlab.reproduce.nagai.ensemble import GAMES, GRIDS, adjacency_in_floats, candidates, canonical
from meldlab.reproduce.nagai.figures import compare_knocking, draw_inflation, draw_tracking
from meldlab.reproduce.nagai.significance import one_sample, two_samples
from meldlab.reproduce.run import Context, Outcomes
from meldlab.statistics import Interval, Score
from meldlab.tuning.experiment import Experiment

__all__ = ["claims"]

REDUCED = "fewer games and individuals than the paper's; --full has its sizes"


class ExperimentResult(NamedTuple):
    """The result of an experiment of section 5: bundled with the package, finished in the store, or played now."""

    result: Mapping[str, Any]
    stored: str
    reduced: str
    seed: int

    @classmethod
    def of(cls, context: Context, experiment: Experiment) -> "ExperimentResult":
        """Return the bundled or the stored result, or search."""
        reduced, bundled = "" if context.full else REDUCED, context.bundled(experiment.name)
        if bundled is not None:
            played = f"{bundled['games']:,} games in {bundled['seconds']:.0f} s"
            stored = f"stored {bundled['date']}, {bundled['machine']}, version {bundled['version']}, {played}"
            return cls(bundled["result"], stored, reduced, context.seed)

        @contextmanager
        def watching(evaluator: RunEvaluator) -> Iterator[None]:
            evaluator.progress = context.part
            yield

        run, result = experiment.run(context.opened, context.threads, watching=watching)
        return cls(result, context.stored(run), reduced, context.seed)

    def outcome(self, claim: str) -> Outcome:
        """Return the outcome of a claim."""
        outcome = self.result["outcomes"].get(claim)
        if outcome is None:
            raise NotPossible(f"the experiment has no outcome for the claim {claim}")
        verdict = Verdict(outcome["verdict"])
        note = "Our games do not speak against it, but do not settle it." if verdict is Verdict.OPEN else ""
        return Outcome(outcome["ours"], verdict=verdict, note=note, reduced=self.reduced, seed=self.seed, stored=self.stored)


def claims(context: Context) -> Outcomes:
    """Yield the outcome of each claim of the paper."""
    size, seed = context.pick("full", "short", "tiny"), context.seed
    grids = {**GRIDS, "weights": lambda: GRIDS["weights"]()[:40]} if context.tiny else GRIDS
    yield "start", _start()
    worst = Hand.parse("KS KH QD QC JS JH TD TC 9S 9H")
    yield "most-deadwood", Outcome(f"{deadwood(worst)} for {worst}: a rank has at most two cards outside a set", deadwood(worst))
    trackers = ExperimentResult.of(context, tracking.track_experiment(tracking.SIZES[size], seed))
    for claim in ("tracking-rises", "tracking-adjacency", "tracking-times"):
        yield claim, trackers.outcome(claim)
    context.draw("nagai-figure-1", "Figure 1: cards guessed, by turn", draw_tracking(trackers.result), claim="tracking-rises")
    knocks = ExperimentResult.of(context, knocking.knock_experiment(knocking.SIZES[size], seed))
    for claim in ("one-stage", "two-stages", "knock-rate", "figure-2", "other-opponents"):
        yield claim, knocks.outcome(claim)
    says = "Their 55 numbers on the left, ours on the right; late from draw 6 on."
    context.draw("nagai-figure-2", "Figure 2: theirs and ours", compare_knocking(knocks.result), says, "figure-2")
    yield from _grids()
    players = ExperimentResult.of(context, ensembles.ensemble_experiment(ensembles.SIZES[size], seed, grids=grids))
    yield from _ensembles(context, players)
    yield from _rates(context)
    yield from _statistics(context)
    yield from _openspiel()


def _start() -> Outcome:
    """Count the cards that the seat to move does not see at the start of a round, and those of them in the stock."""
    view = Gin().start(2, Deal()).view(0)
    unknown = len(CARDS) - len(view.cards) - len(view.pile)
    return Outcome(f"{view.stock} of {unknown} unknown cards are in the stock", [view.stock, unknown])


def _grids() -> Outcomes:
    sizes = {name: len(grid()) for name, grid in GRIDS.items()}
    text = ", ".join(f"{name} {size}" for name, size in sizes.items())
    note = "One of the five, adjacency, has fewer than a hundred."
    yield "grid-sizes", Outcome(text, sum(size >= 100 for size in sizes.values()) >= 4 and max(sizes.values()) > 1000, note=note)
    exact, floats = sizes["adjacency"], len(adjacency_in_floats())
    yield "adjacency-vectors", Outcome(f"{exact} in exact arithmetic, {floats} in a loop over doubles", exact if floats == 34 else None)
    different = len(set(map(canonical, candidates("weights", Ensemble()))))
    yield "weight-vectors", Outcome(f"{different} different players (exact)", different)


def _ensembles(context: Context, players: ExperimentResult) -> Outcomes:
    yield "iteration-gain", _gain(players)
    if "later-iterations" in players.result["outcomes"]:
        yield "later-iterations", replace(players.outcome("later-iterations"), reduced="")
    else:
        note = "one iteration has been played so far; --full --recompute plays three"
        yield "later-iterations", _open(players, "one iteration", note)
    yield "runs-over-sets", players.outcome("runs-over-sets")
    yield "m0-m1", _influence(players)
    yield "deadwood-weight", players.outcome("deadwood-weight")
    says = "The paper prints the rates when chosen: 0.720 and 0.739."
    plot = draw_inflation(players.result)
    context.draw("nagai-searches", "The best of each grid, when chosen and on fresh deals", plot, says, "tuned")


def _open(players: ExperimentResult, ours: str, note: str) -> Outcome:
    return Outcome(ours, verdict=Verdict.OPEN, note=note, reduced=players.reduced, seed=players.seed, stored=players.stored)


def _gain(players: ExperimentResult) -> Outcome:
    """Return whether the end of the searches beats their start; as that start is our guess, the size of the gain has no meaning."""
    outcome, whole = players.outcome("iteration-gain"), players.result["whole"]["fresh_paired"]
    if whole["gain"] or whole["loss"]:
        return replace(outcome, verdict=Verdict.SHAPE if whole["gain"] else Verdict.REFUTED, note="")
    note = "a gain of a third of a percent, as in longer runs, needs 100,000 games to be significant"
    return replace(outcome, verdict=Verdict.OPEN, note=note)


def _influence(players: ExperimentResult) -> Outcome:
    """Return how much the best rate depends on either obtainability, over the whole grid if it was played."""
    rates = players.result.get("rates", {}).get("meldability")
    if not rates:
        return _open(players, "not measured", "successive halving leaves most of the grid with few games; --full plays it whole")
    spans = []
    for index in (0, 1):
        best: dict[float, int] = {}
        for value, wins in rates:
            best[value[index]] = max(best.get(value[index], 0), wins)
        # With a_m1 = 0 no unknown card is ever expected, which is another player.
        wins_by_value = [wins for value, wins in best.items() if index == 0 or value > 0]
        spans.append((max(wins_by_value) - min(wins_by_value)) / GAMES)
    text = f"the best rates differ by at most {spans[0]:.4f} over a_m0 and {spans[1]:.4f} over a_m1 above 0"
    return Outcome(text, max(spans), seed=players.seed, stored=players.stored)


def _rates(context: Context) -> Outcomes:
    games = context.pick(100_000, 20_000, 40)
    reduced = "" if context.full else f"{games:,} games; --full 100,000"
    warm_up()
    for name, player in (("base", "ensemble:base"), ("tuned", "ensemble:paper"), ("shipped", "ensemble:shipped")):
        rate: Interval = play_contest(Gin(), [player, "simple"], games, seed=context.seed, threads=context.threads).win_rate()
        half = (rate.high - rate.low) / 2
        yield name, Outcome(f"{player[9:]}: {rate} over {games:,} games", rate.value, error=half, seed=context.seed, reduced=reduced)


def _statistics(context: Context) -> Outcomes:
    shape, rng = (context.pick(2000, 300, 20), 3003), np.random.default_rng(context.seed)
    best = rng.binomial(GAMES, ensembles.AUTHORS_AGAIN[0], shape).max(1) / GAMES
    text = f"the best of 3003: {np.median(best):.4f} in the median, above 0.739 in {np.mean(best > 0.739):.0%} of {len(best)} simulations"
    yield "winners-curse", Outcome(text, float(np.median(best)), seed=context.seed)
    for name, (_, before, after, printed) in zip(("chi-whole", "chi-meldability", "chi-weights"), ensembles.CHI_SQUARES, strict=True):
        old, new = (Score(GAMES, round(rate * GAMES)) for rate in (before, after))
        single, two = one_sample(before, new), two_samples(old, new)
        yield name, Outcome(f"one sample {single.chi_square:.1f} (printed {printed}); two samples: {two}", two.chi_square)


def _openspiel() -> Outcomes:
    """Yield the outcomes for OpenSpiel: a chain of lay-offs, and the deadwood of eleven cards."""
    try:
        theirs = import_module("pyspiel").gin_rummy.GinRummyUtils(13, 4, 10)
    except ImportError:
        for name in ("openspiel-layoffs", "openspiel-eleven"):
            yield name, Outcome("not asked", missing_package="open_spiel")
        return
    run = theirs.meld_to_int(theirs.card_strings_to_card_ints(["3s", "4s", "5s"]))
    offered = theirs.card_ints_to_card_strings(theirs.all_layoffs([run], theirs.card_strings_to_card_ints(["6s", "7s"])))
    highest = max("A23456789TJQK".index(card[0]) + 1 for card in offered)
    yield "openspiel-layoffs", Outcome(f"on 3S 4S 5S with 6S 7S laid off it offers {', '.join(offered)}", highest)
    eleven = Hand.parse("2H 3H 4C 4D 4H 5C 5D 5H 6C 6D 6S")
    least, printed = _least(eleven), theirs.min_deadwood([card.index for card in eleven])
    yield "openspiel-eleven", Outcome(f"it says {printed}; the least over all discards is {least}", printed if least == 0 else None)


def _least(hand: Hand) -> int:
    return min(deadwood(Hand(other for other in hand if other != card)) for card in hand)

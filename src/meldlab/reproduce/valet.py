"""Valet's page of Block Rummy: the game, its four figures, and faults of the programs behind them."""

import math

import numpy as np

from meldlab.analysis.figures import lead_curves, normalised_spread
from meldlab.analysis.heuristics import fairness, order
from meldlab.analysis.sample import Sample
from meldlab.analysis.study import Analysis, Effort, Subject, analyse
from meldlab.recycle.game import Described
from meldlab.recycle.library import load
from meldlab.recycle.telling.movement import Movement
from meldlab.reproduce.bench import Findings, Reproducer
from meldlab.reproduce.judging import Obtained
from meldlab.reproduce.kept_games import keeps, kept_analysis

__all__ = ["carried", "claims", "study"]

GAME = "block_rummy"
PLAYER = "mcts:pooled"  # the estimates of the figures are means over all simulations, not over determinizations
QUICK = Effort(games=12, counted=2000, player=PLAYER, simulations=10, quick=True, random=100)
TINY = Effort(games=2, counted=100, player=PLAYER, simulations=2, quick=True, random=10)
# Our own Leduc poker, and what the published program does instead where hands are equal.
ALIKE = "    ((< ('P sto STRENGTH) ('Q sto STRENGTH))\n     (do ("
BOTH_WIN = """    (do (
     ((and (!= 'P 'Q) (== ('P sto STRENGTH) ('Q sto STRENGTH)))
      (set ('Q sto WON) (+ ('P sto PAID) ('Q sto PAID))))
     ((< ('P sto STRENGTH) ('Q sto STRENGTH))
     (do ("""
END = "(dec ('P sto WON) ('P sto PAID))"


def claims(bench: Reproducer) -> Findings:
    """Give what comes out for each claim of the page."""
    machine = Described.named(GAME).machine
    dealt = {(place.owner, place.name): len(place.cards) for place in machine.begin(bench.seed).places()}
    counts = [dealt[1, "HAND"], dealt[2, "HAND"], dealt[0, "PILE"], dealt[0, "STOCK"]]
    yield "deal", Obtained(f"{counts[0]} and {counts[1]} in hand, {counts[2]} turned up, {counts[3]} in stock", counts, seed=bench.seed)
    yield "lowest-wins", Obtained(f"scoring {machine.best}", machine.best)
    games = bench.pick(10_000, 2_000, 50)
    ended = machine.random_games(games, bench.seed, threads=bench.threads or 1)
    finished = int(Sample.of_scores(machine.best, ended.scores, ended.statuses).finished)
    told = f"{finished:,} of {games:,} random games end by themselves, after {ended.decisions.mean():.0f} decisions on average"
    yield "no-loops", Obtained(told, finished == games, seed=bench.seed)
    yield from _figures(bench)
    seeds = range(bench.pick(200, 30, 2))
    back = sum(edge.target.name == "STOCK" for seed in seeds for edge in Movement.of(machine, seed).edges)
    yield "older-picture", Obtained(f"{back} moves to the stock in {len(seeds)} games", back, seed=0)
    yield _first_option()
    yield _equal_hands(bench)
    yield "teams", _teams()


def _teams() -> Obtained:
    """Compare the published formulas with ours on games of four seats that the first and the third always win together."""
    won, teams = Sample.of_scores("max", np.array([[1, 0, 1, 0]] * 4)), (1, 2, 1, 2)
    rate = float(won.win_shares[:, 0].mean())
    theirs = [_fair(rate, won.seats), (rate - 1 / won.seats) / (1 - 1 / won.seats)]
    ours = [found.interval.value for found in (fairness(won, teams), order(won, teams)) if found.interval]
    told = f"by seats {theirs[0]:.4f} and {theirs[1]:.4f}; by sides {' and '.join(f'{each:.0f}' for each in ours)}"
    return Obtained(told, theirs if ours == [0.0, 1.0] else None)


def _fair(rate: float, sides: int) -> float:
    """Return the published fairness of a win rate."""
    return rate * sides if rate <= 1 / sides else (sides - sides * rate) / (sides - 1)


def study(bench: Reproducer) -> tuple[Subject, Effort]:
    """Return what the games behind the figures are of, and how many they are."""
    return Subject(Described.named(GAME)), bench.pick(Effort(player=PLAYER), QUICK, TINY)


def carried(bench: Reproducer) -> bool:
    """Tell whether the games are taken from the package."""
    return bench.full and not bench.anew and keeps(GAME)


def _analysis(bench: Reproducer) -> tuple[Analysis, str, str]:
    """Return the games behind the figures, when they were played, and how they are smaller than the page's."""
    subject, effort = study(bench)
    if carried(bench):
        return kept_analysis(GAME, subject)
    found = analyse(subject, effort, bench.opened, jobs=bench.threads, progress=lambda done, whole, _: bench.progress(done / max(1, whole)))
    reduced = (
        ""
        if bench.full
        else f"{effort.games} games of MCTS players, {effort.searcher.simulations} simulations for each option; published: 100 and 1,000"
    )
    return found, "", reduced


def _figures(bench: Reproducer) -> Findings:
    found, stored, reduced = _analysis(bench)
    seed, skilled = found.effort.seed, found.skilled
    # A turn begins when the player changes.
    turns = 1 + np.count_nonzero(np.diff(found.random.seat[found.random.game == 0]))
    each = np.count_nonzero(found.random.game == 0) / turns
    yield "successive", Obtained(f"{each:.1f} decision points in a turn on average", each >= 2, seed=seed)
    longest, middle = int(found.random.decisions.max()), float(np.median(found.random.decisions))
    told = f"{longest} decisions in the longest of {found.random.games} games, {middle:.0f} in the median"
    yield "branching", Obtained(told, longest, seed=seed)
    meanings = {(edge.source.name, edge.target.name): edge.meaning for edge in found.movement.edges}
    taken = {pair for pair, meaning in meanings.items() if meaning == "taken"}
    needed = {("STOCK", "HAND"), ("PILE", "HAND"), ("HAND", "PILE")} <= meanings.keys()
    right = needed and taken == {("PILE", "HAND")} and "shared" not in meanings.values()
    yield (
        "movement",
        Obtained(
            f"{len(found.movement.edges)} edges: taken {len(taken)}, shared {list(meanings.values()).count('shared')}", right, seed=seed
        ),
    )
    _, published, own = normalised_spread(skilled)
    told = f"{published.min():.2f} to {published.max():.2f} in {skilled.games} games, {published.mean():.3f} on average"
    fits = published.min() >= 0 and published.max() <= 1
    yield "spread", Obtained(told, fits, seed=seed, stored=stored, reduced=reduced)
    touching = float(np.mean([own[skilled.game == game].max() > 0.999 for game in np.unique(skilled.game)]))
    share = float(np.mean([published[skilled.game == game].max() > 0.999 for game in np.unique(skilled.game)]))
    told = f"divided by its own largest {touching:.0%} of the games touch 1, by the largest of all {share:.0%}"
    yield "spread-divisor", Obtained(told, touching, seed=seed, stored=stored, reduced=reduced)
    curves = {place: some.mean(axis=0) for place, some in lead_curves(skilled).items() if len(some)}
    ends = [float(curves[place][-1]) for place in sorted(curves)]
    late = float(np.mean(curves[0][50:] - curves[1][50:]))
    told = f"ends at {ends[0]:.2f} and {ends[1]:.2f}; in the second half {late:.2f} apart"
    inside = all(curve.min() >= 0 and curve.max() <= 1 for curve in curves.values())
    yield "lead", Obtained(told, inside and ends[0] > ends[1] and late > 0, seed=seed, stored=stored, reduced=reduced)
    yield "figures-in-numbers", Obtained("our curves, below and as CSV", seed=seed, stored=stored, reduced=reduced)
    titles = {"movement": "Card movement graph", "branching": "Branching factor", "spread": "Decision spread", "lead": "Lead history"}
    for name, title in titles.items():
        bench.draw(
            f"valet-{name}",
            title,
            found.sheets[name],
            f"The page has a picture without numbers. {(stored or reduced) * (name in ('spread', 'lead'))}".strip(),
            name,
        )


def _first_option() -> tuple[str, Obtained]:
    """Search among four options as the reference does, and as it should: which share of the visits goes to the first, the worst."""
    means = (-40.0, -30.0, -20.0, -10.0)

    def visits(start: float, simulations: int = 400) -> float:
        count, total = [1] * len(means), list(means)
        for done in range(len(means), simulations):
            best, chosen = start, 0
            for option in range(len(means)):
                bound = total[option] / count[option] + math.sqrt(2 * math.log(done) / count[option])
                if bound > best:
                    best, chosen = bound, option
            count[chosen] += 1
            total[chosen] += means[chosen]
        return (count[0] - 1) / (simulations - len(means))

    faulty, sound = visits(0.0), visits(-math.inf)
    return "ucb", Obtained(
        f"from 0 the worst of four options gets {faulty:.0%} of the visits, from below all bounds {sound:.0%}",
        faulty if sound < 0.05 else None,
    )


def _equal_hands(bench: Reproducer) -> tuple[str, Obtained]:
    """Play our Leduc poker with the published rule for equal hands."""
    _, text = load("leduc_poker")
    changed = text.replace(ALIKE, BOTH_WIN).replace(END, f"{END}))")
    games = bench.pick(100_000, 20_000, 500)
    sums = [Described("leduc", each).machine.random_games(games, bench.seed).scores for each in (text, changed)]
    tied = sums[1][:, 0] == sums[1][:, 1]
    share = float(np.mean(sums[1][tied].sum(axis=1) != 0))
    told = (
        f"{share:.0%} of {int(tied.sum()):,} tied games do not sum to 0 ({float(np.mean(sums[0].sum(axis=1) != 0)):.0%} by the usual rule)"
    )
    return "leduc", Obtained(told, share, seed=bench.seed)

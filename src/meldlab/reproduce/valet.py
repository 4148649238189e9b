"""Valet's page of Block Rummy: the game, its four figures, and faults of the programs behind them."""

import math

import numpy as np

from meldlab.analysis.figures import lead_curves, normalised_spread
from meldlab.analysis.heuristics import beyond_share, fair_value, fairness, order
from meldlab.analysis.sample import Sample
from meldlab.analysis.study import StudyConfig, analyse
from meldlab.analysis.variant import Variant
from meldlab.recycle.game import RecycleGame
from meldlab.recycle.library import load
from meldlab.recycle.movement import Movement
from meldlab.reproduce.claims import Outcome
from meldlab.reproduce.run import Context, Outcomes

GAME = "block_rummy"
PLAYER = "mcts:pooled"  # the estimates of the figures are means over all simulations, not over determinizations
QUICK = StudyConfig(games=12, random_scores=2000, player=PLAYER, simulations=10, quick=True, random=100)
TINY = StudyConfig(games=2, random_scores=100, player=PLAYER, simulations=2, quick=True, random=10)
# Our own Leduc poker, and the rule of the published program for equal hands.
EQUAL_HANDS = "    ((< ('P sto STRENGTH) ('Q sto STRENGTH))\n     (do ("
BOTH_WIN = """    (do (
     ((and (!= 'P 'Q) (== ('P sto STRENGTH) ('Q sto STRENGTH)))
      (set ('Q sto WON) (+ ('P sto PAID) ('Q sto PAID))))
     ((< ('P sto STRENGTH) ('Q sto STRENGTH))
     (do ("""
END = "(dec ('P sto WON) ('P sto PAID))"


def claims(context: Context) -> Outcomes:
    """Yield the outcome of each claim of the page."""
    machine = RecycleGame.load(GAME).machine
    dealt = {(location.owner, location.name): len(cards) for location, cards in machine.start(context.seed).locations()}
    counts = [dealt[1, "HAND"], dealt[2, "HAND"], dealt[0, "PILE"], dealt[0, "STOCK"]]
    yield "deal", Outcome(f"{counts[0]} and {counts[1]} in hand, {counts[2]} turned up, {counts[3]} in stock", counts, seed=context.seed)
    yield "lowest-wins", Outcome(f"scoring {machine.scoring}", machine.scoring)
    games = context.pick(10_000, 2_000, 50)
    ended = machine.random_games(games, context.seed, threads=context.threads or 1)
    finished = int(Sample.from_scores(machine.scoring, ended.scores, ended.statuses).finished)
    result = f"{finished:,} of {games:,} random games end by themselves, after {ended.decisions.mean():.0f} decisions on average"
    yield "no-loops", Outcome(result, finished == games, seed=context.seed)
    yield from _figures(context)
    seeds = range(context.pick(200, 30, 2))
    back = sum(edge.target.name == "STOCK" for seed in seeds for edge in Movement.of(machine, seed).edges)
    yield "older-picture", Outcome(f"{back} moves to the stock in {len(seeds)} games", back, seed=0)
    yield _first_option()
    yield _equal_hands(context)
    yield "teams", _teams()


def _teams() -> Outcome:
    """Compare the published formulas with ours on games of four seats that the first and the third always win together."""
    won, teams = Sample.from_scores("max", np.array([[1, 0, 1, 0]] * 4)), (1, 2, 1, 2)
    rate = float(won.win_shares[:, 0].mean())
    theirs = [fair_value(won.seats, rate), beyond_share(won.seats, rate)]
    ours = [heuristic.interval.value for heuristic in (fairness(won, teams), order(won, teams)) if heuristic.interval]
    result = f"by seats {theirs[0]:.4f} and {theirs[1]:.4f}; by sides {' and '.join(f'{value:.0f}' for value in ours)}"
    return Outcome(result, theirs if ours == [0.0, 1.0] else None)


def _figures(context: Context) -> Outcomes:
    config: StudyConfig = context.pick(StudyConfig(player=PLAYER), QUICK, TINY)
    analysis = analyse(Variant(RecycleGame.load(GAME)), config, context.opened, jobs=context.threads, progress=context.part)
    simulations = f"{config.games} games of MCTS players, {config.simulations_per_option} simulations for each option"
    reduced = "" if context.full else f"{simulations}; published: 100 and 1,000"
    seed, skilled, random = analysis.config.seed, analysis.skilled, analysis.random
    # A turn starts when the player changes.
    turns = 1 + np.count_nonzero(np.diff(random.seat[random.game == 0]))
    decisions = np.count_nonzero(random.game == 0) / turns
    yield "successive", Outcome(f"{decisions:.1f} decision points in a turn on average", decisions >= 2, seed=seed)
    longest, median = int(random.decisions.max()), float(np.median(random.decisions))
    result = f"{longest} decisions in the longest of {random.games} games, {median:.0f} in the median"
    yield "branching", Outcome(result, longest, seed=seed)
    meanings = {(edge.source.name, edge.target.name): edge.meaning for edge in analysis.movement.edges}
    taken = {pair for pair, meaning in meanings.items() if meaning == "taken"}
    needed = {("STOCK", "HAND"), ("PILE", "HAND"), ("HAND", "PILE")} <= meanings.keys()
    right = needed and taken == {("PILE", "HAND")} and "shared" not in meanings.values()
    result = f"{len(analysis.movement.edges)} edges: taken {len(taken)}, shared {list(meanings.values()).count('shared')}"
    yield "movement", Outcome(result, right, seed=seed)
    _, published, own = normalised_spread(skilled)
    result = f"{published.min():.2f} to {published.max():.2f} in {skilled.games} games, {published.mean():.3f} on average"
    fits = published.min() >= 0 and published.max() <= 1
    yield "spread", Outcome(result, fits, seed=seed, reduced=reduced)
    touching = float(np.mean([own[skilled.game == game].max() > 0.999 for game in np.unique(skilled.game)]))
    share = float(np.mean([published[skilled.game == game].max() > 0.999 for game in np.unique(skilled.game)]))
    result = f"divided by its own largest {touching:.0%} of the games touch 1, by the largest of all {share:.0%}"
    yield "spread-divisor", Outcome(result, touching, seed=seed, reduced=reduced)
    curves = {place: leads.mean(axis=0) for place, leads in lead_curves(skilled).items() if len(leads)}
    ends = [float(curves[place][-1]) for place in sorted(curves)]
    late = float(np.mean(curves[0][50:] - curves[1][50:]))
    result = f"ends at {ends[0]:.2f} and {ends[1]:.2f}; in the second half {late:.2f} apart"
    inside = all(curve.min() >= 0 and curve.max() <= 1 for curve in curves.values())
    yield "lead", Outcome(result, inside and ends[0] > ends[1] and late > 0, seed=seed, reduced=reduced)
    yield "figures-in-numbers", Outcome("our curves, below and as CSV", seed=seed, reduced=reduced)
    titles = {"movement": "Card movement graph", "branching": "Branching factor", "spread": "Decision spread", "lead": "Lead history"}
    for name, title in titles.items():
        says = f"The page has a picture without numbers. {reduced * (name in ('spread', 'lead'))}".strip()
        context.draw(f"valet-{name}", title, analysis.sheets[name], says, name)


def _first_option() -> tuple[str, Outcome]:
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
    result = f"from 0 the worst of four options gets {faulty:.0%} of the visits, from below all bounds {sound:.0%}"
    return "ucb", Outcome(result, faulty if sound < 0.05 else None)


def _equal_hands(context: Context) -> tuple[str, Outcome]:
    """Play our Leduc poker with the published rule for equal hands."""
    _, text = load("leduc_poker")
    changed = text.replace(EQUAL_HANDS, BOTH_WIN).replace(END, f"{END}))")
    games = context.pick(100_000, 20_000, 500)
    sums = [RecycleGame("leduc", program).machine.random_games(games, context.seed).scores for program in (text, changed)]
    tied = sums[1][:, 0] == sums[1][:, 1]
    share = float(np.mean(sums[1][tied].sum(axis=1) != 0))
    usual = float(np.mean(sums[0].sum(axis=1) != 0))
    result = f"{share:.0%} of {int(tied.sum()):,} tied games do not sum to 0 ({usual:.0%} by the usual rule)"
    return "leduc", Outcome(result, share, seed=context.seed)

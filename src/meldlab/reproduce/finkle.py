"""Finkle's thesis on waiting times: solved by our own solver, approximated by its algorithm."""

from dataclasses import asdict, dataclass, field
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import comb, factorial

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import classes
from meldlab.gpu import has_gpu
from meldlab.reproduce.claims import Outcome
from meldlab.reproduce.cohorts import approximate
from meldlab.reproduce.finkle_figures import COHORTS, FEW, FITS, MANY, ROUND_CLASSES, SECONDS_4, draw_all
from meldlab.reproduce.run import Context, Outcomes, bundled_result
from meldlab.reproduce.tolerance import approximation, fitted_exponent, solution
from meldlab.waiting import Solution, WaitingGame, solve
from meldlab.waiting.exact import draw_graph, exact_values
from meldlab.waiting.simulation import play_deck
from meldlab.waiting.storage import solve_cached

__all__ = ["claims"]

EXACT_4 = 0.0000277  # tolerance that the thesis takes for an exact solution of four cards
SAME = 1e-9  # values closer than this are one class: the printed ones are further apart, or merged in print too


@dataclass(frozen=True, eq=False)
class Grouped:
    """A solution by classes of equal E, the complete hands first."""

    solution: Solution
    values: NDArray[np.float64] = field(init=False)
    hands: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        _, hands, values = self.solution.rows()
        order = np.argsort(values, kind="stable")
        starts = np.flatnonzero(np.diff(values[order], prepend=-1) > SAME)
        object.__setattr__(self, "values", values[order][starts])
        object.__setattr__(self, "hands", np.add.reduceat(hands[order], starts))

    @property
    def largest(self) -> int:
        """Return the index of the largest class; the complete hands have index 0."""
        return 1 + int(self.hands[1:].argmax())

    def below(self, turns: float) -> int:
        """Return the number of hands with a smaller E."""
        return int(self.hands[self.values < turns].sum())


@cache
def grouped(cards: int, aces: str = "low") -> Grouped:
    """Return the solution of a game by classes."""
    return Grouped(solution(cards, aces))


def _fractions(aces: str) -> list[Fraction]:
    """Return the different values of E of three cards in exact fractions."""
    return sorted(set(exact_values(draw_graph(WaitingGame(3, aces)))))


def claims(context: Context) -> Outcomes:
    """Yield the outcome of each claim of the thesis."""
    yield from _three()
    yield from _four()
    yield from _approximate()
    yield from _beyond(context)
    if not context.tiny:
        draw_all(context)


def _exact(value: float, digits: int = 10) -> str:
    return f"{value:.{digits}f} (residual below 1e-12)"


def _three() -> Outcomes:
    states = comb(52, 10) * comb(42, 10) * factorial(32) * 11**16
    yield "states-10", Outcome(f"{float(states):.4g} (exact)", float(states))
    low = grouped(3)
    index, total = low.largest, np.cumsum(low.hands)
    yield "best-3-low", Outcome(f"{low.hands[1]} hands with E = {low.values[1]:.10f}", [int(low.hands[1]), float(low.values[1])])
    ours = [index, int(low.hands[index]), float(low.values[index]), int(total[index])]
    yield "largest-3-low", Outcome(f"the {ours[0]}th: {ours[1]} hands, E = {ours[2]:.12f}, {ours[3]} up to it", ours)
    sizes = np.gcd.reduce(low.hands), low.hands[1:].min(), np.median(low.hands)
    text = f"greatest common divisor {sizes[0]}, least {sizes[1]}, median {sizes[2]:g}"
    yield "multiples-of-4", Outcome(text, list(map(int, sizes)))
    values = _fractions("low")
    cohorts = [len(approximation(3, tolerance).cohorts) for tolerance in (1e-6, 1e-7)]
    both = len(_fractions("both"))
    text = f"{len(values)} in exact fractions, {both} with aces high or low; cohorts: {cohorts[0]} at 1e-6, {cohorts[1]} at 1e-7"
    yield "classes-3-low", Outcome(text, len(values))
    gap = float(min(after - before for before, after in pairwise(values)))
    close = sum(after - before < Fraction(1, 10**7) for before, after in pairwise(values))
    yield "smallest-gap", Outcome(f"{gap:.2e}; {close} of {len(values) - 1} gaps below 1e-7 (exact)", gap)
    yield "median-3-low", Outcome(_exact(low.solution.turns("8D 9S JD"), 12), low.solution.turns("8D 9S JD"))
    worst = low.solution.summary()
    yield "worst-3-low", Outcome(f"{_exact(worst.max, 12)}, {worst.worst_hands} hands like {worst.worst} and its mirror image", worst.max)
    plateau = low.below(17) - low.below(15)
    level = low.below(17) == low.below(16.5) and plateau > 4000 and float(low.values[-1]) < 20
    yield "figure-1", Outcome(f"{plateau:,} hands from 15 to the jump: none between 16.5 and 17; at most {low.values[-1]:.2f}", level)
    either = grouped(3, "both")
    most, three_suits = either.solution.summary(), either.solution.turns("AC 2D KH")
    text = f"{most.worst_hands} hands, {_exact(most.max)}; AC 2D KH {three_suits:.4f}, the class before"
    right = abs(most.max - 18.861678332) < SAME and abs(either.values[-2] - three_suits) < SAME
    yield "worst-3-both", Outcome(text, [most.worst_hands, most.max, round(most.max - three_suits, 2)] if right else None)
    yield from _round(grouped(3, "round"))
    lines = [grouped(3, aces) for aces in ("low", "both", "round")]
    jumps = [line.below(17) for line in lines]
    lower = lines[2].values[-1] < min(lines[0].values[-1], lines[1].values[-1])
    empty = not ((lines[2].values >= 16) & (lines[2].values < 17)).any()
    text = f"hands below 17: {jumps[0]:,}, {jumps[1]:,} and {jumps[2]:,}; none from 16 to 17 round the corner"
    yield "figure-2", Outcome(text, bool(lower and empty and jumps[0] > 5000 and jumps[2] > 6000))


def _round(wrap: Grouped) -> Outcomes:
    index, total = wrap.largest, np.cumsum(wrap.hands)
    ours = [int(wrap.hands[index]), float(wrap.values[index]), int(total[index]), int(wrap.hands[1:].min()), float(np.median(wrap.hands))]
    text = f"{ours[0]} hands, E = {ours[1]:.12f}, {ours[2]} up to it; least {ours[3]}, median {ours[4]:g}"
    yield "largest-3-round", Outcome(text, ours)
    yield "iteration-3-round", Outcome(f"the {index}th class", index)
    yield "classes-3-round", Outcome(f"{len(_fractions('round'))} in exact fractions", len(wrap.values))
    printed = list(ROUND_CLASSES)
    computed = list(zip(wrap.hands[1:].tolist(), wrap.values[1:].tolist(), strict=True))
    missing = [(count, e) for count, e in computed if not any(abs(e - value) < 6e-11 and count == hands for hands, value in printed)]
    wrong = len(printed) - (len(computed) - len(missing))
    text = f"{len(computed)} classes, {sum(wrap.hands[1:]):,} hands; {wrong} printed rows differ; missing: "
    text += ", ".join(f"{hands} hands with E = {value:.10f}" for hands, value in missing)
    yield "appendix-7-2", Outcome(text, [len(computed), int(sum(wrap.hands[1:]))] if not wrong else None)
    yield "worst-3-round", Outcome(f"{wrap.hands[-1]} hands, {_exact(wrap.values[-1], 12)}", [int(wrap.hands[-1]), float(wrap.values[-1])])


def _four() -> Outcomes:
    low, both, wrap = (grouped(4, aces) for aces in ("low", "both", "round"))
    complete = [int(rule.hands[0]) for rule in (low, both, wrap)]
    best = [float(rule.values[1]) for rule in (low, both, wrap)]
    yield "complete-4", Outcome(f"{complete} of {sum(low.hands):,}; {best[0]:g} turns", [int(sum(low.hands)), *complete, max(best)])
    worst = wrap.solution.turns("AC 2D 5C 6D")
    ours = [int(wrap.hands[1]), int(wrap.hands[-1]), worst]
    text = f"{ours[0]} hands with 24; {ours[1]} worst, {_exact(worst)}"
    yield "worst-4-round", Outcome(text, ours if worst == wrap.values[-1] else None)
    yield "classes-4-round", Outcome(f"{len(wrap.values) - 1} and the complete hands", len(wrap.values) - 1)
    text = f"{len(low.values):,} values more than 1e-9 apart (doubles cannot distinguish closer ones)"
    yield "classes-4-low", Outcome(text, len(low.values))
    yield "bound-4", Outcome(_exact(low.values[-1]), float(low.values[-1]))
    apart = float(both.values[-1] - wrap.values[-1])
    right = abs(both.values[-1] - 41.3925) < 5e-5
    yield "worst-4-both", Outcome(f"{_exact(both.values[-1])}; {apart:.4f} more", [float(both.values[-1]), apart] if right else None)


def _approximate() -> Outcomes:
    yield "naive-bound", Outcome(f"{49 / 11 + 49 / 2:.2f}; {grouped(3).values[-1]:.2f}", [49 / 11 + 49 / 2, float(grouped(3).values[-1])])
    counts = {tolerance: len(approximation(3, tolerance).cohorts) for tolerance in (1e-7, 1e-8)}
    text = f"{counts[1e-7]} cohorts at 1e-7, {counts[1e-8]} at 1e-8; the result file has 713"
    yield "tolerance-in-text", Outcome(text, next((tolerance for tolerance, count in counts.items() if count == 713), None))
    used = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
    runs = [approximation(cards, tolerance) for cards in (3, 4) for tolerance in used]
    ratio = max(run.max_error / run.tolerance for run in runs)
    holds = all(run.tolerance > run.max_error > run.mean_error for run in runs)
    yield "theorem-4-used", Outcome(f"{len(runs)} runs; the largest error is at most {ratio:.2f} t", holds)
    beyond = approximation(4, 4.0)
    hand = classes.hand(4, int(np.argmax(beyond.expected - solution(4).expected)))
    yield "theorem-4", Outcome(f"t = 4: off by {beyond.max_error:.4f}, for {hand}", beyond.max_error)
    for name, tolerance in (("cohorts-1", 1.0), ("cohorts-half", 0.5)):
        ours = [(cohort.hands, cohort.expected) for cohort in approximation(3, tolerance).cohorts]
        printed = COHORTS[tolerance]
        same = len(ours) == len(printed) and all(a[0] == b[0] and abs(a[1] - b[1]) < 6e-11 for a, b in zip(ours, printed, strict=True))
        text = f"{len(ours)} cohorts, {'every' if same else 'not every'} size and least E as printed"
        yield name, Outcome(text, f"{len(printed)} rows of the appendix" * same)
    yield "cohorts-text", Outcome(f"{len(approximation(3, 1.0).cohorts)}", len(approximation(3, 1.0).cohorts))
    run = approximation(3, 1.0)
    hand = classes.hand(3, int(np.argmax(run.expected - solution(3).expected)))
    right = abs(run.max_error - 0.6109) < 5e-5
    text = f"{run.max_error:.4f} for {hand} (its mirror image is the printed hand), mean {run.mean_error:.4f}"
    yield "errors-1", Outcome(text, [run.max_error, run.mean_error] if right else None)
    note = "Cohorts agree where both are printed; we found no explanation."
    tenth, thousandth = approximation(3, 0.1), approximation(3, 0.001)
    yield "errors-tenth", Outcome(f"{tenth.mean_error:.4f}; the largest is {tenth.max_error:.4f}", tenth.mean_error, note=note)
    text = f"{thousandth.max_error:.3g} and {thousandth.mean_error:.3g}"
    yield "errors-thousandth", Outcome(text, [thousandth.max_error, thousandth.mean_error], note=note)
    coarse = [approximation(3, tolerance) for tolerance in (1.0, 0.5, 0.2, 0.1)]
    least = min(float((run.expected - solution(3).expected).min()) for run in coarse)
    falling = all(a.max_error > b.max_error and a.mean_error > b.mean_error for a, b in pairwise(coarse))
    text = f"least {least:.0e}; largest {', '.join(f'{run.max_error:.4f}' for run in coarse)}"
    yield "figure-6", Outcome(text, falling and least > -1e-11)
    for cards, tolerances in ((3, MANY), (4, FEW)):
        power = fitted_exponent({tolerance: approximation(cards, tolerance).evaluated for tolerance in tolerances})
        yield f"exponent-{cards}", Outcome(f"{power:.3f} of the hands evaluated, {len(tolerances)} tolerances", power)
    run = approximation(4, 1.0)
    largest = max(run.cohorts, key=lambda cohort: cohort.hands)
    text = f"{len(run.cohorts)} cohorts, the largest of {largest.hands:,} hands like {largest.like}, E = {largest.expected:.10f}"
    yield "cohorts-4", Outcome(text, [len(run.cohorts), largest.hands, largest.expected] if str(largest.like) == "AC AD 3C 3D" else None)
    distances = [float(np.abs(approximation(4, t).expected - solution(4).expected).max()) for t in (1.0, 0.5, 0.1, 0.01, 0.001)]
    text = f"farthest from E: {', '.join(f'{distance:.4f}' for distance in distances)}"
    yield "figure-9", Outcome(text, all(a > b for a, b in pairwise(distances)))
    close = approximation(4, 0.001)
    leasts = [cohort.expected for cohort in close.cohorts]
    ties = sum(abs(b - a - 0.001) < 1e-11 for a, b in pairwise(leasts))
    joined = len(approximate(WaitingGame(4), 0.001 + 1e-12, solution(4)).cohorts)
    text = f"{len(leasts):,} cohorts, {ties} of them exactly 0.001 above the one before; {joined:,} with a tolerance larger by 1e-12"
    yield "cohorts-4-thousandth", Outcome(text, len(leasts))
    (constant, power), finest = FITS[4], approximation(4, EXACT_4)
    fitted, counted = constant * EXACT_4**power, SECONDS_4[1.0] * finest.evaluated / run.evaluated
    text = f"{fitted:,.0f} s by the printed fit; {counted:,.0f} s by {finest.evaluated:,} hands of {len(finest.cohorts):,} cohorts"
    yield "hours-4", Outcome(text, [fitted, counted])
    exact = solution(3, "round").seconds, solution(3).seconds, run.seconds, close.seconds
    yield "seconds", Outcome("{:.2f} s, {:.2f} s; {:.2f} s, {:.2f} s, kernels compiled".format(*exact))


def _beyond(context: Context) -> Outcomes:
    bundled = bundled_result("waiting")
    assert bundled is not None
    if context.full and (context.recompute or not context.tiny):
        games = {aces: WaitingGame(7, aces) for aces in ("round", "low")}
        seven = {
            aces: solve_cached(game, "cpu", context.threads or None, context.part, refresh=context.recompute)
            for aces, game in games.items()
        }
        distinct, largest, stored = seven["round"].summary().distinct_values, seven["low"].summary().max, ""
    else:
        distinct, largest = bundled["seven"]["round"]["distinct_values"], bundled["seven"]["low"]["max"]
        stored = f"stored {bundled['seven']['date']}, {bundled['seven']['machine']}"
    yield "classes-7-round", Outcome(f"{distinct:,} values more than 1e-9 apart", distinct, stored=stored)
    yield "bound-7", Outcome(f"at most {largest:.10f} turns: half of it", largest < 61.067, stored=stored)
    ten, note = bundled["ten"], "Read from the package: --full --recompute on a machine with a GPU solves it."
    stored = f"stored {ten['date']}, {ten['machine']}"
    if context.full and context.recompute and has_gpu():
        solved = solve(WaitingGame(10), device="cuda")
        ten, note, stored = {**asdict(solved.summary()), "residual": solved.residual}, "", ""
    text = f"solved: mean {ten['mean']:.10f}, largest {ten['max']:.10f}, residual {ten['residual']:.0e}"
    yield "out-of-reach", Outcome(text, ten["mean"], note=note, stored=stored)
    games = context.pick(1_000_000, 60_000, 2_000)
    played, whole = play_deck(solution(3), None, games, context.seed), solution(3).summary().mean
    low, high = played.interval.low, played.interval.high
    text = f"{played.mean:.2f} turns ({low:.2f} to {high:.2f}) with a real deck, {whole:.2f} in the bag; {games:,} games"
    yield "a-wash", Outcome(text, played.mean, error=(high - low) / 2, seed=context.seed, reduced="" if context.full else "fewer games")

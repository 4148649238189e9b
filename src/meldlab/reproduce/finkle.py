"""Finkle's thesis on waiting times: solved by our own solver, approximated by its algorithm."""

from dataclasses import asdict, dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import comb, factorial

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import classes
from meldlab.gpu import has_gpu
from meldlab.reproduce.bench import Findings, Reproducer, kept_result
from meldlab.reproduce.cohorts import Approximation, approximate
from meldlab.reproduce.finkle_figures import draw_all
from meldlab.reproduce.judging import Obtained
from meldlab.reproduce.printed import COHORTS, ROUND_CLASSES
from meldlab.reproduce.tolerance import fitted_exponent, tolerance_study
from meldlab.reproduce.waiting_figures import FEW, MANY
from meldlab.waiting import Solution, WaitingGame, solve
from meldlab.waiting.exact import draw_graph, exact_values
from meldlab.waiting.simulation import play_deck
from meldlab.waiting.storage import solve_cached

__all__ = ["claims"]

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
        """Return the place of the largest class, the complete hands being the 0th."""
        return 1 + int(self.hands[1:].argmax())

    def below(self, turns: float) -> int:
        """Return how many hands have a smaller E."""
        return int(self.hands[self.values < turns].sum())


class SolvedOnce:
    """Solutions and approximations, each found once."""

    def __init__(self) -> None:
        self.found: dict[tuple[int, str], Grouped] = {}
        self.runs: dict[tuple[int, float], Approximation] = {}

    def __call__(self, cards: int, aces: str = "low") -> Grouped:
        if (cards, aces) not in self.found:
            self.found[cards, aces] = Grouped(solve(WaitingGame(cards, aces), device="cpu"))
        return self.found[cards, aces]

    def run(self, cards: int, tolerance: float) -> Approximation:
        """Return the thesis's algorithm with a tolerance, aces low."""
        if (cards, tolerance) not in self.runs:
            self.runs[cards, tolerance] = approximate(WaitingGame(cards), tolerance, self(cards).solution)
        return self.runs[cards, tolerance]

    @cached_property
    def fractions(self) -> list[Fraction]:
        """Return the different values of E of three cards, aces low, in exact fractions."""
        return sorted(set(exact_values(draw_graph(WaitingGame(3)))))


def claims(bench: Reproducer) -> Findings:
    """Give what comes out for each claim of the thesis."""
    solved = SolvedOnce()
    yield from _three(solved)
    yield from _four(solved)
    yield from _approximate(solved, bench)
    yield from _beyond(solved, bench)
    if not bench.tiny:
        draw_all(bench)


def _exact(value: float, digits: int = 10) -> str:
    return f"{value:.{digits}f} (residual below 1e-12)"


def _three(solved: SolvedOnce) -> Findings:
    states = comb(52, 10) * comb(42, 10) * factorial(32) * 11**16
    yield "states-10", Obtained(f"{float(states):.4g} (exact)", float(states))
    low = solved(3)
    at, total = low.largest, np.cumsum(low.hands)
    yield "best-3-low", Obtained(f"{low.hands[1]} hands with E = {low.values[1]:.10f}", [int(low.hands[1]), float(low.values[1])])
    ours = [at, int(low.hands[at]), float(low.values[at]), int(total[at])]
    yield "largest-3-low", Obtained(f"the {ours[0]}th: {ours[1]} hands, E = {ours[2]:.12f}, {ours[3]} up to it", ours)
    sizes = np.gcd.reduce(low.hands), low.hands[1:].min(), np.median(low.hands)
    yield (
        "multiples-of-4",
        Obtained(f"greatest common divisor {sizes[0]}, least {sizes[1]}, median {sizes[2]:g}", [int(each) for each in sizes]),
    )
    values = solved.fractions
    cohorts = [len(solved.run(3, tolerance).cohorts) for tolerance in (1e-6, 1e-7)]
    both = len(set(exact_values(draw_graph(WaitingGame(3, "both")))))
    told = f"{len(values)} in exact fractions, {both} with aces high or low; cohorts: {cohorts[0]} at 1e-6, {cohorts[1]} at 1e-7"
    yield "classes-3-low", Obtained(told, len(values))
    gap = float(min(after - before for before, after in pairwise(values)))
    close = sum(after - before < Fraction(1, 10**7) for before, after in pairwise(values))
    yield "smallest-gap", Obtained(f"{gap:.2e}; {close} of {len(values) - 1} gaps below 1e-7 (exact)", gap)
    yield "median-3-low", Obtained(_exact(low.solution.turns("8D 9S JD"), 12), low.solution.turns("8D 9S JD"))
    worst = low.solution.summary()
    yield "worst-3-low", Obtained(f"{_exact(worst.max, 12)}, {worst.worst_hands} hands like {worst.worst} and its mirror image", worst.max)
    plateau = low.below(17) - low.below(15)
    level = low.below(17) == low.below(16.5) and plateau > 4000 and float(low.values[-1]) < 20
    yield "figure-1", Obtained(f"{plateau:,} hands from 15 to the jump: none between 16.5 and 17; at most {low.values[-1]:.2f}", level)
    either = solved(3, "both")
    most, three_suits = either.solution.summary(), either.solution.turns("AC 2D KH")
    told = f"{most.worst_hands} hands, {_exact(most.max)}; AC 2D KH {three_suits:.4f}, the class before"
    right = abs(most.max - 18.861678332) < SAME and abs(either.values[-2] - three_suits) < SAME
    yield "worst-3-both", Obtained(told, [most.worst_hands, most.max, round(most.max - three_suits, 2)] if right else None)
    yield from _round(solved(3, "round"))
    lines = [solved(3, aces) for aces in ("low", "both", "round")]
    jumps = [each.below(17) for each in lines]
    lower = lines[2].values[-1] < min(lines[0].values[-1], lines[1].values[-1])
    empty = not ((lines[2].values >= 16) & (lines[2].values < 17)).any()
    told = f"hands below 17: {jumps[0]:,}, {jumps[1]:,} and {jumps[2]:,}; none from 16 to 17 round the corner"
    yield "figure-2", Obtained(told, bool(lower and empty and jumps[0] > 5000 and jumps[2] > 6000))


def _round(wrap: Grouped) -> Findings:
    at, total = wrap.largest, np.cumsum(wrap.hands)
    ours = [int(wrap.hands[at]), float(wrap.values[at]), int(total[at]), int(wrap.hands[1:].min()), float(np.median(wrap.hands))]
    told = f"{ours[0]} hands, E = {ours[1]:.12f}, {ours[2]} up to it; least {ours[3]}, median {ours[4]:g}"
    yield "largest-3-round", Obtained(told, ours)
    yield "iteration-3-round", Obtained(f"the {at}th class", at)
    yield "classes-3-round", Obtained(f"{len(set(exact_values(draw_graph(WaitingGame(3, 'round')))))} in exact fractions", len(wrap.values))
    printed = list(ROUND_CLASSES)
    mine = list(zip(wrap.hands[1:].tolist(), wrap.values[1:].tolist(), strict=True))
    missing = [each for each in mine if not any(abs(each[1] - value) < 6e-11 and each[0] == hands for hands, value in printed)]
    wrong = len(printed) - (len(mine) - len(missing))
    told = f"{len(mine)} classes, {sum(wrap.hands[1:]):,} hands; {wrong} printed rows differ; missing: "
    told += ", ".join(f"{hands} hands with E = {value:.10f}" for hands, value in missing)
    yield "appendix-7-2", Obtained(told, [len(mine), int(sum(wrap.hands[1:]))] if not wrong else None)
    yield "worst-3-round", Obtained(f"{wrap.hands[-1]} hands, {_exact(wrap.values[-1], 12)}", [int(wrap.hands[-1]), float(wrap.values[-1])])


def _four(solved: SolvedOnce) -> Findings:
    low, both, wrap = (solved(4, aces) for aces in ("low", "both", "round"))
    complete = [int(each.hands[0]) for each in (low, both, wrap)]
    best = [float(each.values[1]) for each in (low, both, wrap)]
    yield "complete-4", Obtained(f"{complete} of {sum(low.hands):,}; {best[0]:g} turns", [int(sum(low.hands)), *complete, max(best)])
    worst = wrap.solution.turns("AC 2D 5C 6D")
    ours = [int(wrap.hands[1]), int(wrap.hands[-1]), worst]
    told = f"{ours[0]} hands with 24; {ours[1]} worst, {_exact(worst)}"
    yield "worst-4-round", Obtained(told, ours if worst == wrap.values[-1] else None)
    yield "classes-4-round", Obtained(f"{len(wrap.values) - 1} and the complete hands", len(wrap.values) - 1)
    told = f"{len(low.values):,} values more than 1e-9 apart (doubles cannot tell closer ones)"
    yield "classes-4-low", Obtained(told, len(low.values))
    yield "bound-4", Obtained(_exact(low.values[-1]), float(low.values[-1]))
    apart = float(both.values[-1] - wrap.values[-1])
    right = abs(both.values[-1] - 41.3925) < 5e-5
    yield "worst-4-both", Obtained(f"{_exact(both.values[-1])}; {apart:.4f} more", [float(both.values[-1]), apart] if right else None)


def _approximate(solved: SolvedOnce, bench: Reproducer) -> Findings:
    yield "naive-bound", Obtained(f"{49 / 11 + 49 / 2:.2f}; {solved(3).values[-1]:.2f}", [49 / 11 + 49 / 2, float(solved(3).values[-1])])
    counts = {tolerance: len(solved.run(3, tolerance).cohorts) for tolerance in (1e-7, 1e-8)}
    told = f"{counts[1e-7]} cohorts at 1e-7, {counts[1e-8]} at 1e-8; the result file has 713"
    yield "tolerance-in-text", Obtained(told, next((tolerance for tolerance, count in counts.items() if count == 713), None))
    used = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
    runs = [solved.run(cards, tolerance) for cards in (3, 4) for tolerance in used]
    ratio = max(run.max_error / run.tolerance for run in runs)
    holds = all(run.tolerance > run.max_error > run.mean_error for run in runs)
    yield "theorem-4-used", Obtained(f"{len(runs)} runs; the largest error is at most {ratio:.2f} t", holds)
    beyond = solved.run(4, 4.0)
    hand = classes.hand(4, int(np.argmax(beyond.expected - solved(4).solution.expected)))
    yield "theorem-4", Obtained(f"t = 4: off by {beyond.max_error:.4f}, for {hand}", beyond.max_error)
    for name, tolerance in (("cohorts-1", 1.0), ("cohorts-half", 0.5)):
        ours = [(each.hands, each.expected) for each in solved.run(3, tolerance).cohorts]
        printed = COHORTS[tolerance]
        same = len(ours) == len(printed) and all(a[0] == b[0] and abs(a[1] - b[1]) < 6e-11 for a, b in zip(ours, printed, strict=True))
        yield (
            name,
            Obtained(
                f"{len(ours)} cohorts, {'every' if same else 'not every'} size and least E as printed",
                f"{len(printed)} rows of the appendix" * same,
            ),
        )
    yield "cohorts-text", Obtained(f"{len(solved.run(3, 1.0).cohorts)}", len(solved.run(3, 1.0).cohorts))
    one = solved.run(3, 1.0)
    hand = classes.hand(3, int(np.argmax(one.expected - solved(3).solution.expected)))
    right = abs(one.max_error - 0.6109) < 5e-5
    yield (
        "errors-1",
        Obtained(
            f"{one.max_error:.4f} for {hand} (its mirror image is the printed hand), mean {one.mean_error:.4f}",
            [one.max_error, one.mean_error] if right else None,
        ),
    )
    note = "Cohorts agree where both are printed; we found no explanation."
    tenth, thousandth = solved.run(3, 0.1), solved.run(3, 0.001)
    yield "errors-tenth", Obtained(f"{tenth.mean_error:.4f}; the largest is {tenth.max_error:.4f}", tenth.mean_error, note=note)
    told = f"{thousandth.max_error:.3g} and {thousandth.mean_error:.3g}"
    yield "errors-thousandth", Obtained(told, [thousandth.max_error, thousandth.mean_error], note=note)
    some = [solved.run(3, tolerance) for tolerance in (1.0, 0.5, 0.2, 0.1)]
    least = min(float((run.expected - solved(3).solution.expected).min()) for run in some)
    falling = all(a.max_error > b.max_error and a.mean_error > b.mean_error for a, b in pairwise(some))
    yield (
        "figure-6",
        Obtained(f"least {least:.0e}; largest {', '.join(f'{run.max_error:.4f}' for run in some)}", falling and least > -1e-11),
    )
    for cards, tolerances in ((3, MANY), (4, FEW)):
        power = fitted_exponent(tolerance_study(WaitingGame(cards), tolerances, solved(cards).solution))
        yield f"exponent-{cards}", Obtained(f"{power:.3f} of the hands evaluated, {len(tolerances)} tolerances", power)
    run = solved.run(4, 1.0)
    largest = max(run.cohorts, key=lambda each: each.hands)
    told = f"{len(run.cohorts)} cohorts, the largest of {largest.hands:,} hands like {largest.like}, E = {largest.expected:.10f}"
    yield "cohorts-4", Obtained(told, [len(run.cohorts), largest.hands, largest.expected] if str(largest.like) == "AC AD 3C 3D" else None)
    far = [float(np.abs(solved.run(4, t).expected - solved(4).solution.expected).max()) for t in (1.0, 0.5, 0.1, 0.01, 0.001)]
    yield "figure-9", Obtained(f"farthest from E: {', '.join(f'{each:.4f}' for each in far)}", all(a > b for a, b in pairwise(far)))
    close = solved.run(4, 0.001)
    leasts = [each.expected for each in close.cohorts]
    ties = sum(abs(b - a - 0.001) < 1e-11 for a, b in pairwise(leasts))
    joined = len(approximate(WaitingGame(4), 0.001 + 1e-12, solved(4).solution).cohorts)
    told = f"{len(leasts):,} cohorts, {ties} of them exactly 0.001 above the one before; {joined:,} with a tolerance larger by 1e-12"
    yield "cohorts-4-thousandth", Obtained(told, len(leasts))
    yield "hours-4", Obtained(f"{225 * 0.0000277**-0.710:,.0f} s; with 255 {255 * 0.0000277**-0.710:,.0f} s", 225 * 0.0000277**-0.710)
    exact = solved(3, "round").solution.seconds, solved(3).solution.seconds, run.seconds, close.seconds
    yield "seconds", Obtained("{:.2f} s, {:.2f} s; {:.2f} s, {:.2f} s, kernels compiled".format(*exact))


def _beyond(solved: SolvedOnce, bench: Reproducer) -> Findings:
    kept = kept_result("waiting")
    assert kept is not None
    if bench.full and (bench.anew or not bench.tiny):
        games = {aces: WaitingGame(7, aces) for aces in ("round", "low")}
        seven = {aces: solve_cached(game, "cpu", bench.threads or None, bench.part, refresh=bench.anew) for aces, game in games.items()}
        counted, most, stored = seven["round"].summary().distinct_values, seven["low"].summary().max, ""
    else:
        counted, most = kept["seven"]["round"]["distinct_values"], kept["seven"]["low"]["max"]
        stored = f"stored {kept['seven']['date']}, {kept['seven']['machine']}"
    yield "classes-7-round", Obtained(f"{counted:,} values more than 1e-9 apart", counted, stored=stored)
    yield "bound-7", Obtained(f"at most {most:.10f} turns: half of it", most < 61.067, stored=stored)
    ten, note = kept["ten"], "Read from the package: --full --anew on a machine with a GPU solves it."
    stored = f"stored {ten['date']}, {ten['machine']}"
    if bench.full and bench.anew and has_gpu():
        solution = solve(WaitingGame(10), device="cuda")
        ten, note, stored = {**asdict(solution.summary()), "residual": solution.residual}, "", ""
    told = f"solved: mean {ten['mean']:.10f}, largest {ten['max']:.10f}, residual {ten['residual']:.0e}"
    yield "out-of-reach", Obtained(told, ten["mean"], note=note, stored=stored)
    games = bench.pick(1_000_000, 60_000, 2_000)
    played, whole = play_deck(solved(3).solution, None, games, bench.seed), solved(3).solution.summary().mean
    low, high = played.interval
    told = f"{played.mean:.2f} turns ({low:.2f} to {high:.2f}) with a real deck, {whole:.2f} in the bag; {games:,} games"
    yield "a-wash", Obtained(told, played.mean, error=(high - low) / 2, seed=bench.seed, reduced="" if bench.full else "fewer games")

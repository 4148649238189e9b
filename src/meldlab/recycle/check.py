"""Check of a program: static checks, compilation, and a simulation of random games within a limit of work.

>>> deck = "(setup (create players 2) (create deck (game iloc S) (deck (RANK (A, B)))))"
>>> turn = "(choice ((move (top (game iloc S)) (top ((current player) vloc T)))))"
>>> report = check_program(f"(game {deck} (stage player (end (== 1 2)) {turn}) (scoring max 1))")
>>> [(diagnostic.code, diagnostic.message) for diagnostic in report.diagnostics]
[('W113', 'there is no card here: the list is empty, in 300 of 300 random games (seed 0)')]
"""

from collections import defaultdict
from dataclasses import dataclass, field

from meldlab.recycle.language.checker import CheckedProgram, check, ordered
from meldlab.recycle.language.diagnostics import Diagnostic, ProgramError
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.compiler import compile_program
from meldlab.recycle.machine.machine import Machine

__all__ = ["Report", "Simulation", "check_program", "simulate"]

GAMES = 200  # with random players, of the seeds 0, 1, 2 ..
# With players who mostly take the last option: among 86 programs of the library without one item, such games found one more that fails.
LATE_GAMES = 100
WORK = 100_000_000  # of all games together: 0.4 seconds of CPU in Crazy Eights, the one game of the library that needs it all


@dataclass
class Simulation:
    """Numbers of random games by their end, and the diagnostics from them."""

    finished: int = 0
    capped: int = 0
    failed: int = 0
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def games(self) -> int:
        """Return the number of games."""
        return self.finished + self.capped + self.failed


@dataclass(frozen=True)
class Report:
    """Diagnostics of a text, errors first; ``checked`` is None if it cannot be parsed, ``simulation`` is None if it has errors."""

    diagnostics: tuple[Diagnostic, ...]
    checked: CheckedProgram | None = None
    simulation: Simulation | None = None

    @property
    def ok(self) -> bool:
        """Return whether the program can run."""
        return not any(diagnostic.is_error for diagnostic in self.diagnostics)

    @property
    def players(self) -> int:
        """Return the number of players, 0 if the text cannot be parsed."""
        return self.checked.players if self.checked else 0


def check_program(
    text: str,
    dialect: str = "0.6",
    limits: Limits = Limits(),  # noqa: B008  # frozen
    work: int = WORK,
) -> Report:
    """Check and compile a program, and simulate random games within ``work`` if it has no error."""
    checked = None
    try:
        checked = check(text, dialect, limits)
        if any(diagnostic.is_error for diagnostic in checked.checker_diagnostics):
            return Report(checked.diagnostics, checked)
        machine = Machine(checked, compile_program(checked.program, limits, text), limits, dialect)
    except ProgramError as error:
        return Report((error.diagnostic, *(checked.diagnostics if checked else ())), checked)
    simulation = simulate(machine, work)
    return Report(ordered([*checked.diagnostics, *simulation.diagnostics]), checked, simulation)


def simulate(machine: Machine, work: int = WORK) -> Simulation:
    """Play random games until ``work`` is spent; report choices without an option, failures, and games that do not end."""
    simulation, left = Simulation(), work
    stopped: dict[tuple[int, int], list[int]] = defaultdict(list)  # seeds, -1 for a late game, by status and offset
    for late, seed in [*((False, seed) for seed in range(GAMES)), *((True, seed) for seed in range(LATE_GAMES))]:
        results, left = machine.random_game(seed, left, late)
        status, offset = int(results.statuses[0]), machine.compiled.offsets[int(results.errors[0]) // k.STRIDE]
        if left < 0:
            if not simulation.games:
                simulation.diagnostics.append(Diagnostic("W114", f"a random game has not ended after {work:,} instructions", offset))
            break
        if status == k.FINISHED:
            simulation.finished += 1
        elif status == k.CAPPED:
            simulation.capped += 1
        else:
            simulation.failed += 1
        # Players who mostly take the last option may draw cards forever.
        if status != k.FINISHED and not (late and status == k.CAPPED):
            stopped[status, offset].append(-1 if late else seed)
    for (status, offset), seeds in stopped.items():
        simulation.diagnostics.append(_diagnostic(machine.limits, status, offset, seeds, simulation.games))
    return simulation


def _diagnostic(limits: Limits, status: int, offset: int, seeds: list[int], games: int) -> Diagnostic:
    where = f"in {len(seeds)} of {games} random games" + (f" (seed {seeds[0]})" if seeds[0] >= 0 else "")
    if status == k.NO_OPTION:
        return Diagnostic("W107", f"this choice has no option {where}", offset)
    if status == k.CAPPED:
        return Diagnostic("W114", f"more than {limits.decisions:,} decisions {where}", offset)
    return Diagnostic("W113", f"{k.REASONS[status]}, {where}", offset)

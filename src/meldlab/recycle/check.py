"""Check of a program: static checks, compilation, and a simulation of random games within a limit of work.

>>> deck = "(setup (create players 2) (create deck (game iloc S) (deck (RANK (A, B)))))"
>>> turn = "(choice ((move (top (game iloc S)) (top ((current player) vloc T)))))"
>>> report = check_program(f"(game {deck} (stage player (end (== 1 2)) {turn}) (scoring max 1))")
>>> [(failure.diagnostic.code, failure.diagnostic.message, failure.players) for failure in report.simulation.failures]
[('W113', 'there is no card here: the list is empty, in 300 of 300 random games (seed 0)', 'random')]
"""

from collections import defaultdict
from dataclasses import dataclass, field

from meldlab.recycle.language.checker import CheckedProgram, check, ordered
from meldlab.recycle.language.diagnostics import Diagnostic, ProgramError
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.compiler import compile_program
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.players import LAST_OPTION

# Of the seeds 0, 1, 2 ..: two thirds with random players, one third with LastOptionPlayer. Among 86 programs of the library without one
# item, the latter found one more that fails.
GAMES = 300
WORK = 100_000_000  # of all games together: 0.4 seconds of CPU in Crazy Eights, the one game of the library that needs it all


@dataclass(frozen=True)
class SimulationFailure:
    """The diagnostic of games that stop alike, and the players and the seed of the first of them, which replay it."""

    diagnostic: Diagnostic
    players: str
    seed: int


@dataclass
class Simulation:
    """Numbers of random games by their end, and the failures among them."""

    finished: int = 0
    capped: int = 0
    failed: int = 0
    failures: list[SimulationFailure] = field(default_factory=list)

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
    games: int = GAMES,
    work: int = WORK,
) -> Report:
    """Check and compile a program, and simulate random games within ``work`` if it has no error and ``games`` is not 0."""
    checked = None
    try:
        checked = check(text, dialect, limits)
        if any(diagnostic.is_error for diagnostic in checked.checker_diagnostics):
            return Report(checked.diagnostics, checked)
        machine = Machine(checked, compile_program(checked.program, limits, text), limits, dialect)
    except ProgramError as error:
        return Report((error.diagnostic, *(checked.diagnostics if checked else ())), checked)
    if not games:
        return Report(checked.diagnostics, checked)
    simulation = simulate(machine, games, work)
    return Report(ordered([*checked.diagnostics, *(failure.diagnostic for failure in simulation.failures)]), checked, simulation)


def simulate(machine: Machine, games: int = GAMES, work: int = WORK) -> Simulation:
    """Play random games until ``work`` is spent; report choices without an option, failures, and games that do not end."""
    simulation, left = Simulation(), work
    stopped: dict[tuple[int, int], list[tuple[bool, int]]] = defaultdict(list)  # late or not and seed, by status and offset
    for late, seed in [*((False, seed) for seed in range(games - games // 3)), *((True, seed) for seed in range(games // 3))]:
        results, left = machine.random_game(seed, left, late)
        status, offset = int(results.statuses[0]), machine.compiled.offsets[int(results.errors[0]) // k.STRIDE]
        if left < 0:
            if not simulation.games:
                message = f"a random game has not ended after {work:,} instructions"
                simulation.failures.append(SimulationFailure(Diagnostic("W114", message, offset), "random", seed))
            break
        if status == k.FINISHED:
            simulation.finished += 1
        elif status == k.CAPPED:
            simulation.capped += 1
        else:
            simulation.failed += 1
        # Players who mostly take the last option may draw cards forever.
        if status != k.FINISHED and not (late and status == k.CAPPED):
            stopped[status, offset].append((late, seed))
    for (status, offset), starts in stopped.items():
        late, seed = starts[0]
        where = f"in {len(starts)} of {simulation.games} random games ({f'{LAST_OPTION}, ' * late}seed {seed})"
        diagnostic = _diagnostic(machine.limits, status, offset, where)
        simulation.failures.append(SimulationFailure(diagnostic, LAST_OPTION if late else "random", seed))
    return simulation


def _diagnostic(limits: Limits, status: int, offset: int, where: str) -> Diagnostic:
    if status == k.NO_OPTION:
        return Diagnostic("W107", f"this choice has no option {where}", offset)
    if status == k.CAPPED:
        return Diagnostic("W114", f"more than {limits.decisions:,} decisions {where}", offset)
    return Diagnostic("W113", f"{k.REASONS[status]}, {where}", offset)

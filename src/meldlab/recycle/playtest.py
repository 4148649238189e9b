"""Check of a program by playing it: static checks, compilation, and random games within a limit of work.

>>> deck = "(setup (create players 2) (create deck (game iloc S) (deck (RANK (A, B)))))"
>>> turn = "(choice ((move (top (game iloc S)) (top ((current player) vloc T)))))"
>>> report = check_and_play(f"(game {deck} (stage player (end (== 1 2)) {turn}) (scoring max 1))")
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

__all__ = ["CheckReport", "PlayedGames", "check_and_play", "play"]

GAMES = 200  # with random players, of the seeds 0, 1, 2 ..
# With players who mostly take the last option: among 86 programs of the library without one item, such games found one more that fails.
LATE_GAMES = 100
WORK = 100_000_000  # of all games together: 0.4 seconds of CPU in Crazy Eights, the one game of the library that needs it all


@dataclass
class PlayedGames:
    """Numbers of random games, and the diagnostics about them."""

    finished: int = 0
    capped: int = 0
    failed: int = 0
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def games(self) -> int:
        """Return how many games were played."""
        return self.finished + self.capped + self.failed


@dataclass(frozen=True)
class CheckReport:
    """Diagnostics about a text, errors first; ``checked`` is None if it cannot be read, ``played`` is None if it cannot run."""

    diagnostics: tuple[Diagnostic, ...]
    checked: CheckedProgram | None = None
    played: PlayedGames | None = None

    @property
    def ok(self) -> bool:
        """Tell whether the program can run."""
        return not any(diagnostic.is_error for diagnostic in self.diagnostics)


def check_and_play(
    text: str,
    dialect: str = "0.6",
    limits: Limits = Limits(),  # noqa: B008  # frozen
    work: int = WORK,
) -> CheckReport:
    """Check and compile a program, and play random games within ``work`` if it has no error."""
    checked = None
    try:
        checked = check(text, dialect, limits)
        if any(diagnostic.is_error for diagnostic in checked.diagnostics):
            return CheckReport(checked.diagnostics, checked)
        machine = Machine(checked, compile_program(checked.program, limits, text), limits, dialect)
    except ProgramError as error:
        return CheckReport((error.diagnostic, *(checked.diagnostics if checked else ())), checked)
    played = play(machine, work)
    return CheckReport(ordered([*checked.diagnostics, *played.diagnostics]), checked, played)


def play(machine: Machine, work: int = WORK) -> PlayedGames:
    """Play random games until ``work`` is spent; report choices without an option, failures, and games that do not end."""
    played, left = PlayedGames(), work
    stopped: dict[tuple[int, int], list[int]] = defaultdict(list)  # seeds, -1 for a late game, by status and place
    for late, seed in [*((False, seed) for seed in range(GAMES)), *((True, seed) for seed in range(LATE_GAMES))]:
        results, left = machine.random_game(seed, left, late)
        status, place = int(results.statuses[0]), machine.compiled.offsets[int(results.errors[0]) // k.STRIDE]
        if left < 0:
            if not played.games:
                played.diagnostics.append(Diagnostic("W114", f"a random game has not ended after {work:,} instructions", place))
            break
        if status == k.FINISHED:
            played.finished += 1
        elif status == k.CAPPED:
            played.capped += 1
        else:
            played.failed += 1
        # Players who mostly take the last option may well draw cards for ever.
        if status != k.FINISHED and not (late and status == k.CAPPED):
            stopped[status, place].append(-1 if late else seed)
    played.diagnostics += [_finding(machine.limits, status, place, seeds, played.games) for (status, place), seeds in stopped.items()]
    return played


def _finding(limits: Limits, status: int, place: int, seeds: list[int], games: int) -> Diagnostic:
    where = f"in {len(seeds)} of {games} random games" + (f" (seed {seeds[0]})" if seeds[0] >= 0 else "")
    if status == k.NO_OPTION:
        return Diagnostic("W107", f"this choice has no option {where}", place)
    if status == k.CAPPED:
        return Diagnostic("W114", f"more than {limits.decisions:,} decisions {where}", place)
    return Diagnostic("W113", f"{k.REASONS[status]}, {where}", place)

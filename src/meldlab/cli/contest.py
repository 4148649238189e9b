"""What the arenas of all doors share: their options, how a contest is run, and how it is told."""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.cache import replace_file
from meldlab.cli.columns import aligned
from meldlab.cli.interruption import DRY_RUN, on_interrupt
from meldlab.cli.options import (
    DryRunOption,
    GameSecondsOption,
    JsonOption,
    MoveSecondsOption,
    RaiseOption,
    SeedOption,
    ThreadsOption,
    print_cost,
    print_json,
    tracebacks,
)
from meldlab.cli.progress import progress_bar
from meldlab.errors import NotLegalHere, NotPossible

if TYPE_CHECKING:
    from meldlab.arena.contest import ContestResult
    from meldlab.arena.round_robin import RoundRobin
    from meldlab.play import Game, Record
    from meldlab.statistics import Interval

Contests = Callable[["Game[Any]", int], None]
PlayersArgument = Annotated[list[str], typer.Argument(metavar="PLAYERS...", help="The last one takes the seats that are left.")]
GamesOption = Annotated[int, typer.Option("--games", min=1, help="Games of a contest, rounded up to whole deals in all seatings.")]
PairsOption = Annotated[bool, typer.Option("--pairs", help="All against all, two at a time, and ratings; so if they are too many to sit.")]
RecordsOption = Annotated[
    Path | None, typer.Option("--save", help="Keep records of the first games in this new folder, or of the first alone in FILE.toml.")
]
KeptOption = Annotated[int, typer.Option("--save-games", min=1, max=10_000, help="How many games a folder gets; two by two, of every two.")]


def read_contests(
    players: PlayersArgument,
    seed: SeedOption = 0,
    pairs: PairsOption = False,
    threads: ThreadsOption = 0,
    seconds_per_move: MoveSecondsOption = None,
    seconds_per_game: GameSecondsOption = None,
    raise_errors: RaiseOption = False,
    save: RecordsOption = None,
    save_games: KeptOption = 10,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> Contests:
    """Return what lets the players sit down to a game, at one table or two by two, and prints what came of it."""

    def play(game: "Game[Any]", games: int) -> None:
        from meldlab.arena.contest import play_contest
        from meldlab.arena.processes import RecordSink
        from meldlab.arena.round_robin import round_robin
        from meldlab.play import TimeLimit

        if len(players) < 2:
            raise NotLegalHere("an arena needs two players or more")
        two_by_two = pairs or len(players) > game.seats[-1]
        whole = games * (len(players) * (len(players) - 1) // 2 if two_by_two else 1)
        if dry_run:
            from meldlab.dry_run import contest_cost

            line_ups = list(combinations(players, 2)) if two_by_two else [players]
            print_cost(f"{whole:,} game{'s' * (whole > 1)} of {game.name}", contest_cost(game, line_ups, games, threads), json)
            return
        meet: Any = round_robin if two_by_two else play_contest
        records = Records(save, save_games)
        on_interrupt(lambda: f"{records}; counts are not saved" if records.files else DRY_RUN)
        with tracebacks(raise_errors), progress_bar(f"{game.name}, games") as show:
            found = meet(
                game,
                players,
                games,
                seed,
                threads=threads,
                time_limit=TimeLimit(seconds_per_move, seconds_per_game),
                raise_errors=raise_errors,
                progress=show,
                records=RecordSink(records.games, records.write),
            )
        if json:
            print_json({**found.as_json(), **({"records": records.files} if records.files else {})})
        else:
            (print_round_robin if two_by_two else print_contest)(found)
        if records.files and not json:
            print(f"{records}; 'meldlab replay {records.files[0]}' shows {'the first' if len(records.files) > 1 else 'it'}.")
        end_with_forfeits(found.contests if two_by_two else [found])

    return play


class Records:
    """Records of games that programs play, in a file or in a folder of their own; nothing that is there is written over."""

    def __init__(self, place: Path | None, games: int) -> None:
        self.place, self.files = place, list[Path]()
        self.single = place is not None and place.suffix == ".toml"
        self.games = 0 if place is None else 1 if self.single else games
        if place is None:
            return
        if place.exists() and (self.single or not place.is_dir() or any(place.iterdir())):
            raise NotLegalHere(f"{place} is there already; name {'a file' if self.single else 'a folder'} that is not")
        # Before anything is played: who waits for an hour wants no surprise at its end.
        try:
            if self.single:
                place.touch(exist_ok=False)
                place.unlink()
            else:
                place.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise NotPossible(f"{place} cannot be written: {problem.strerror}") from None

    def __str__(self) -> str:
        return f"{len(self.files)} records are in {self.place}" if len(self.files) > 1 else f"A record is in {self.files[0]}"

    def write(self, record: "Record") -> None:
        """Write a record."""
        assert self.place is not None
        if self.single and self.files:
            return
        path = self.place if self.single else self.place / f"game-{len(self.files) + 1:04}.toml"
        with replace_file(path) as file:
            file.write(str(record).encode())
        self.files.append(path)


def print_contest(found: "ContestResult") -> None:
    """Print who won how often; every rate with its 95 % interval."""
    rows = [("player", "seats", "won", "by chance", "score")]
    for player, name in enumerate(found.players):
        rows.append(
            (name, str(found.seats[player]), str(found.win_rate(player)), f"{found.fair_share[player]:.3f}", str(found.mean_score(player)))
        )
    print(f"{found.game}: {found.games:,} games, {found.deals:,} deals" + (f", {found.drawn:,} without a winner" if found.drawn else ""))
    print(*aligned(rows), sep="\n")
    if found.sign_test is not None:
        more, less = found.deals_ahead
        p = f"{found.sign_test:.2g}" if found.sign_test >= 1e-12 else "below 1e-12"
        print(f"{found.players[0]} won more than its share of {more:,} deals, less of {less:,}: exact sign test p = {p}")
    if len(found.players) > 1:
        print(f"{found.players[0]} scores better than the others by {found.score_margin}")
    for name, how in found.count_types.items():
        # Who does not search has no simulations, nor anything that is counted of them.
        if not found.total(name if how.per == "games" else how.per):
            continue
        values: list[Interval] = [found.count(name, player) for player in range(len(found.players) if how.by_seat else 1)]
        print(f"{f'{name}/{how.per[:-1]}':16} {'   '.join(map(str, values))}")
    print(f"{found.seconds:.1f} s, {found.games / max(found.seconds, 1e-9):,.0f} games/s")
    print_failures(found)


def print_failures(found: "ContestResult") -> None:
    """Print how many games did not end by their rules, and of the first few reasons why."""
    from meldlab.arena.contest import MAX_FAILURES

    for one in found.failures[:MAX_FAILURES]:
        print(f"{one.games:,} {'game' if one.games == 1 else 'games'}, the first is game {one.first}: {one.why}")
    if len(found.failures) > MAX_FAILURES:
        print(f"... and {len(found.failures) - MAX_FAILURES:,} other reasons")


def end_with_forfeits(contests: "Sequence[ContestResult]") -> None:
    """Print on stderr which players forfeited games; exit with status 1 if one forfeited every game it played."""
    played, forfeited, reasons = Counter[str](), Counter[str](), dict[str, str]()
    for found in contests:
        for player, name in enumerate(found.players):
            own = sorted((failure for failure in found.failures if failure.player == player), key=lambda failure: failure.first)
            played[name] += found.games
            forfeited[name] += found.forfeits(player)
            if own:
                reasons.setdefault(name, own[0].why.partition(" forfeits: ")[2].removeprefix(f"{name} "))
    for name, reason in reasons.items():
        # A player that runs out of time raises nothing.
        hint = "" if reason.startswith("ran out of time") else "; run with --raise to see the traceback"
        games = f"{forfeited[name]:,} of {played[name]:,} games"
        print(f"{name} forfeited {games} (first: {reason.splitlines()[0]}){hint}", file=sys.stderr)
    if any(forfeited[name] == played[name] for name in reasons):
        raise typer.Exit(1)


def print_round_robin(robin: "RoundRobin") -> None:
    """Print ratings, how far they can be trusted, then every pairing."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    table = Table("player", "rating", title="Bradley-Terry, 95 %, by drawing deals again", title_justify="left")
    for one in robin.ratings.players:
        table.add_row(Text(one.name), f"{one.points.value:+.0f} ({one.points.low:+.0f} to {one.points.high:+.0f})")
    console.print(table)
    worst, cycle = robin.ratings.misfit, robin.ratings.cycle
    words = f"the ratings fit {worst.first} against {worst.second} worst: {worst.played} won, {worst.expected:.3f} by the ratings"
    verdict = "; one number for each player does not explain these games" if worst.significant else ""
    console.print(f"{words}{verdict}", markup=False, soft_wrap=True)
    if cycle:
        beats = ", ".join(f"{one} beats {other}" for one, other in zip(cycle, (*cycle[1:], cycle[0]), strict=True))
        console.print(f"these players are not transitive: {beats}", markup=False, soft_wrap=True)
    pairs = Table("first", "second", "won by the first", "sign test p")
    for found in robin.contests:
        pairs.add_row(*map(Text, found.players), str(found.win_rate()), "" if found.sign_test is None else f"{found.sign_test:.2g}")
    console.print(pairs)
    for found in robin.contests:
        print_failures(found)

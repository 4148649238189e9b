"""``meldlab gin arena``, ``rummikub arena`` and ``recycle arena``: many games between players, with intervals."""

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.cache import replace_file, write_errors
from meldlab.cli.interruption import DRY_RUN, on_interrupt
from meldlab.cli.options import (
    DryRunOption,
    GameSecondsOption,
    JsonOption,
    MoveSecondsOption,
    RaiseOption,
    SeedOption,
    ThreadsOption,
    tracebacks,
)
from meldlab.cli.output import aligned, print_estimate, print_json
from meldlab.cli.progress import progress_bar
from meldlab.errors import NotLegalHere

if TYPE_CHECKING:
    from meldlab.arena.contest import ContestResult
    from meldlab.arena.round_robin import RoundRobin
    from meldlab.play import Game, Record
    from meldlab.statistics import Interval

PlayersArgument = Annotated[list[str], typer.Argument(metavar="PLAYERS", help="Two or more; the last takes the remaining seats.")]
GamesOption = Annotated[int, typer.Option("--games", min=1, help="Games per contest, rounded up to whole deals in all seatings.")]
PairsOption = Annotated[
    bool, typer.Option("--pairs", help="Play all pairs of players and rate them; the default for more players than seats.")
]
RecordsOption = Annotated[
    Path | None, typer.Option("--save", help="New folder for records of the first games, or FILE.toml for the first alone.")
]
NumRecordsOption = Annotated[int, typer.Option("--save-games", min=1, max=10_000, help="Records in the folder, per pair of players.")]


@dataclass(frozen=True)
class ArenaOptions:
    """Options of the arenas of all games."""

    seed: SeedOption = 0
    pairs: PairsOption = False
    threads: ThreadsOption = 0
    seconds_per_move: MoveSecondsOption = None
    seconds_per_game: GameSecondsOption = None
    raise_errors: RaiseOption = False
    save: RecordsOption = None
    save_games: NumRecordsOption = 10
    dry_run: DryRunOption = False
    json: JsonOption = False


def run_arena(game: "Game[Any]", players: Sequence[str], games: int, options: ArenaOptions) -> None:
    """Play a contest at one table, or between all pairs of players, and print the result; status 1 if a player forfeited every game."""
    from meldlab.arena.contest import play_contest
    from meldlab.arena.processes import RecordSink
    from meldlab.arena.round_robin import round_robin
    from meldlab.play import TimeLimit

    if len(players) < 2:
        raise NotLegalHere("an arena needs two players or more")
    in_pairs = options.pairs or len(players) > game.seats[-1]
    total = games * (len(players) * (len(players) - 1) // 2 if in_pairs else 1)
    if options.dry_run:
        from meldlab.dry_run import contest_cost

        line_ups = list(combinations(players, 2)) if in_pairs else [players]
        cost = contest_cost(game, line_ups, games, options.threads)
        print_estimate(f"{total:,} game{'s' * (total > 1)} of {game.name}", cost, options.json)
        return
    play: Any = round_robin if in_pairs else play_contest
    records = Records(options.save, options.save_games)
    on_interrupt(lambda: f"{records}; counts are not saved" if records.files else DRY_RUN)
    with tracebacks(options.raise_errors), progress_bar(f"{game.name}, games") as show:
        result = play(
            game,
            players,
            games,
            options.seed,
            threads=options.threads,
            time_limit=TimeLimit(options.seconds_per_move, options.seconds_per_game),
            raise_errors=options.raise_errors,
            progress=show,
            records=RecordSink(records.max_files, records.take),
        )
    if options.json:
        print_json({**result.as_json(), **({"records": records.files} if records.files else {})})
    else:
        (print_round_robin if in_pairs else print_contest)(result)
    if records.files and not options.json:
        print(f"{records}; 'meldlab replay {records.files[0]}' shows {'the first' if len(records.files) > 1 else 'it'}.")
    end_with_forfeits(result.contests if in_pairs else [result])


class Records:
    """Records of games in a file or in a folder of their own; existing files are never overwritten."""

    def __init__(self, path: Path | None, games: int) -> None:
        self.path, self.files = path, list[Path]()
        self.single = path is not None and path.suffix == ".toml"
        self.max_files = 0 if path is None else 1 if self.single else games
        if path is None:
            return
        if path.exists() and (self.single or not path.is_dir() or any(path.iterdir())):
            raise NotLegalHere(f"{path} exists already; name a new {'file' if self.single else 'folder'}")
        # Before anything is played: an hour of games must not be lost at the end.
        with write_errors(path):
            if self.single:
                path.touch(exist_ok=False)
                path.unlink()
            else:
                path.mkdir(parents=True, exist_ok=True)

    def __str__(self) -> str:
        return f"{len(self.files)} records are in {self.path}" if len(self.files) > 1 else f"A record is in {self.files[0]}"

    def take(self, record: "Record") -> None:
        """Write a record."""
        assert self.path is not None
        if self.single and self.files:
            return
        path = self.path if self.single else self.path / f"game-{len(self.files) + 1:04}.toml"
        with replace_file(path) as file:
            file.write(str(record).encode())
        self.files.append(path)


def print_contest(contest: "ContestResult") -> None:
    """Print the win rate and score of each player with 95 % intervals."""
    print(contest.title, *aligned(contest.rows()), sep="\n")
    if contest.sign_test is not None:
        more, less = contest.deals_ahead
        p = f"{contest.sign_test:.2g}" if contest.sign_test >= 1e-12 else "below 1e-12"
        print(f"{contest.players[0]} won more than its share of {more:,} deals, less of {less:,}: exact sign test p = {p}")
    if len(contest.players) > 1:
        print(f"{contest.players[0]} scores better than the others by {contest.score_margin}")
    for name, count in contest.count_types.items():
        # A player that does not search has no simulations, nor counts per simulation.
        if not contest.total(name if count.per == "games" else count.per):
            continue
        values: list[Interval] = [contest.count(name, player) for player in range(len(contest.players) if count.by_seat else 1)]
        print(f"{f'{name}/{count.per[:-1]}':16} {'   '.join(map(str, values))}")
    print(f"{contest.seconds:.1f} s, {contest.games / max(contest.seconds, 1e-9):,.0f} games/s")
    print_failures(contest)


def print_failures(contest: "ContestResult") -> None:
    """Print how many games did not end by their rules, with the first few reasons."""
    from meldlab.arena.contest import MAX_FAILURES

    for failure in contest.failures[:MAX_FAILURES]:
        print(f"{failure.games:,} {'game' if failure.games == 1 else 'games'}, the first is game {failure.first}: {failure.why}")
    if len(contest.failures) > MAX_FAILURES:
        print(f"... and {len(contest.failures) - MAX_FAILURES:,} other reasons")


def end_with_forfeits(contests: "Sequence[ContestResult]") -> None:
    """Print on stderr which players forfeited games; exit with status 1 if one forfeited every game it played."""
    played, forfeited, reasons = Counter[str](), Counter[str](), dict[str, str]()
    for contest in contests:
        for player, name in enumerate(contest.players):
            own = sorted((failure for failure in contest.failures if failure.player == player), key=lambda failure: failure.first)
            played[name] += contest.games
            forfeited[name] += contest.forfeits(player)
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
    """Print ratings, how well they fit, then every pairing."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    table = Table("player", "rating", title="Bradley-Terry, 95 %, by drawing deals again", title_justify="left")
    for player in robin.ratings.players:
        table.add_row(Text(player.name), player.text)
    console.print(table)
    worst, cycle = robin.ratings.misfit, robin.ratings.cycle
    fit = f"the ratings fit {worst.first} against {worst.second} worst: {worst.played} won, {worst.expected:.3f} by the ratings"
    verdict = "; one number for each player does not explain these games" if worst.significant else ""
    console.print(f"{fit}{verdict}", markup=False, soft_wrap=True)
    if cycle:
        beats = ", ".join(f"{winner} beats {loser}" for winner, loser in zip(cycle, (*cycle[1:], cycle[0]), strict=True))
        console.print(f"these players are not transitive: {beats}", markup=False, soft_wrap=True)
    pairs = Table("first", "second", "won by the first", "sign test p")
    for contest in robin.contests:
        p = "" if contest.sign_test is None else f"{contest.sign_test:.2g}"
        pairs.add_row(*map(Text, contest.players), str(contest.win_rate()), p)
    console.print(pairs)
    for contest in robin.contests:
        print_failures(contest)

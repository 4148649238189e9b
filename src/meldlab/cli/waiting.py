"""``meldlab waiting``: expected turns to a complete hand, exact, for every hand of three to ten cards."""

import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from meldlab.cache import replace_file
from meldlab.cli.interruption import AGAIN, DRY_RUN, NOTHING, on_interrupt
from meldlab.cli.options import (
    AcesOption,
    Commands,
    DeviceOption,
    DryRunOption,
    JsonOption,
    SeedOption,
    ThreadsOption,
    out_file,
    out_folder,
)
from meldlab.cli.output import print_estimate, print_files, print_json
from meldlab.cli.progress import progress_bar, tracked
from meldlab.errors import BadText, NoSuchThing, NotLegalHere, NotPossible

if TYPE_CHECKING:
    from meldlab.cards import Hand
    from meldlab.waiting import Solution, WaitingGame
    from meldlab.waiting.distribution import DistributionSummary

app = Commands(epilog="Example: meldlab waiting solve --cards 4 --aces both")

CardsOption = Annotated[int, typer.Option("--cards", help="Cards in a hand, 3 to 10.")]
GoalOption = Annotated[str, typer.Option("--goal", metavar="gin|knock:K", help="Every card melded, or deadwood at most K.")]
DeadOption = Annotated[str, typer.Option("--dead", metavar="CARDS", help="Cards out of play, such as '2H 2D'.")]
LoadOption = Annotated[Path | None, typer.Option("--load", help="File with a solved table, read instead of solving.")]
HandArgument = Annotated[list[str], typer.Argument(metavar="CARDS", help="Cards, such as AC QH KD.")]
GamesOption = Annotated[int, typer.Option("--games", help="Games to play.")]
FIGURES = (*map(str, range(1, 13)), "theorem-4", "knowledge")
FORMATS = ("svg", "png")
SUMMARY = ("hands", "goal_hands", "distinct_values", "mean", "max", "worst", "best")  # of the answer as JSON


@dataclass(frozen=True)
class GameOptions:
    """Options for the game."""

    aces: AcesOption = "low"
    goal: GoalOption = "gin"
    dead: DeadOption = ""

    def game(self, cards: int) -> "WaitingGame":
        """Return the game of hands of some cards."""
        from meldlab.cards import Hand
        from meldlab.waiting import Goal, WaitingGame

        return WaitingGame(cards, self.aces, Goal.parse(self.goal), Hand.parse(self.dead))


def say_checkpoint(game: "WaitingGame", otherwise: str = NOTHING) -> None:
    """Let the line of an interrupt name the checkpoint of the solve; without one it is ``otherwise``."""
    from meldlab.waiting.storage import checkpoint_path

    on_interrupt(lambda: f"a checkpoint is saved in the cache; {AGAIN}" if checkpoint_path(game).exists() else otherwise)


@app.command()
def solve(
    cards: CardsOption,
    options: GameOptions,
    device: DeviceOption = "auto",
    threads: ThreadsOption = 0,
    save: Annotated[Path | None, out_file("File for the table of all hands.", name="--save")] = None,
    precision: Annotated[Literal["f64", "f32", "u16"], typer.Option("--precision", help="Number format of the file of --save.")] = "f64",
    load: LoadOption = None,
    refresh: Annotated[bool, typer.Option("--refresh", help="Solve again, even if the table is in the cache.")] = False,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> None:
    """Solve the game for every hand, or read its table from the cache, and print a summary. A killed solve resumes.

    Example: meldlab waiting solve --cards 4 --aces both
    """
    from meldlab.waiting import storage
    from meldlab.waiting.solver import solve_cost, verify_device

    game = options.game(cards)
    if load is not None and (device != "auto" or threads or refresh):
        raise NotLegalHere("--load reads a solved table: leave out --device, --threads and --refresh")
    if save is None and precision != "f64":
        raise NotLegalHere("--precision is that of the file: name one with --save")
    if dry_run:
        if load is not None or save is not None:
            raise NotLegalHere("--dry-run solves nothing: leave out --load and --save")
        print_estimate(f"solving {game}", solve_cost(game, device, threads or None), json)
        return
    verify_device(device, threads or None)
    solution, source = None, ""
    if load is not None:
        solution = storage.load(load, game)
    elif not refresh and (cached := storage.load_cached(game)):
        solution, source = cached[0], f", on {cached[1]}; from the cache, --refresh solves again"
    if solution is None:
        say_checkpoint(game, DRY_RUN)
        with progress_bar(f"solving {game}") as progress:
            solution = storage.solve_cached(game, device, threads or None, progress, refresh=True)
    if save is not None:
        error = storage.save(solution, save, precision)
        print(f"saved {save} ({precision}, {save.stat().st_size:,} bytes, rounded by at most {error:.1e})", file=sys.stderr)
    summary = solution.summary()
    if json:
        of_summary = {name: getattr(summary, name) for name in SUMMARY}
        of_solution = {name: getattr(solution, name) for name in ("sweeps", "seconds", "device", "residual")}
        print_json({"cards": cards, "aces": game.aces, "goal": game.goal, **of_summary, **of_solution, "cached": bool(source)})
        return
    print(f"{game}: {summary.hands:,} hands, {summary.goal_hands:,} at the goal")
    print(f"mean {summary.mean:.10f} turns, at most {summary.max:.10f} ({summary.worst_hands} hands like {summary.worst})")
    # Doubles cannot distinguish all values; 'waiting classes' counts those of three cards in fractions.
    distinct = f"; {summary.distinct_values:,} values more than 1e-9 apart" if summary.distinct_values is not None else ""
    print(f"best hand short of the goal: {summary.best}, {solution.turns(summary.best):.4f}{distinct}")
    print(f"solved in {solution.seconds:.2f} s on {solution.device}, residual {solution.residual:.1e}{source}")


def _solution(hand: "Hand", more: int, options: GameOptions, device: str, file: Path | None = None) -> "Solution":
    from meldlab.waiting.storage import load, solve_cached

    game = options.game(len(hand) - more)
    if file is not None:
        if device != "auto":
            raise NotLegalHere("--load reads a solved table: leave out --device")
        return load(file, game)
    say_checkpoint(game)
    with progress_bar(f"solving {game}") as progress:
        return solve_cached(game, device, progress=progress)


def _parse_hand(words: list[str], minimum: int) -> "Hand":
    from meldlab.cards import Hand

    text = " ".join(words)
    hand = Hand.parse(text)
    if not minimum <= len(hand) <= minimum + 7:
        raise BadText(f"expected {minimum} to {minimum + 7} cards, got {len(hand)}", text, 0)
    return hand


@app.command()
def hand(
    cards: HandArgument,
    options: GameOptions,
    upcard: Annotated[str | None, typer.Option("--upcard", metavar="CARD", help="Face-up card to take or to leave.")] = None,
    device: DeviceOption = "auto",
    load: LoadOption = None,
    json: JsonOption = False,
) -> None:
    """Print the expected turns of a hand, their distribution, and the best discard for every card that may be drawn.

    Example: meldlab waiting hand AC QH KD
    """
    from meldlab.cards import Card
    from meldlab.waiting.distribution import QUANTILES

    held, face_up = _parse_hand(cards, 3), None if upcard is None else Card.parse(upcard)
    solution = _solution(held, 0, options, device, load)
    draws = list(solution.draws(held))
    expected = solution.turns(held)
    choice = None if face_up is None else solution.upcard_choice(held, face_up)
    if json:
        from meldlab.schemas.waiting import HandAnswer

        summary = _summary(solution, held, cached=load is None)
        quantiles = {str(part): turns for part, turns in zip(QUANTILES, summary.quantiles, strict=True)}
        answer = {"expected": expected, "sd": summary.sd, "quantiles": quantiles, "draws": draws, "upcard": choice}
        print_json(HandAnswer.model_validate(answer))
        return
    from rich.console import Console

    from meldlab.cli.pictures import card_column, cards_text

    console = Console(highlight=False)
    if expected == 0:
        console.print(cards_text(held), f" has reached its goal ({solution.game.goal}): no turns are left")
        return
    console.print(cards_text(held), f" {expected:.6f} turns on average")
    if choice is not None:
        console.print(
            f"upcard {face_up}: {'take it' if choice.take else 'draw'} ({choice.taken:.4f} turns if taken, {choice.drawn:.4f} if drawn)"
        )
    useful = sorted((draw for draw in draws if draw.discard != draw.draw), key=lambda draw: draw.expected)
    console.print(f"{len(useful)} of {len(draws)} cards help{'; throw any other back' if len(useful) < len(draws) else ''}:")
    drawn, thrown = card_column(draw.draw for draw in useful), card_column(draw.discard for draw in useful)
    for draw, card, discard in zip(useful, drawn, thrown, strict=True):
        console.print("  draw", card, " throw", discard, f" {draw.expected:10.4f} ({draw.expected - expected:+.4f})")
    # The first request for a large hand takes some seconds from here on.
    sys.stdout.flush()
    summary = _summary(solution, held, cached=load is None)
    parts = ", ".join(f"{turns} turns in {part:.0%}" for part, turns in zip(QUANTILES, summary.quantiles, strict=True))
    console.print(f"standard deviation {summary.sd:.3f}; within {parts}")


def _summary(solution: "Solution", held: "Hand", cached: bool) -> "DistributionSummary":
    """Return the summary of the distribution of turns: with ``cached`` from the cache, else computed and cached."""
    from meldlab.waiting.distribution import DistributionSummary, TurnDistribution

    if cached and (known := DistributionSummary.load(solution, held)):
        return known
    with progress_bar("listing the hands in between") as progress:
        turns = TurnDistribution.from_hand(solution, held, progress)
    with progress_bar("following the best policy") as progress:
        summary = DistributionSummary.from_distribution(turns, progress)
    if cached:
        summary.save(solution, held)
    return summary


@app.command()
def discard(
    cards: HandArgument,
    options: GameOptions,
    device: DeviceOption = "auto",
    load: LoadOption = None,
    json: JsonOption = False,
) -> None:
    """Print the best discard from a hand with one card too many, and the cost of every other discard.

    Example: meldlab waiting discard AC QH KD QD
    """
    held = _parse_hand(cards, 4)
    discards = _solution(held, 1, options, device, load).discards(held)
    if json:
        from meldlab.schemas.waiting import DiscardAnswer

        answers = [DiscardAnswer(discard=str(discard.card), expected=discard.expected, cost=discard.cost) for discard in discards]
        print_json({"discards": [answer.model_dump() for answer in answers]})
        return
    from rich.console import Console

    from meldlab.cli.pictures import card_column

    console = Console(highlight=False)
    for discard, card in zip(discards, card_column(discard.card for discard in discards), strict=True):
        console.print("throw", card, f" {discard.expected:10.4f} turns  {discard.cost:+.4f}")


@app.command()
def approximate(
    cards: CardsOption,
    aces: AcesOption = "low",
    tolerance: Annotated[float, typer.Option("--tolerance", help="Turns within which hands are locked together.")] = 1.0,
    json: JsonOption = False,
) -> None:
    """Run the thesis's own algorithm: lock cohorts of hands within a tolerance, and compare with the exact values.

    Example: meldlab waiting approximate --cards 3 --tolerance 0.5
    """
    from meldlab.reproduce.cohorts import approximate as run
    from meldlab.reproduce.cohorts import verify
    from meldlab.waiting import WaitingGame
    from meldlab.waiting.storage import solve_cached

    game = WaitingGame(cards, aces)
    verify(game, tolerance)
    result = run(game, tolerance, solve_cached(game))
    if json:
        cohorts = [{"hands": cohort.hands, "like": str(cohort.like), "expected": cohort.expected} for cohort in result.cohorts]
        errors = {"max_error": result.max_error, "mean_error": result.mean_error, "seconds": result.seconds}
        print_json({"cohorts": cohorts, "count": len(cohorts), **errors})
        return
    total = 0
    for cohort in result.cohorts:
        total += cohort.hands
        print(f"{cohort.hands:7,} hands like {cohort.like!s:12} with E = {cohort.expected:.10f} ({total:,} in all)")
    errors_text = f"error at most {result.max_error:.3g}, on average {result.mean_error:.3g}"
    print(f"{len(result.cohorts)} cohorts in {result.seconds:.2f} s; {errors_text}")


@app.command()
def classes(aces: AcesOption = "low", json: JsonOption = False) -> None:
    """Count the classes of equal E of the three-card game, in exact fractions.

    Example: meldlab waiting classes --aces both
    """
    from meldlab.waiting import WaitingGame
    from meldlab.waiting.exact import draw_graph, exact_values

    values = sorted(set(exact_values(draw_graph(WaitingGame(3, aces)))))
    gap = min(after - before for before, after in pairwise(values))
    if json:
        print_json({"classes": len(values), "smallest_gap": float(gap), "max": str(values[-1])})
        return
    print(
        f"{len(values)} classes of equal E in exact fractions, the hands at the goal included; the closest two are {float(gap):.2e} apart"
    )
    print(f"the largest is {values[-1]}")


@app.command("table")
def write_table(
    cards: CardsOption,
    options: GameOptions,
    out: Annotated[Path | None, out_file("File to write; the terminal by default.")] = None,
) -> None:
    """Print every class of hands as CSV: hand, number of hands, expected turns, standard deviation, median (up to 5 cards).

    Example: meldlab waiting table --cards 3 --out three.csv
    """
    from meldlab.cards import Hand
    from meldlab.reports.rows import csv_text
    from meldlab.waiting.distribution import MAX_CARDS_AT_ONCE, TurnDistribution
    from meldlab.waiting.storage import solve_cached

    game = options.game(cards)
    if cards > MAX_CARDS_AT_ONCE:
        raise NotPossible(f"all hands are listed up to {MAX_CARDS_AT_ONCE} cards; ask for one of {cards} with 'waiting hand'")
    solution = solve_cached(game)
    turns = TurnDistribution.from_all_hands(solution)
    masks, hands, expected = solution.rows()
    columns = (map(Hand.from_mask, masks.tolist()), hands, expected, turns.sds(), turns.quantiles(0.5))
    text = csv_text([("hand", "hands", "expected", "sd", "median"), *zip(*columns, strict=True)], digits=12)
    if out is None:
        print(text, end="")
        return
    with replace_file(out) as file:
        file.write(text.encode())


@app.command()
def simulate(
    cards: HandArgument,
    aces: AcesOption = "low",
    goal: GoalOption = "gin",
    device: DeviceOption = "auto",
    games: GamesOption = 100_000,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Play games from a hand by the best policy, with the bag of the model and with a real deck and an opponent.

    Example: meldlab waiting simulate AC QH KD --games 10000
    """
    from meldlab.waiting.simulation import play_bag, play_deck

    held = _parse_hand(cards, 3)
    solution = _solution(held, 0, GameOptions(aces, goal), device)
    bag, deck = play_bag(solution, held, games, seed), play_deck(solution, held, games, seed)
    answer = {
        "expected": solution.turns(held),
        "bag": {"mean": bag.mean, "ci95": bag.interval.ends},
        "deck": {"mean": deck.mean, "ci95": deck.interval.ends},
        "games": games,
    }
    if json:
        print_json(answer)
        return
    print(f"{held}: {solution.turns(held):.4f} turns by the model")
    for name, run in (("bag", bag), ("deck", deck)):
        print(f"{name:5} {run.mean:9.4f} ({run.interval.low:.4f} to {run.interval.high:.4f}) over {games:,} games")


@app.command()
def figures(
    out: Annotated[Path, out_folder("Folder to write; created if needed.")],
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar=f"[{'|'.join(FIGURES)}]", help="Figure to draw; all by default; may be repeated.")
    ] = None,
    format: Annotated[
        list[str] | None, typer.Option("--format", metavar="[svg|png]", help="Picture format; svg by default; may be repeated.")
    ] = None,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Draw figures 1 to 12 of Finkle's thesis from our data, Theorem 4, and win rate against knowledge, with their numbers as CSV.

    Example: meldlab waiting figures --out figures --only 1 --only 7
    """
    for kind, values, known in (("figure", only, FIGURES), ("picture format", format, FORMATS)):
        for value in values or ():
            if value not in known:
                raise NoSuchThing(kind, value, known)
    from meldlab.reports import save
    from meldlab.reproduce.finkle_figures import draw_figure

    names = [name for name in FIGURES if not only or name in only]
    files: dict[Path, None] = {}
    on_interrupt(lambda: f"{len(files)} files are in {out}; --only draws the others" if files else NOTHING)
    for name in tracked(names, len(names), "drawing"):
        plot = draw_figure(name, seed)
        stem = f"waiting-figure-{name}" if name.isdigit() else f"waiting-{name}"
        for kind in dict.fromkeys(format or ["svg"]):
            files.update(dict.fromkeys(save(*plot, out / f"{stem}.{kind}")))
    print_files(list(files), json)

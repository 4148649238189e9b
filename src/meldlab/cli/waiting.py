"""``meldlab waiting``: expected turns to a complete hand, exact, for every hand of three to ten cards."""

import csv
import io
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.cache import write_whole
from meldlab.cli import waiting_figures
from meldlab.cli.options import AcesOption, JsonOption, SeedOption, print_json
from meldlab.cli.progress import progress_bar
from meldlab.errors import BadText, NotLegalHere

if TYPE_CHECKING:
    from meldlab.cards import Hand
    from meldlab.waiting import Solution, Waiting

__all__ = ["app"]

app = typer.Typer(name="waiting", help="How many turns until a hand is complete? Exact, for 3 to 10 cards.", no_args_is_help=True)
app.command("figures")(waiting_figures.figures)

CardsOption = Annotated[int, typer.Option("--cards", help="Cards in a hand, 3 to 10.")]
GoalOption = Annotated[str, typer.Option("--goal", help="gin (every card melded) or knock:K (deadwood at most K).")]
DeadOption = Annotated[str, typer.Option("--dead", help="Cards that are out of play, such as '2H 2D'.")]
LoadOption = Annotated[Path | None, typer.Option("--load", help="Read the table from this file instead of solving.")]
ThreadsOption = Annotated[int | None, typer.Option("--threads", help="Threads to use (all by default).")]
HandArgument = Annotated[list[str], typer.Argument(help="Cards, such as 'AC QH KD'.")]
GamesOption = Annotated[int, typer.Option("--games", help="Games to play.")]


def _game(cards: int, aces: str, goal: str, dead: str) -> "Waiting":
    from meldlab.cards import Hand
    from meldlab.waiting import Goal, Waiting

    return Waiting(cards, aces, Goal.parse(goal), Hand.parse(dead))


def _find(hand: "Hand", more: int, aces: str, goal: str, dead: str, load: Path | None) -> "Solution":
    from meldlab.waiting.kept import cached_solution

    game = _game(len(hand) - more, aces, goal, dead)
    with progress_bar(f"solving {game}") as progress:
        return cached_solution(game, load, progress)


def _hand(words: list[str], least: int) -> "Hand":
    from meldlab.cards import Hand

    text = " ".join(words)
    hand = Hand.parse(text)
    if not least <= len(hand) <= least + 7:
        raise BadText(f"{len(hand)} cards where {least} to {least + 7} are wanted", text, 0)
    return hand


@app.command("solve")
def solve(
    cards: CardsOption,
    aces: AcesOption = "low",
    goal: GoalOption = "gin",
    dead: DeadOption = "",
    device: Annotated[str, typer.Option("--device", help="cpu, cuda or auto.")] = "auto",
    threads: ThreadsOption = None,
    save: Annotated[Path | None, typer.Option("--save", help="Write the table of all hands to this file.")] = None,
    precision: Annotated[str, typer.Option("--precision", help="f64, f32 or u16, for --save.")] = "f64",
    load: LoadOption = None,
    json: JsonOption = False,
) -> None:
    """Solve the game for every hand and print what comes out. A solve that was killed goes on where it stopped.

    Example: meldlab waiting solve --cards 4 --aces both
    """
    from meldlab.waiting import kept
    from meldlab.waiting.kept import cached_solution, solve_and_keep

    game = _game(cards, aces, goal, dead)
    if load is not None and (device != "auto" or threads is not None):
        raise NotLegalHere("--load reads what is solved already: leave out --device and --threads")
    if precision not in kept.PRECISIONS:
        from meldlab.errors import NoSuchThing

        raise NoSuchThing("precision", precision, kept.PRECISIONS)
    if save is None and precision != "f64":
        raise NotLegalHere("--precision is that of the file: name one with --save")
    with progress_bar(f"solving {game}") as progress:
        solution = cached_solution(game, load) if load is not None else solve_and_keep(game, device, threads, progress)
    if save is not None:
        error = kept.save(solution, save, precision)
        print(f"saved {save} ({precision}, {save.stat().st_size:,} bytes, rounded by at most {error:.1e})", file=sys.stderr)
    summary = solution.summary()
    answer: dict[str, Any] = {
        "cards": cards,
        "aces": str(game.aces),
        "goal": str(game.goal),
        "hands": summary.hands,
        "goal_hands": summary.goal_hands,
        "classes": summary.distinct_values,
        "mean": summary.mean,
        "max": summary.max,
        "worst": str(summary.worst),
        "best": str(summary.best),
        "sweeps": solution.sweeps,
        "seconds": solution.seconds,
        "device": solution.device,
        "residual": solution.residual,
    }
    if json:
        print_json(answer)
        return
    print(f"{game}: {summary.hands:,} hands, {summary.goal_hands:,} at the goal")
    print(f"mean {summary.mean:.10f} turns, at most {summary.max:.10f} ({summary.worst_hands} hands like {summary.worst})")
    # Doubles cannot tell all values apart; 'waiting classes' counts those of three cards in fractions.
    counted = f"; {summary.distinct_values:,} values more than 1e-9 apart" if summary.distinct_values is not None else ""
    print(f"best hand on the way: {summary.best}, {solution.turns(summary.best):.4f}{counted}")
    print(f"solved in {solution.seconds:.2f} s on {solution.device}, residual {solution.residual:.1e}")


@app.command("hand")
def hand(
    cards: HandArgument,
    aces: AcesOption = "low",
    goal: GoalOption = "gin",
    dead: DeadOption = "",
    upcard: Annotated[str | None, typer.Option("--upcard", help="Say whether to take this face-up card or to draw.")] = None,
    load: LoadOption = None,
    json: JsonOption = False,
) -> None:
    """Say how long a hand will take, how much that spreads, and what to do with every card that may come.

    Example: meldlab waiting hand "AC QH KD"
    """
    from meldlab.cards import Card
    from meldlab.waiting.waiting_time import QUANTILES, WaitingTime

    held = _hand(cards, 3)
    solution = _find(held, 0, aces, goal, dead, load)
    with progress_bar("listing the hands on the way") as progress:
        waited = WaitingTime.from_hand(solution, held, progress)
    with progress_bar("following the best policy") as progress:
        waited.quantile(max(QUANTILES), progress)
    quantiles = {str(part): waited.quantile(part) for part in QUANTILES}
    answers = list(solution.draws(held))
    expected = solution.turns(held)
    answer: dict[str, Any] = {"expected": expected, "sd": waited.deviation(), "quantiles": quantiles}
    if upcard is not None:
        take, taken, drawn = solution.takes(held, Card.parse(upcard))
        answer["upcard"] = {"take": take, "taken": taken, "drawn": drawn}
    answer["draws"] = [{"draw": str(one.draw), "discard": str(one.discard), "expected": one.expected} for one in answers]
    if json:
        print_json(answer)
        return
    from rich.console import Console

    from meldlab.cli.pictures import cards_text

    console = Console(highlight=False)
    console.print(cards_text(held), f" {expected:.6f} turns on average, standard deviation {waited.deviation():.3f}")
    console.print("within " + ", ".join(f"{turns} turns in {float(part):.0%}" for part, turns in quantiles.items()))
    if upcard is not None:
        console.print(f"upcard {upcard}: {'take it' if take else 'draw'} ({taken:.4f} turns if taken, {drawn:.4f} if drawn)")
    useful = [one for one in answers if one.discard != one.draw]
    if expected == 0:
        console.print("the hand has reached its goal")
        return
    console.print(f"{len(useful)} of {len(answers)} cards help{'; throw any other back' if len(useful) < len(answers) else ''}:")
    for one in sorted(useful, key=lambda one: one.expected):
        console.print(
            "  draw", cards_text([one.draw]), " throw", cards_text([one.discard]), f" {one.expected:10.4f} ({one.expected - expected:+.4f})"
        )


@app.command("discard")
def discard(
    cards: HandArgument,
    aces: AcesOption = "low",
    goal: GoalOption = "gin",
    dead: DeadOption = "",
    load: LoadOption = None,
    json: JsonOption = False,
) -> None:
    """Say what to throw from a hand with one card too many, and what every other discard costs.

    Example: meldlab waiting discard "AC QH KD QD"
    """
    held = _hand(cards, 4)
    found = _find(held, 1, aces, goal, dead, load).discards(held)
    if json:
        print_json({"discards": [{"discard": str(one.card), "expected": one.expected, "cost": one.cost} for one in found]})
        return
    for one in found:
        print(f"throw {one.card}  {one.expected:10.4f} turns  {one.cost:+.4f}")


@app.command("approximate")
def approximate(
    cards: CardsOption,
    aces: AcesOption = "low",
    tolerance: Annotated[float, typer.Option("--tolerance", help="Turns within which hands are locked in together.")] = 1.0,
    json: JsonOption = False,
) -> None:
    """Run the thesis's own algorithm: lock in cohorts of hands within a tolerance, and compare with the exact values.

    Example: meldlab waiting approximate --cards 3 --tolerance 0.5
    """
    from meldlab.waiting.cohorts import approximate as run
    from meldlab.waiting.cohorts import verify
    from meldlab.waiting.kept import cached_solution

    game = _game(cards, aces, "gin", "")
    verify(game, tolerance)
    done = run(game, tolerance, cached_solution(game))
    if json:
        cohorts = [{"hands": one.hands, "like": str(one.like), "expected": one.expected} for one in done.cohorts]
        print_json(
            {
                "cohorts": cohorts,
                "count": len(cohorts),
                "max_error": done.max_error,
                "mean_error": done.mean_error,
                "seconds": done.seconds,
            }
        )
        return
    total = 0
    for one in done.cohorts:
        total += one.hands
        print(f"{one.hands:7,} hands like {one.like!s:12} with E = {one.expected:.10f} ({total:,} in all)")
    print(f"{len(done.cohorts)} cohorts in {done.seconds:.2f} s; error at most {done.max_error:.3g}, on average {done.mean_error:.3g}")


@app.command("classes")
def classes(aces: AcesOption = "low", json: JsonOption = False) -> None:
    """Count the classes of equal E of the three-card game, in exact fractions.

    Example: meldlab waiting classes --aces both
    """
    from meldlab.waiting import Waiting
    from meldlab.waiting.rational import exact_values

    values = sorted(set(exact_values(Waiting(3, aces))))
    gap = min(after - before for before, after in pairwise(values))
    if json:
        print_json({"classes": len(values), "smallest_gap": float(gap), "max": str(values[-1])})
        return
    print(f"{len(values)} different values of E, the hands at the goal included; the closest two are {float(gap):.2e} apart")
    print(f"the largest is {values[-1]}")


@app.command("table")
def write_table(
    cards: CardsOption,
    aces: AcesOption = "low",
    goal: GoalOption = "gin",
    dead: DeadOption = "",
    out: Annotated[Path | None, typer.Option("--out", help="Write to this file instead of the terminal.")] = None,
) -> None:
    """Print every class of hands as CSV: hand, number of hands, expected turns, standard deviation, median (up to 5 cards).

    Example: meldlab waiting table --cards 3 --out three.csv
    """
    from meldlab.cards import Hand
    from meldlab.waiting.kept import cached_solution
    from meldlab.waiting.waiting_time import MOST_AT_ONCE, WaitingTime

    game = _game(cards, aces, goal, dead)
    if cards > MOST_AT_ONCE:
        raise NotLegalHere(f"all hands are listed up to {MOST_AT_ONCE} cards; ask for one of {cards} with 'waiting hand'")
    solution = cached_solution(game)
    waited = WaitingTime.of_all_hands(solution)
    masks, hands, expected = solution.rows()
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["hand", "hands", "expected", "sd", "median"])
    for row in zip(masks, hands, expected, waited.deviations(), waited.quantiles(0.5), strict=True):
        writer.writerow([Hand.from_mask(int(row[0])), row[1], f"{row[2]:.12g}", f"{row[3]:.12g}", row[4]])
    if out is None:
        print(text.getvalue(), end="")
        return
    with write_whole(out) as file:
        file.write(text.getvalue().encode())


@app.command("simulate")
def simulate(
    cards: HandArgument,
    aces: AcesOption = "low",
    goal: GoalOption = "gin",
    games: GamesOption = 100_000,
    seed: SeedOption = 1,
    json: JsonOption = False,
) -> None:
    """Play a hand many times by the best policy, with the bag of the model and with a real deck and an opponent.

    Example: meldlab waiting simulate "AC QH KD" --games 10000
    """
    from meldlab.waiting.simulation import play_bag, play_deck

    held = _hand(cards, 3)
    solution = _find(held, 0, aces, goal, "", None)
    bag, deck = play_bag(solution, held, games, seed), play_deck(solution, held, games, seed)
    answer = {
        "expected": solution.turns(held),
        "bag": {"mean": bag.mean, "ci95": bag.interval},
        "deck": {"mean": deck.mean, "ci95": deck.interval},
        "games": games,
    }
    if json:
        print_json(answer)
        return
    print(f"{held}: {solution.turns(held):.4f} turns by the model")
    for name, run in (("bag", bag), ("deck", deck)):
        print(f"{name:5} {run.mean:9.4f} ({run.interval[0]:.4f} to {run.interval[1]:.4f}) over {games:,} games")

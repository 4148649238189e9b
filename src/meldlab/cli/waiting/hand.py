"""``meldlab waiting hand``, ``discard`` and ``simulate``: one hand."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.options import AcesOption, DeviceOption, JsonOption, SeedOption
from meldlab.cli.output import print_json
from meldlab.cli.progress import progress_bar
from meldlab.cli.waiting.options import DeadOption, GoalOption, LoadOption, read_game, say_checkpoint
from meldlab.errors import BadText, NotLegalHere

if TYPE_CHECKING:
    from meldlab.cards import Hand
    from meldlab.waiting import Solution
    from meldlab.waiting.distribution import DistributionSummary

HandArgument = Annotated[list[str], typer.Argument(metavar="CARDS", help="Cards, such as AC QH KD.")]
GamesOption = Annotated[int, typer.Option("--games", help="Games to play.")]


def _solution(hand: "Hand", more: int, aces: str, goal: str, dead: str, device: str, file: Path | None = None) -> "Solution":
    from meldlab.waiting.storage import load, solve_cached

    game = read_game(len(hand) - more, aces, goal, dead)
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


def hand(
    cards: HandArgument,
    aces: AcesOption = "low",
    goal: GoalOption = "gin",
    dead: DeadOption = "",
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
    solution = _solution(held, 0, aces, goal, dead, device, load)
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


def discard(
    cards: HandArgument,
    aces: AcesOption = "low",
    goal: GoalOption = "gin",
    dead: DeadOption = "",
    device: DeviceOption = "auto",
    load: LoadOption = None,
    json: JsonOption = False,
) -> None:
    """Print the best discard from a hand with one card too many, and the cost of every other discard.

    Example: meldlab waiting discard AC QH KD QD
    """
    held = _parse_hand(cards, 4)
    discards = _solution(held, 1, aces, goal, dead, device, load).discards(held)
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
    solution = _solution(held, 0, aces, goal, "", device)
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

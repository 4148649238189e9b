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
    from meldlab.waiting.spread import Spread

HandArgument = Annotated[list[str], typer.Argument(metavar="CARDS", help="Cards, such as AC QH KD.")]
GamesOption = Annotated[int, typer.Option("--games", help="Games to play.")]


def _find(hand: "Hand", more: int, aces: str, goal: str, dead: str, device: str, load: Path | None = None) -> "Solution":
    from meldlab.waiting.kept import cached_solution

    game = read_game(len(hand) - more, aces, goal, dead)
    if load is not None and device != "auto":
        raise NotLegalHere("--load reads what is solved already: leave out --device")
    say_checkpoint(game)
    with progress_bar(f"solving {game}") as progress:
        return cached_solution(game, load, device, progress)


def _hand(words: list[str], least: int) -> "Hand":
    from meldlab.cards import Hand

    text = " ".join(words)
    hand = Hand.parse(text)
    if not least <= len(hand) <= least + 7:
        raise BadText(f"{len(hand)} cards where {least} to {least + 7} are wanted", text, 0)
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
    """Say how long a hand will take, how much that spreads, and what to do with every card that may come.

    Example: meldlab waiting hand AC QH KD
    """
    from meldlab.cards import Card
    from meldlab.waiting.waiting_time import QUANTILES

    held, card = _hand(cards, 3), None if upcard is None else Card.parse(upcard)
    solution = _find(held, 0, aces, goal, dead, device, load)
    answers = list(solution.draws(held))
    expected = solution.turns(held)
    if card is not None:
        choice = solution.takes(held, card)
    if json:
        from meldlab.schemas.waiting import HandAnswer

        spread = _spread(solution, held, keep=load is None)
        quantiles = {str(part): turns for part, turns in zip(QUANTILES, spread.quantiles, strict=True)}
        answer = {"expected": expected, "sd": spread.deviation, "quantiles": quantiles, "draws": answers}
        print_json(HandAnswer.model_validate(answer | {"upcard": None if card is None else choice}))
        return
    from rich.console import Console

    from meldlab.cli.pictures import card_column, cards_text

    console = Console(highlight=False)
    if expected == 0:
        console.print(cards_text(held), f" has reached its goal ({solution.game.goal}): nothing is left to wait for")
        return
    console.print(cards_text(held), f" {expected:.6f} turns on average")
    if upcard is not None:
        console.print(
            f"upcard {card}: {'take it' if choice.take else 'draw'} ({choice.taken:.4f} turns if taken, {choice.drawn:.4f} if drawn)"
        )
    useful = [one for one in answers if one.discard != one.draw]
    console.print(f"{len(useful)} of {len(answers)} cards help{'; throw any other back' if len(useful) < len(answers) else ''}:")
    useful.sort(key=lambda one: one.expected)
    draws, discards = card_column(one.draw for one in useful), card_column(one.discard for one in useful)
    for one, draw, throw in zip(useful, draws, discards, strict=True):
        console.print("  draw", draw, " throw", throw, f" {one.expected:10.4f} ({one.expected - expected:+.4f})")
    # Large hands take some seconds from here on, when they are asked for the first time.
    sys.stdout.flush()
    spread = _spread(solution, held, keep=load is None)
    parts = ", ".join(f"{turns} turns in {part:.0%}" for part, turns in zip(QUANTILES, spread.quantiles, strict=True))
    console.print(f"standard deviation {spread.deviation:.3f}; within {parts}")


def _spread(solution: "Solution", held: "Hand", keep: bool) -> "Spread":
    """Return how the time spreads: what is kept of it, or worked out now and kept."""
    from meldlab.waiting.spread import Spread, keep_spread, kept_spread
    from meldlab.waiting.waiting_time import WaitingTime

    known = kept_spread(solution, held) if keep else None
    if known is not None:
        return known
    with progress_bar("listing the hands on the way") as progress:
        waited = WaitingTime.from_hand(solution, held, progress)
    with progress_bar("following the best policy") as progress:
        spread = Spread.of(waited, progress)
    if keep:
        keep_spread(solution, held, spread)
    return spread


def discard(
    cards: HandArgument,
    aces: AcesOption = "low",
    goal: GoalOption = "gin",
    dead: DeadOption = "",
    device: DeviceOption = "auto",
    load: LoadOption = None,
    json: JsonOption = False,
) -> None:
    """Say what to throw from a hand with one card too many, and what every other discard costs.

    Example: meldlab waiting discard AC QH KD QD
    """
    held = _hand(cards, 4)
    found = _find(held, 1, aces, goal, dead, device, load).discards(held)
    if json:
        from meldlab.schemas.waiting import DiscardAnswer

        answers = [DiscardAnswer(discard=str(discard.card), expected=discard.expected, cost=discard.cost) for discard in found]
        print_json({"discards": [answer.model_dump() for answer in answers]})
        return
    from rich.console import Console

    from meldlab.cli.pictures import card_column

    console = Console(highlight=False)
    for one, card in zip(found, card_column(one.card for one in found), strict=True):
        console.print("throw", card, f" {one.expected:10.4f} turns  {one.cost:+.4f}")


def simulate(
    cards: HandArgument,
    aces: AcesOption = "low",
    goal: GoalOption = "gin",
    device: DeviceOption = "auto",
    games: GamesOption = 100_000,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Play a hand many times by the best policy, with the bag of the model and with a real deck and an opponent.

    Example: meldlab waiting simulate AC QH KD --games 10000
    """
    from meldlab.waiting.simulation import play_bag, play_deck

    held = _hand(cards, 3)
    solution = _find(held, 0, aces, goal, "", device)
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

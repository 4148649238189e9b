"""``meldlab recycle play``: a person at one seat."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.cli.options import SeedOption, need_input, taking
from meldlab.cli.recycle.options import read_game
from meldlab.errors import MeldlabError, NotLegalHere

if TYPE_CHECKING:
    from meldlab.recycle.game import Described, State


@taking(described=read_game)
def play(
    described: "Described",
    seat: Annotated[int, typer.Option("--seat", min=1, help="Your seat.")] = 1,
    against: Annotated[str, typer.Option("--against", help="Who sits at the other seats: random, pimc:100, mcts:100 ...")] = "random",
    seed: SeedOption = 0,
) -> None:
    """Play a game yourself against random players or others; you see what your seat may see.

    Example: meldlab recycle play kuhn_poker --seat 1
    """
    from meldlab.play import Deal
    from meldlab.recycle.players.searching import Searcher, Study

    need_input()
    other = Searcher.parse(against)
    if other.level != "private":
        raise NotLegalHere("at this table nobody keeps a memory: play against private")
    study = Study(described.machine, [other] * described.machine.players)
    if seat > described.machine.players:
        raise NotLegalHere(f"{described.name} has seats 1 to {described.machine.players}, not {seat}")
    deal = Deal(seed)
    state, step = described.start(described.machine.players, deal), 0
    while (acting := state.seat) is not None:
        if acting == seat - 1:
            option = _ask(state, seat)
        else:
            options = list(state.legal_actions())
            if other.kind == "random":
                option = deal.chance(step, acting).pick(options)
            else:
                option = options[study.advise(state.position, deal.seed).option]
            print(f"p{acting + 1}: {state.heard(option, seat - 1)}")
        state, step = state.apply(option), step + 1
    result = state.result
    assert result is not None
    print("scores " + ", ".join(f"p{number} {score}" for number, score in enumerate(result.scores, 1)))
    winners = ", ".join(f"p{winner + 1}" for winner in result.winners)
    print(f"won by {winners}" if winners else result.reason)


def _ask(state: "State", seat: int) -> Any:
    """Show a person the table and the options, and read a choice."""
    view = state.view(seat - 1)
    print()
    for name, cards in view.places:
        print(f"  {name:24} {' '.join(cards) if len(set(cards)) > 1 or not cards[0].startswith('??') else f'{len(cards)} x {cards[0]}'}")
    if view.cells:
        print("  " + ", ".join(f"{name} {value}" for name, value in view.cells))
    for option in view.options:
        print(f"  {option.number:3}  {option}")
    while True:
        text = typer.prompt(f"p{seat}")
        try:
            return state.parse(text)
        except MeldlabError:
            print(f"  an option is a number from 1 to {len(view.options)}, or its words")

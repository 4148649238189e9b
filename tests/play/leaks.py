"""One leak test for every game: permute what a seat cannot see; its view, its actions and any player's choice stay the same.

def test_gin_leaks_nothing() -> None:
    assert_no_leaks(Gin(), [SimplePlayer(), SimplePlayer()], deals=20)
"""

from collections.abc import Sequence
from typing import Any, TypeVar

from meldlab.play import Chance, Deal, Game, Player, State, Table

S = TypeVar("S", bound=State[Any, Any])


def assert_no_leaks(game: Game[S], players: Sequence[Player[Any, Any]], deals: int, seed: int = 1, looks: int | None = None) -> None:
    """Play ``deals`` games; before every action, or about ``looks`` of a seat, show each seat the table with the unseen cards permuted."""
    permuted = 0
    for number in range(deals):
        steps = list(Table(game, players).steps(Deal(seed, number)))
        assert not steps[-1].forfeit, steps[-1].forfeit
        for acting in range(len(players)):
            own = [step for step in steps if step.seat == acting]
            for step in own[:: max(1, len(own) // looks) if looks else 1]:
                chance = Deal(seed, number).chance(step.number, acting)
                permuted += sum(_same_to_seat(step.before, seat, players, chance, step.number) for seat in range(len(players)))
    assert permuted > 0, "no state had anything hidden: the test tested nothing"


def _same_to_seat(state: S, seat: int, players: Sequence[Player[Any, Any]], chance: Chance, step: int) -> bool:
    """Compare a state with a redealt one from one seat; tell whether they differed at all."""
    other = state.redeal(seat, Chance(chance.root ^ 1, step, seat))
    mine, theirs = state.view(seat), other.view(seat)
    assert mine == theirs, f"step {step}: the view of seat {seat} shows what it should not\n{mine}\n{theirs}"
    assert hash(mine) == hash(theirs)
    assert repr(mine) == repr(theirs)
    assert mine.legal_actions() == theirs.legal_actions(), f"step {step}: the actions of seat {seat} depend on unseen cards"
    assert other.seat == state.seat
    if state.seat == seat:
        assert players[seat].choose(mine, chance) == players[seat].choose(theirs, chance), f"step {step}: seat {seat} chose by unseen cards"
    return other != state

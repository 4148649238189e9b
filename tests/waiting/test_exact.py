"""Exact values on a graph of draws: against the solver of doubles, and on a graph made by hand."""

from fractions import Fraction

import numpy as np
import pytest

from meldlab.cards import Hand
from meldlab.errors import NotPossible
from meldlab.waiting import Goal, WaitingGame, solve
from meldlab.waiting.exact import DrawGraph, draw_graph, exact_values


@pytest.mark.parametrize("game", [WaitingGame(3, "both"), WaitingGame(3, goal=Goal(5), dead=Hand.parse("2H 9D"))])
def test_exact_values_equal_the_solution(game: WaitingGame) -> None:
    graph = draw_graph(game)
    expected = solve(game, device="cpu").expected
    for number in (Fraction, float):
        np.testing.assert_allclose([float(value) for value in exact_values(graph, number)], expected, rtol=0, atol=1e-12)


def test_exact_values_of_a_graph_made_by_hand() -> None:
    # Three hands, a bag of four cards: one card leads from the second hand to the goal, two from the third to the second.
    graph = DrawGraph(
        starts=np.array([0, 1, 3, 4]),
        larger=np.array([0, 0, 1, 1]),
        cards=np.array([1, 1, 1, 2]),
        goals=np.array([True, False, False]),
        bag=4,
    )
    assert exact_values(graph) == [0, 4, Fraction(4 + 2 * 4, 2)]


def test_draw_graph_counts_every_card_of_the_bag() -> None:
    graph = draw_graph(WaitingGame(3))
    assert set(np.add.reduceat(graph.cards, graph.starts[:-1]).tolist()) == {49}


def test_draw_graph_rejects_four_cards() -> None:
    with pytest.raises(NotPossible, match="exact fractions are for 3 cards"):
        draw_graph(WaitingGame(4))

"""The movement graph: edges against the plain interpreter's moves, their meaning, text for Graphviz, a drawing without overlaps."""

import re
from functools import cache
from itertools import combinations

import pytest

from meldlab.analysis.layout import arrange, layers
from meldlab.analysis.movement import dot, draw_movement
from meldlab.recycle import library
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.machine.storage import Location
from meldlab.recycle.movement import Edge, Movement
from tests.recycle.oracle_board import Player
from tests.recycle.playing import play_out


@cache
def machine(name: str) -> Machine:
    return Machine.compile(library.entry(name).text)


def movement(name: str, seed: int = 1) -> Movement:
    return Movement.of(machine(name), seed)


@pytest.mark.parametrize("name", ["block_rummy", "hearts", "crazy_eights", "scopa", "goofspiel", "go_fish"])
def test_edges_are_the_moves_of_the_plain_interpreter(name: str) -> None:
    def spot(place: tuple[object, str, str, int]) -> Location:
        owner, kind, named, index = place
        return Location(owner.seat if isinstance(owner, Player) else 0, kind, named, index)

    expected = {(spot(source), spot(target)) for _, source, target in play_out(name, seed=1).oracle.moves}
    assert {(edge.source, edge.target) for edge in movement(name).moves} == expected


def test_swaps_go_both_ways() -> None:
    text = """(game (setup (create players 2) (create deck (game hloc S) (deck (RANK (A, B, C, D)))))
     (do ((all player 'P (repeat 2 (move (top (game hloc S)) (top ('P iloc HAND)))))))
     (do ((swap (top ((1 player) iloc HAND)) (top ((2 player) iloc HAND)))))
     (choice ((swap ((1 player) iloc HAND) ((2 player) iloc HAND))))
     (choice ((turn pass))) (scoring max 1))"""
    hands = Location(1, "iloc", "HAND"), Location(2, "iloc", "HAND")
    found = Movement.of(Machine.compile(text), seed=0)
    stock = Location(0, "hloc", "S")
    assert set(found.edges) == {Edge(*hands), Edge(*hands[::-1]), Edge(stock, hands[0]), Edge(stock, hands[1])}
    assert [edge.meaning for edge in sorted(found.edges)] == ["plain", "plain", "shared", "shared"]
    assert found.decks == {stock}


def test_options_that_are_only_explored_leave_no_edge() -> None:
    text = """(game (setup (create players 1) (create deck (game vloc S) (deck (RANK (A, B)))))
     (choice ((move (top (game vloc S)) (top (game vloc LEFT))) (move (top (game vloc S)) (top (game vloc RIGHT)))))
     (scoring max 1))"""
    machine = Machine.compile(text)
    targets = {edge.target.name for seed in range(20) for edge in [*Movement.of(machine, seed).edges]}
    assert targets == {"LEFT", "RIGHT"}
    assert all(len(Movement.of(machine, seed).edges) == 1 for seed in range(20))


PILE, HAND, OTHER = Location(0, "vloc", "PILE"), Location(1, "iloc", "HAND"), Location(2, "iloc", "HAND")


@pytest.mark.parametrize(
    ("source", "target", "meaning"),
    [
        (PILE, HAND, "taken"),
        (PILE, Location(0, "iloc", "STOCK"), "taken"),  # a private location of the table is hidden
        (Location(1, "vloc", "LAID"), Location(1, "hloc", "WON"), "taken"),
        (HAND, OTHER, "shared"),
        (HAND, Location(2, "hloc", "WON"), "shared"),
        (HAND, Location(0, "hloc", "CRIB"), "shared"),  # whoever laid it there still knows it
        (HAND, Location(0, "iloc", "CRIB"), "shared"),
        (HAND, Location(2, "mem", "SEEN"), "plain"),
        (HAND, Location(1, "hloc", "KEPT"), "plain"),
        (Location(0, "iloc", "STOCK"), HAND, "plain"),
        (Location(1, "hloc", "SPOT"), OTHER, "plain"),
        (HAND, PILE, "revealed"),
        (PILE, Location(0, "vloc", "RUN"), "revealed"),
    ],
)
def test_what_an_edge_means(source: Location, target: Location, meaning: str) -> None:
    assert Edge(source, target).meaning == meaning


def test_games_whose_cards_are_shared() -> None:
    def shared(name: str) -> set[str]:
        edges = {edge for seed in range(6) for edge in movement(name, seed).edges if edge.meaning == "shared"}
        return {f"{edge.source} -> {edge.target}" for edge in edges}

    found = {name: shared(name) for name in library.names()}
    # Cards are laid away into the crib, and by the dealer who takes up the turned card: hidden from the others, known to whoever laid them.
    assert found["cribbage"] == {f"p{seat} iloc HAND -> table hloc CRIB" for seat in (1, 2)}
    assert found["euchre"] == {"p4 iloc HAND -> table hloc ASIDE"}
    assert {name for name, edges in found.items() if edges} == {"cribbage", "euchre", "president"}


def test_the_text_for_graphviz() -> None:
    text = dot(movement("block_rummy"), 'Block "Rummy"')
    assert text.startswith('digraph "Block \\"Rummy\\"" {')
    assert text.count("subgraph cluster_") == 3
    assert '"table iloc STOCK" [label="STOCK", fillcolor="khaki", penwidth=3];' in text
    assert '"p1 iloc HAND" [label="HAND", fillcolor="lightblue"];' in text
    assert '"table vloc PILE" -> "p1 iloc HAND" [color="red", style="dotted"];' in text
    assert '"p1 iloc HAND" -> "table vloc PILE" [color="green", style="solid"];' in text
    assert re.search(r'mem TAKEN" \[label="TAKEN", fillcolor="grey90", style="filled,dotted"\]', text)
    assert text.count("{") == text.count("}")
    assert '[color="blue", style="dashed"]' in dot(movement("president"), "President")


@pytest.mark.parametrize("name", library.names())
def test_nothing_overlaps(name: str) -> None:
    found = movement(name)
    layout = arrange(found)
    assert set(layout.ovals) == set(found.locations)
    assert set(layout.curves) == set(found.edges)
    for one, other in combinations(layout.ovals.values(), 2):
        assert abs(one.x - other.x) >= one.wide + other.wide or abs(one.y - other.y) >= one.high + other.high
    for upper, lower in combinations(sorted(layout.boxes.values(), key=lambda box: box.y), 2):
        assert upper.y + upper.height <= lower.y
    for spot, node in layout.ovals.items():
        box = layout.boxes[spot.owner]
        assert box.x <= node.x - node.wide
        assert node.x + node.wide <= box.x + box.width
        assert box.y <= node.y - node.high
        assert node.y + node.high <= box.y + box.height
    for curve in layout.curves.values():
        places = curve.samples()
        assert layout.left <= places[:, 0].min()
        assert places[:, 0].max() <= layout.right
        assert layout.top <= places[:, 1].min()
        assert places[:, 1].max() <= layout.foot


def test_layers_count_steps_from_the_deck() -> None:
    steps = {str(spot): layer for spot, layer in layers(movement("block_rummy")).items()}
    assert steps["table iloc STOCK"] == 0
    assert steps["p1 iloc HAND"] == steps["table vloc PILE"] == 1
    assert steps["table vloc RUN"] == steps["p2 mem TAKEN"] == 2


def test_the_numbers_of_the_drawing_are_its_edges() -> None:
    found = movement("president")
    _, data = draw_movement(found)
    assert len(data["source"]) == len(found.edges)
    assert dict(zip(data["meaning"], data["colour"], strict=True)) == {
        "taken": "red",
        "shared": "blue",
        "revealed": "green",
        "plain": "black",
    }

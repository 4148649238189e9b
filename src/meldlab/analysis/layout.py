"""Layout of a movement graph: positions of the locations, and curves of the edges.

Layers go from left to right, by the least number of moves from a deck. Every owner has a band of its own, the table between the players,
so boxes around owners never overlap. An edge is a curve with the curvature that meets the fewest locations and other edges.

>>> from meldlab.recycle.machine.storage import Location
>>> from meldlab.recycle.movement import Edge
>>> stock, hand = Location(0, "iloc", "STOCK"), Location(1, "iloc", "HAND")
>>> layout = arrange(Movement((stock, hand), (Edge(stock, hand),), frozenset([stock])))
>>> layout.ovals[stock].x < layout.ovals[hand].x, list(layout.boxes)
(True, [1, 0])
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from meldlab.recycle.machine.storage import Location
from meldlab.recycle.movement import Edge, Movement

Points = NDArray[np.float64]

HEIGHT = 30.0  # of a location
LETTER = 7.6  # width of a letter
ROW, COLUMN_GAP, LAYER_GAP, BAND_GAP, MARGIN, TITLE = 44.0, 16.0, 80.0, 26.0, 14.0, 20.0
MAX_ROWS = 6  # locations of one owner and layer above each other
BENDS = (0.1, -0.1, 0.2, -0.2, 0.35, -0.35, 0.5, -0.5, 0.8, -0.8)
ALONG = np.linspace(0.0, 1.0, 33)[:, None]


@dataclass(frozen=True)
class Oval:
    """An ellipse around a name: middle and half axes."""

    x: float
    y: float
    wide: float
    high: float

    def holds(self, points: Points) -> int:
        """Return the number of points inside or close to the ellipse."""
        apart = ((points[:, 0] - self.x) / (self.wide + 4)) ** 2 + ((points[:, 1] - self.y) / (self.high + 4)) ** 2
        return int((apart < 1).sum())

    def border(self, towards: Points, gap: float = 0.0) -> Points:
        """Return the point of the border towards another point."""
        step = towards - np.array([self.x, self.y])
        reach = np.hypot(step[0] / (self.wide + gap), step[1] / (self.high + gap)) or 1.0
        place: Points = np.array([self.x, self.y]) + step / reach
        return place


@dataclass(frozen=True)
class Box:
    """The rectangle of an owner."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Curve:
    """A cubic Bézier curve, from border to border: [4, 2] float64."""

    points: Points

    def samples(self) -> Points:
        """Return places along the curve."""
        start, first, second, end = self.points
        t, s = ALONG, 1 - ALONG
        places: Points = s**3 * start + 3 * s * s * t * first + 3 * s * t * t * second + t**3 * end
        return places


@dataclass(frozen=True)
class Layout:
    """The whole picture, from (left, top) to (right, foot); y grows downwards."""

    ovals: Mapping[Location, Oval]
    boxes: Mapping[int, Box]
    curves: Mapping[Edge, Curve]
    left: float
    top: float
    right: float
    foot: float


def layers(movement: Movement) -> dict[Location, int]:
    """Return the number of moves of each location from a deck; locations that no deck reaches are in the first layer."""
    steps = dict.fromkeys(movement.decks, 0)
    frontier = sorted(movement.decks)
    while frontier:
        reached = sorted({edge.target for edge in movement.edges if edge.source in frontier} - steps.keys())
        steps |= dict.fromkeys(reached, steps[frontier[0]] + 1)
        frontier = reached
    return {spot: steps.get(spot, 0) for spot in movement.locations}


def arrange(movement: Movement) -> Layout:
    """Place every location and curve every edge."""
    spot_layers = layers(movement)
    owners = _bands({spot.owner for spot in movement.locations})
    cells: dict[tuple[int, int], list[Location]] = {}
    for spot in movement.locations:
        cells.setdefault((spot.owner, spot_layers[spot]), []).append(spot)
    left: dict[int, float] = {}
    steps: dict[int, float] = {}
    x = MARGIN * 2
    for layer in sorted({layer for _, layer in cells}):
        inside = [spots for (_, other), spots in cells.items() if other == layer]
        steps[layer] = max(_width(spot) for spots in inside for spot in spots) + COLUMN_GAP
        left[layer] = x
        x += steps[layer] * max(-(-len(spots) // MAX_ROWS) for spots in inside) - COLUMN_GAP + LAYER_GAP
    ovals: dict[Location, Oval] = {}
    boxes: dict[int, Box] = {}
    y = MARGIN
    for owner in owners:
        mine = {layer: spots for (whose, layer), spots in cells.items() if whose == owner}
        rows = max(min(len(spots), MAX_ROWS) for spots in mine.values())
        for layer, spots in mine.items():
            for i, spot in enumerate(spots):
                high = min(len(spots), MAX_ROWS)
                row = i % MAX_ROWS + (rows - high) / 2
                column = left[layer] + (i // MAX_ROWS) * steps[layer] + (steps[layer] - COLUMN_GAP) / 2
                ovals[spot] = Oval(column, y + TITLE + MARGIN / 2 + (row + 0.5) * ROW, _width(spot) / 2, HEIGHT / 2)
        ends = [(oval.x - oval.wide, oval.x + oval.wide) for spot, oval in ovals.items() if spot.owner == owner]
        start, end = min(low for low, _ in ends) - MARGIN, max(high for _, high in ends) + MARGIN
        boxes[owner] = Box(start, y, end - start, TITLE + rows * ROW + MARGIN)
        y += boxes[owner].height + BAND_GAP
    curves = _bent(movement.edges, ovals)
    corners = [place for box in boxes.values() for place in ((box.x, box.y), (box.x + box.width, box.y + box.height))]
    reached = np.concatenate([np.array(corners), *(curve.samples() for curve in curves.values())])
    (left_end, top), (right_end, foot) = reached.min(axis=0) - MARGIN, reached.max(axis=0) + MARGIN
    return Layout(ovals, boxes, curves, float(left_end), float(top), float(right_end), float(foot))


def _bands(owners: Iterable[int]) -> list[int]:
    """Return the owners from top to bottom, the table in the middle of the players."""
    seats = sorted(set(owners) - {0})
    middle = (len(seats) + 1) // 2
    return [*seats[:middle], *([0] if 0 in owners else []), *seats[middle:]]


def _width(spot: Location) -> float:
    return max(58.0, 26 + LETTER * len(spot.label))


def _bent(edges: Iterable[Edge], ovals: Mapping[Location, Oval]) -> dict[Edge, Curve]:
    """Bend the edges, short ones first; each avoids locations and the edges before it."""
    curves: dict[Edge, Curve] = {}
    drawn = np.zeros((0, 2))
    middles = {spot: np.array([oval.x, oval.y]) for spot, oval in ovals.items()}
    for edge in sorted(edges, key=lambda edge: (float(np.hypot(*(middles[edge.source] - middles[edge.target]))), edge)):
        others = [oval for spot, oval in ovals.items() if spot not in (edge.source, edge.target)]
        best, least = None, np.inf
        for curvature in BENDS:
            curve = _curve(ovals[edge.source], ovals[edge.target], curvature)
            places = curve.samples()
            inside = places[3:-3]
            # Two planes instead of pairs: numpy is slow where the last axis is short.
            near_x, near_y = (np.abs(np.subtract.outer(inside[:, axis], drawn[:, axis])) < 5 for axis in range(2))
            close = int((near_x & near_y).any(axis=1).sum())
            cost = 40.0 * sum(oval.holds(places) for oval in others) + 6.0 * close + 30.0 * abs(curvature)
            if cost < least:
                best, least = curve, cost
        assert best is not None
        curves[edge] = best
        drawn = np.concatenate((drawn, best.samples()))
    return curves


def _curve(source: Oval, target: Oval, curvature: float) -> Curve:
    start, end = np.array([source.x, source.y]), np.array([target.x, target.y])
    if source is target:
        loop = np.array([[-8, 1], [-22, -26], [22, -26], [8, 0]], np.float64)
        return Curve(start - np.array([0, source.high]) + loop)
    way = end - start
    side = np.array([way[1], -way[0]]) * curvature
    first, second = start + way / 3 + side, start + 2 * way / 3 + side
    return Curve(np.array([source.border(first), first, second, target.border(second, gap=2.0)]))

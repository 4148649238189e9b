"""Answers about Rummikub."""

from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import BeforeValidator, Field

from meldlab.schemas import Answer, Text

if TYPE_CHECKING:
    from meldlab import rummikub

Tiles = Annotated[list[Text], BeforeValidator(lambda tile_set: list(getattr(tile_set, "tiles", tile_set)))]
"""The tiles of a set."""


class OpeningAnswer(Answer):
    """The points of the opening, or of the rack at most, and the points needed."""

    points: int
    needed: int


class SolutionAnswer(Answer):
    """The best move: the played tiles, the table after it, and the steps."""

    played: list[Text]
    left: list[Text] = Field(validation_alias="leftover")
    count: int
    value: int
    table: str
    """The table after the move as text."""
    sets: list[Tiles]
    """The table after the move, set by set."""
    sets_before: int
    kept: int
    kept_sets: list[Tiles]
    moved: int
    steps: list[str]
    proven: bool
    """False if the time was over before the move was proven to be the best."""
    method: str
    seconds: float
    opening: OpeningAnswer | None
    rules: dict[str, Any]

    @classmethod
    def fields_from(cls, solution: "rummikub.Solution", steps: list[str] | None = None) -> dict[str, Any]:
        """Return the fields for a solution; ``steps``: those that are computed already."""
        from meldlab.rummikub import describe_steps, format_table, opening_points

        position = solution.position
        same = ("played", "leftover", "count", "value", "kept", "kept_sets", "moved", "proven", "method")
        return {name: getattr(solution, name) for name in same} | {
            "table": format_table(solution.table),
            "sets": solution.table,
            "sets_before": len(position.table),
            "steps": describe_steps(solution) if steps is None else steps,
            "seconds": round(solution.seconds, 6),
            "opening": None if position.opened else {"points": opening_points(solution), "needed": position.rules.opening},
            "rules": position.rules.as_record(),
        }

    @classmethod
    def from_solution(cls, solution: "rummikub.Solution") -> Self:
        """Return the answer of the solver."""
        return cls.model_validate(cls.fields_from(solution))


class WhyNotAnswer(Answer):
    """The cost of playing a tile, in tiles or points as the objective counts, and in points; None if it cannot be played."""

    tile: Text
    possible: bool
    proven: bool
    cost: int | None
    points: int | None
    played: list[Text]
    table: str

    @classmethod
    def from_why_not(cls, why_not: "rummikub.WhyNot") -> Self:
        """Return the cost with the best move that plays the tile."""
        from meldlab.rummikub import format_table

        best = why_not.with_tile
        numbers = {name: getattr(why_not, name) for name in ("tile", "proven", "cost", "points")}
        move = {"played": best.played, "table": format_table(best.table)} if best else {"played": [], "table": ""}
        return cls.model_validate({**numbers, "possible": best is not None, **move})


class TableAnswer(Answer):
    """The table after a move, with its change."""

    table: str
    kept: int
    moved: int


class AlternativesAnswer(Answer):
    """Every best move, or as many as the budget allows."""

    moves: list[TableAnswer]
    complete: bool

    @classmethod
    def from_solutions(cls, solutions: "list[rummikub.Solution]", complete: bool) -> Self:
        """Return the tables of equally good solutions."""
        from meldlab.rummikub import format_table

        moves = [TableAnswer(table=format_table(solution.table), kept=solution.kept, moved=solution.moved) for solution in solutions]
        return cls(moves=moves, complete=complete)

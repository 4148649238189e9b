"""The outcome of a round: how it ended, who won how many points, and the hands that were shown."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """The end of a round: ``knock``, ``gin``, ``big gin``, ``undercut``, ``equal`` or ``void``."""

    kind: str
    winner: int | None
    points: int
    draws: int
    actions: int
    """Number of actions of the round."""
    deadwood: tuple[int, int] | None = None
    """Deadwood of each seat after lay-offs."""
    masks: tuple[int, int] | None = None
    """The cards of each seat, open after a knock; None after a void round."""

    def __str__(self) -> str:
        if self.winner is None:
            return self.kind
        return f"p{self.winner + 1} wins {self.points} by {self.kind}"

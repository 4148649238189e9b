"""What came of many games between two players, whatever the game: wins with an interval, and an exact test over mirrored pairs."""

from dataclasses import dataclass

from meldlab.statistics import Interval, Moments, sign_test

__all__ = ["GAMES", "WINS", "Fight"]

FEW = 5  # troubles that are told one by one
GAMES, WINS = 0, 1  # the first two counts of every cluster, a mirrored pair or a single game


@dataclass(frozen=True)
class Fight:
    """Many games between two players; wins and rates are those of the first."""

    players: tuple[str, str]
    games: int
    moments: Moments
    swept: tuple[int, int]
    """Mirrored pairs that went to each player."""
    forfeits: tuple[str, ...]
    """A line for each game that did not end by its rules: by a forfeit, or not at all."""
    seconds: float

    @property
    def wins(self) -> int:
        """Return how many games the first player won."""
        return int(self.moments.sums[WINS])

    @property
    def win_rate(self) -> Interval:
        """Return the share of games the first player won."""
        return self.moments.rate(WINS, GAMES)

    @property
    def sign_test(self) -> float:
        """Return the exact p-value of the pairs."""
        return sign_test(*self.swept)

    @property
    def forfeited(self) -> tuple[int, int]:
        """Return how many games each player forfeited."""
        whose = [line.partition(": ")[2] for line in self.forfeits]
        first, second = (sum(line.startswith(f"p{seat} ") for line in whose) for seat in (1, 2))
        return first, second

    def troubles(self) -> list[str]:
        """Return lines that tell of the games that did not end by their rules: how many, and of the first few why."""
        if not self.forfeits:
            return []
        (one, two), first = self.forfeited, self.forfeits[:FEW]
        unended = len(self.forfeits) - one - two
        head = f"forfeits      {one:,} by {self.players[0]}, {two:,} by {self.players[1]}" + (
            f"; {unended:,} without an end" if unended else ""
        )
        return [head, *(f"  {line}" for line in first), *(["  ..."] if len(self.forfeits) > FEW else [])]

    def as_json(self) -> dict[str, object]:
        """Return what the command line answers about any fight."""
        return {
            "players": list(self.players),
            "games": self.games,
            "wins": self.wins,
            "win_rate": self.win_rate.value,
            "ci95": [self.win_rate.low, self.win_rate.high],
            "sign_test_p": self.sign_test,
            "forfeits": list(self.forfeited),
            "unended": len(self.forfeits) - sum(self.forfeited),
            "troubles": list(self.forfeits[:FEW]),
            "seconds": self.seconds,
        }

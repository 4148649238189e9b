"""Small records to analyse: one written by hand, many made up."""

from hypothesis import strategies as st

from meldlab.lab.analysis.record import Decision, Record, Row
from meldlab.recycle.machine import kernel_layout as k


def thought(
    seat: int, own: float, options: int = 2, best: float = 0.0, worst: float = 0.0, value: float = 0.5, mean: float = 0.5
) -> Decision:
    """One decision of two players: the mover expects ``own`` (1 first, 0 last) for itself and the rest for the other."""
    ranks = (1 - own, own) if seat == 0 else (own, 1 - own)
    return Decision(seat, options, 0, best, worst, value, mean, (best, worst), ranks)


# The first player wins the first game, the second the other two; the third game failed.
BY_HAND = Record.of_rows(
    "max",
    2,
    [
        Row((9, 1), (thought(0, 0.25, 4, 3, 1, 0.9, 0.5), thought(1, 0.6, 2, 2, 2), thought(0, 0.9, 1, 5, 5), thought(1, 0.1, 3, 6, 2))),
        Row((2, 8), (thought(0, 0.6, 3), thought(1, 0.34, 3, 4, 3, 0.8, 0.5), thought(0, 0.5, 3), thought(1, 0.85, 3), thought(1, 0.8, 3))),
        Row((0, 0), (thought(0, 0.5), thought(1, 0.5)), status=k.NO_CARD),
    ],
)


@st.composite
def rows(draw: st.DrawFn, seats: int) -> Row:
    share = st.integers(0, 20).map(lambda part: part / 20)
    decisions = []
    for _ in range(draw(st.integers(1, 9))):
        worst, apart, low, up = draw(st.integers(-9, 9)), draw(st.integers(0, 9)), draw(share), draw(share)
        ranks = tuple(draw(share) * (seats - 1) for _ in range(seats))
        scores = tuple(float(draw(st.integers(-9, 9))) for _ in range(seats))
        seat = draw(st.integers(0, seats - 1))
        decisions.append(
            Decision(seat, draw(st.integers(1, 12)), 0, float(worst + apart), float(worst), max(low, up), min(low, up), scores, ranks)
        )
    status = draw(st.sampled_from([k.FINISHED, k.FINISHED, k.CAPPED, k.NO_CARD]))
    return Row(tuple(draw(st.integers(-3, 3)) for _ in range(seats)), tuple(decisions), status, draw(share))


@st.composite
def games(draw: st.DrawFn) -> tuple[str, int, list[Row]]:
    """Some games: what wins, how many play, and the rows."""
    seats = draw(st.integers(2, 4))
    return draw(st.sampled_from(["max", "min"])), seats, draw(st.lists(rows(seats), min_size=1, max_size=6))

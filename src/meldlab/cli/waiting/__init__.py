"""``meldlab waiting``: expected turns to a complete hand, exact, for every hand of three to ten cards."""

from meldlab.cli.options import door
from meldlab.cli.waiting import figures, hand, solve

__all__ = ["app"]

app = door(
    "How many turns until a hand is complete? Exact, for 3 to 10 cards.",
    solve=solve.solve,
    hand=hand.hand,
    discard=hand.discard,
    approximate=solve.approximate,
    classes=solve.classes,
    table=solve.write_table,
    simulate=hand.simulate,
    figures=figures.figures,
)

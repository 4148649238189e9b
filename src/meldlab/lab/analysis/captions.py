"""What the page of a game says about its figures."""

__all__ = ["BRANCHING", "LEAD", "MOVEMENT", "PLAYERS", "QUICK", "SPREAD", "STOPPED"]

PLAYERS = {
    "random": "random players",
    "pimc": "players that sample (perfect-information Monte Carlo)",
    "mcts": "MCTS players (Monte Carlo tree search on determinized games)",
    "ismcts": "ISMCTS players (Monte Carlo tree search over information sets)",
}

QUICK = """<p class="quick"><strong>Quick look.</strong> {games} games of searching players and {simulations} simulations for each
option, instead of 100 and 1000: the figures show the shape of the game, but the intervals are wide and the searching players weak.</p>"""

MOVEMENT = """<p>Which way the cards go in {title}, in a single game between random players. Visibility belongs to locations, so all
cards in a location share it; information is revealed or concealed as cards move between locations and owners.</p>
<p>Public locations are green, hidden ones yellow, private ones blue, those hidden from their owner only plum, memories light grey with a
dotted border. Where a deck was made the border is bold. Rectangles are owners: the table and the players. Taken information is shown by
red dotted edges (public to private or hidden), shared information by blue dashed ones (a player's private card to a private or hidden
place of somebody else, or to a hidden one of the table: its former owner still knows it). Green edges
lead into public, all others are black; grey dots show where a card was remembered without being moved.</p>"""

BRANCHING = """The number of options (y) at each decision point (x), over {games} games between random players. A decision point is a moment
at which a player must choose; a turn can have several. Each dot is one decision, moved a little so that dots do not hide each other, in
the colour of its seat; the line is their local average."""

SPREAD = """The normalized spread (y) over the part of the game played (x), in {games} games between {players}. At each decision the player
estimates the final score for every option. The spread is the difference between the best and the worst of them. On the left it is divided
by the largest spread of all these games, as in the published pictures: so games can be compared with each other. On the right it is
divided by the largest of the same game, which shows when in a game most is at stake. A thin line is one game, the thick one their local
average."""

LEAD = """The average lead (y) over the part of the game played (x), in {games} games between {players}. At each decision the player notes,
for the option it likes best, the rank that it expects every player to end with: 1 is first place, 0 is last. The true result ends each
history. Histories are grouped by final rank (ties broken by seat) and averaged; the bands are 95 % intervals over games."""

STOPPED = """<p>{games} games did not come to their end. Those stopped at the limit of decisions are scored as they stood; failed ones have
no score and count for no player. Why: {reasons}.</p>"""

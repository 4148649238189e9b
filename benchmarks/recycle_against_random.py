"""The table of docs/recycle-players.md: one ``mcts`` and otherwise random players in every game of the library, as rows of Markdown.

    python benchmarks/recycle_against_random.py

In partnership games each side has a team. A deal with all its seatings is one observation.
"""

import sys
import time

from meldlab.arena.contest import play_contest
from meldlab.recycle import RecycleGame
from meldlab.recycle.players import parse
from meldlab.recycle.players.search import play_games
from meldlab.statistics import Interval, mean

# Game, what follows "mcts:", games. Simulations are 1000, or fewer where a game takes long.
ROWS = (
    ("blackjack", "200", 150),
    ("block_rummy", "50", 12),
    ("crazy_eights", "20", 16),
    ("cribbage", "500", 14),
    ("euchre", "1000", 60),
    ("five_hundred_rum", "50", 45),
    ("gin_rummy", "30", 12),
    ("go_fish", "50", 16),
    ("go_fish", "200", 24),
    ("go_fish", "100:taken", 24),
    ("golf", "500", 12),
    ("goofspiel", "1000", 60),
    ("hearts", "1000", 20),
    ("indian_poker", "1000", 300),
    ("kuhn_poker", "1000", 600),
    ("leduc_poker", "1000", 300),
    ("president", "30", 16),
    ("scopa", "1000", 20),
    ("spades", "100", 12),
    ("three_card_brag", "1000", 300),
    ("whist", "1000", 12),
)
SOLITAIRE, SOLITAIRE_DEALS = "golf_solitaire", 20


def text(interval: Interval, digits: int) -> str:
    """Return an estimate with its interval as the table has it."""
    value, low, high = (f"{number:.{digits}f}" for number in (interval.value, interval.low, interval.high))
    return f"{value} ({low} to {high})"


def main() -> None:
    print("| game | simulations per option | games | wins | by chance | lead in score |\n|---|---|---|---|---|---|")
    for name, settings, games in ROWS:
        start = time.process_time()
        found = play_contest(RecycleGame.load(name), [f"mcts:{settings}", "random"], games, seed=1)
        simulations, _, level = settings.partition(":")
        level = f", level `{level or 'private'}`" if name == "go_fish" else ""
        title = name.replace("_", " ").title()
        won, share = text(found.win_rate(), 2), f"{found.fair_share[0]:.2f}"
        cells = (f"{title}{level}", simulations, found.games, won, share, text(found.score_margin, 1))
        print("|", " | ".join(map(str, cells)), "|", flush=True)
        print(f"{title}: {time.process_time() - start:.0f} CPU s", file=sys.stderr)
    machine = RecycleGame.load(SOLITAIRE).machine
    for player in ("mcts:100", "random"):
        left = play_games(machine, [parse(player)], SOLITAIRE_DEALS, seed=1).scores[:, 0]
        print(f"{SOLITAIRE}, {SOLITAIRE_DEALS} deals: `{player}` leaves {text(mean(left), 1)} cards")


if __name__ == "__main__":
    main()

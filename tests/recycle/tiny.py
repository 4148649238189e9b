"""Games small enough to be solved by looking at everything."""

from collections.abc import Iterator
from functools import cache
from itertools import permutations, product

import numpy as np

from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.machine.position import KnownCards, Position
from meldlab.recycle.players import SearchPlayer
from meldlab.recycle.players.search import SearchResult, SearchWorkspace

VALUES = "(set (game points WORTH) (((N : A) 1) ((N : B) 2) ((N : C) 4) ((N : D) 8) ((N : E) 16) ((N : F) 32)))"
ROW = "(create deck (game vloc ROW) (deck (N ({names}))))"


def row_game(names: str, players: int, best: str) -> str:
    """Take the card at either end of a row of cards, all of them open; what a player has taken counts."""
    return f"""(game
     (setup (create players {players}) {ROW.format(names=", ".join(names))})
     (do ({VALUES}))
     (stage player (end (== (size (game vloc ROW)) 0))
      (choice (
       (move (top (game vloc ROW)) (top ((current player) vloc WON)))
       (move (bottom (game vloc ROW)) (top ((current player) vloc WON))))))
     (scoring {best} (sum ((current player) vloc WON) using (game points WORTH))))"""


def heap_game(cards: int, best: str) -> str:
    """Take one to three cards from a heap; who takes the last one wins."""
    win, lose = (1, 0) if best == "max" else (0, 1)
    return f"""(game
     (setup (create players 2) (repeat {cards} (create deck (game vloc HEAP) (deck (N (A))))))
     (stage player (end (== (size (game vloc HEAP)) 0))
      (choice (
       (any (range 1 .. 3) 'MANY
        ((<= 'MANY (size (game vloc HEAP)))
         (do (
          (repeat 'MANY (move (top (game vloc HEAP)) (top (game vloc GONE))))
          (set ((current player) sto WON) {win})
          (set ((next player) sto WON) {lose}))))))))
     (scoring {best} ((current player) sto WON)))"""


# Three points for sure, or four for naming the colour of a card that nobody sees: worth two. Who could see it would name it.
COLOUR = """(game
 (setup (create players 2) (create deck (game hloc CARD) (deck (COLOUR (RED, BLACK)))))
 (do ((shuffle (game hloc CARD))))
 (choice ((set ((1 player) sto SCORE) 3) (set (game sto GUESSING) 1)))
 (stage player (end (== (game sto GUESSING) 0))
  (do ((cycle next (current player)) (set (game sto GUESSING) 0)))
  (choice ((set (game str SAID) RED) (set (game str SAID) BLACK)))
  (do (((== (game str SAID) (cardatt COLOUR (top (game hloc CARD)))) (set ((1 player) sto SCORE) 4)))))
 (scoring max ((current player) sto SCORE)))"""

# Eleven points for sure, or twenty if a card that nobody sees is red: worth ten. No decision follows.
GAMBLE = """(game
 (setup (create players 2) (create deck (game hloc CARD) (deck (COLOUR (RED, BLACK)))))
 (do ((shuffle (game hloc CARD))))
 (choice ((set (game str SAID) SAFE) (set (game str SAID) GAMBLE)))
 (do (
  ((== (game str SAID) SAFE) (set ((1 player) sto SCORE) 11))
  ((and (== (game str SAID) GAMBLE) (== (cardatt COLOUR (top (game hloc CARD))) RED)) (set ((1 player) sto SCORE) 20))))
 (scoring max ((current player) sto SCORE)))"""

# Six points for naming a card that nobody sees, one of three: worth two. Or six points less, and twelve if it is the king: worth minus two.
THREE_CARDS = """(game
 (setup (create players 2) (create deck (game hloc CARDS) (deck (N (JACK, QUEEN, KING)))))
 (do ((shuffle (game hloc CARDS))))
 (choice ((set (game str SAID) JACK) (set (game str SAID) QUEEN) (set (game str SAID) PAY)))
 (do (
  ((== (game str SAID) PAY) (dec ((1 player) sto SCORE) 6))
  ((== (game str SAID) (cardatt N (top (game hloc CARDS)))) (inc ((1 player) sto SCORE) 6))
  ((and (== (game str SAID) PAY) (== (cardatt N (top (game hloc CARDS))) KING)) (inc ((1 player) sto SCORE) 12))))
 (scoring max ((current player) sto SCORE)))"""


def idle_game(turns: int, end: str) -> str:
    """Choose between two options without any effect, in turn; ``end`` says who scores a point, from two cards that nobody sees."""
    return f"""(game
     (setup (create players 2) (create deck (game hloc CARDS) (deck (OWNER (FIRST, SECOND)))))
     (do ((shuffle (game hloc CARDS))))
     (stage player (end (== (game sto TURNS) {turns}))
      (choice ((inc ((current player) sto LEFT)) (inc ((current player) sto RIGHT))))
      (do ((inc (game sto TURNS)))))
     (do ({end}))
     (scoring max ((current player) sto SCORE)))"""


TOP = "(cardatt OWNER (top (game hloc CARDS)))"
PURE_CHANCE = f"((== {TOP} FIRST) (set ((1 player) sto SCORE) 1)) ((== {TOP} SECOND) (set ((2 player) sto SCORE) 1))"
DECIDED = "(set ((1 player) sto SCORE) 1)"

# Three points for oneself or ten for the partner.
PARTNERS = """(game
 (setup (create players 4) (create teams (1, 3) (2, 4)) (create deck (game vloc CARD) (deck (N (A)))))
 (choice ((set ((1 player) sto SCORE) 3) (set ((3 player) sto SCORE) 10) (set ((2 player) sto SCORE) 1)))
 (scoring max ((current player) sto SCORE)))"""

# Two backs; a hand, an open card, cards that lie hidden in two places, one of them remembered.
BACKS = """(game
 (setup (create players 2)
  (create deck (game iloc STOCK) (deck (N (A, B, C, D))))
  (create deck BLUE (game hloc DARK) (deck (N (E, F, G)))))
 (do (
  (shuffle (game iloc STOCK))
  (shuffle (game hloc DARK))
  (move (top (game iloc STOCK)) (top ((1 player) iloc HAND)))
  (move (top (game hloc DARK)) (bottom ((2 player) iloc HAND)))
  (move (top (game iloc STOCK)) (top ((2 player) iloc HAND)))
  (move (top (game hloc DARK)) (top (game vloc OPEN)))))
 (choice ((turn pass) (move (top (game iloc STOCK)) (top ((1 player) iloc HAND)))))
 (scoring max (size ((current player) iloc HAND))))"""

# A point for every decision, without end.
ENDLESS = """(game
 (setup (create players 2) (create deck (game vloc CARD) (deck (N (A)))))
 (stage player (end (== 1 2)) (choice ((inc ((current player) sto SCORE)))))
 (scoring max ((current player) sto SCORE)))"""


@cache
def machine(text: str) -> Machine:
    return Machine.compile(text)


def end_values(position: Position, team: dict[int, int]) -> list[float]:
    """Return the mean score of the team of each player, when everybody plays best for his team."""
    if position.over:
        scores = position.scores
        members = [[other for other in team if team[other] == team[seat]] for seat in sorted(team)]
        return [sum(scores[other - 1] for other in mine) / len(mine) for mine in members]
    return max(option_values(position, team), key=lambda values: goodness(position, values))


def option_values(position: Position, team: dict[int, int]) -> list[list[float]]:
    """Return for each option what it leads to when everybody plays best afterwards."""
    return [end_values(position.take(option), team) for option in range(len(position.options))]


def goodness(position: Position, values: list[float]) -> float:
    """Return how good these values are for whoever decides."""
    return values[position.to_move] * (1 if position.machine.scoring == "max" else -1)


def best_options(position: Position, team: dict[int, int]) -> set[int]:
    """Return the options that lead to the best end for whoever decides."""
    values = [goodness(position, each) for each in option_values(position, team)]
    return {option for option, value in enumerate(values) if value == max(values)}


def advice(position: Position, player: SearchPlayer, seed: int = 1, known: KnownCards | None = None) -> SearchResult:
    """Return what a player thinks, who knows what the seat that decides may know."""
    nothing = position.machine.nothing_known()
    observation, remembered = position.observe(position.to_move, nothing if known is None else known)
    return SearchWorkspace.of(position.machine).result(player, observation, remembered, seed)


def alone(players: int) -> dict[int, int]:
    return {seat: seat for seat in range(1, players + 1)}


def deals(position: Position, seat: int) -> Iterator[Position]:
    """Yield the position with every arrangement of the cards that a seat cannot see, back by back."""
    storage = position.machine.storage
    seen = position.visible_cards(seat)
    hidden = [card for card in range(int(position.words[k.CARDS])) if card not in seen]
    groups = [[card for card in hidden if storage.backs[position.type_of(card)] == back] for back in sorted(set(storage.backs))]
    at = [storage.cards + k.NODE * card + k.TYPE for group in groups for card in group]
    for parts in product(*(permutations([position.type_of(card) for card in group]) for group in groups)):
        words = position.words.copy()
        words[at] = np.array([kind for part in parts for kind in part], np.int64)
        yield position.with_words(words)


def scores_at_random(position: Position) -> list[float]:
    """Return the expected scores when everybody plays at random from here."""
    if position.over:
        return [float(score) for score in position.scores]
    parts = [scores_at_random(position.take(option)) for option in range(len(position.options))]
    return [sum(column) / len(parts) for column in zip(*parts, strict=True)]


SECRET = """(game
 (setup (create players 2) (create deck (game vloc CARD) (deck (N (A)))))
 (stage player simultaneous
  (choice ((any (range 1 .. 3) 'N (set ((current player) sto BID) 'N)))))
 (do (((< ((1 player) sto BID) ((2 player) sto BID)) (set ((2 player) sto WON) 1))))
 (scoring max ((current player) sto WON)))"""

PEEKING = """(game
 (setup (create players 2) (create deck (game hloc STOCK) (deck (N (A, B, C, D)))))
 (do ((shuffle (game hloc STOCK))))
 (choice ((turn pass)
  ((== (cardatt N (top (game hloc STOCK))) A) (set ((1 player) sto SCORE) 9))))
 (scoring max ((current player) sto SCORE)))"""

BREAKING = """(game
 (setup (create players 1) (create deck (game vloc CARD) (deck (N (A)))))
 (choice ((set (game sto GO) 1) (turn pass)))
 (do (((== (game sto GO) 1) (set (game sto X) (// 1 0)))))
 (scoring max 1))"""

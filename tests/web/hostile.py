"""Descriptions that want more than a laboratory has: each is legal or looks it, and asks for time, memory or depth without end."""

__all__ = ["HOSTILE", "MANY", "NEVER", "game"]


def game(*phases: str, players: int = 1, deck: str = "(A (X, Y, Z))", declares: str = "") -> str:
    """Return a program around what is hostile in it."""
    setup = f"(setup (create players {players}) (create deck (game iloc S) (deck {deck})))"
    return f"(game {declares} {setup} {' '.join(phases)} (scoring max 1))"


def names(many: int) -> str:
    """Return so many different names."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return ", ".join(letters[i // 676] + letters[i // 26 % 26] + letters[i % 26] for i in range(many))


FIFTY = f"(A ({names(50)}))"
MANY = f"(A ({names(1900)}))"
UNIONS = f"(let (union {'(game iloc S) ' * 8}) 'A (let (union 'A 'A 'A 'A 'A 'A 'A 'A) 'B (let (union 'B 'B 'B 'B 'B 'B) 'C WORK)))"
NEVER = "(end (== 1 0))"
TO_TABLE = "(move (top (game iloc S)) (top (game vloc T)))"

ROUND = "(move (bottom (game iloc S)) (top (game iloc S))) "
# Each number is declared as twice the one before.
DOUBLING = "(declare 1 'A) " + " ".join(f"(declare (+ '{'A' * n} '{'A' * n}) '{'A' * (n + 1)})" for n in range(1, 40))

HOSTILE = {
    "brackets": "(" * 60_000,
    "digits": game(f"(do ((repeat {'9' * 40_000} (turn pass))))"),
    "garbage": "é \x07 (game " * 6_000,
    "words": "(size " * 8_000,
    "doubling": game("(do ((turn pass)))", declares=DOUBLING),
    "cards": game("(do ((turn pass)))", deck=" ".join(f"({name} ({names(200)}))" for name in "ABCD")),
    "seats": game(f"(stage player {NEVER} (choice ((turn pass))))", players=64),
    "forever": game(f"(stage player {NEVER} (do ((turn pass))))"),
    "repeats": game("(do (" + UNIONS.replace("WORK", "(repeat 2147483647 (shuffle 'C))") + "))", deck=MANY),
    "unions": game(f"(stage player {NEVER} (choice (" + UNIONS.replace("WORK", f"(do ((shuffle 'C) {TO_TABLE}))") + ")))", deck=MANY),
    "turns": game(f"(stage player {NEVER} (choice ((turn pass) (turn pass))))", players=2),
    "subsets": game(f"(stage player {NEVER} (choice ((any (subsets (game iloc S)) 'L (move (top 'L) (top (game vloc T)))))))", deck=FIFTY),
    "options": game(
        f"(stage player {NEVER} (choice ((any (game iloc S) 'C (any (game iloc S) 'D (do ((swap 'C 'D))))))))", deck=f"(A ({names(220)}))"
    ),
    "moves": game(f"(stage player {NEVER} (choice ((let (union {'(game iloc S) ' * 400}) 'L (do ({ROUND * 4}))))))", deck=MANY),
}

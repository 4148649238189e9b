"""What is printed where the character set of the reader has no suits and no shapes: the letters that can also be typed.

>>> "5♥ K♠  ▲8 ☺ … ▼".encode("ascii", ERRORS).decode()
'5H KS  R8 J ... v'
"""

import codecs

__all__ = ["ERRORS"]

ERRORS = "meldlab.spelling"
SUITS = {"♣": "C", "♦": "D", "♥": "H", "♠": "S"}
TILES = {"▲": "R", "✕": "K", "■": "B", "●": "O", "◆": "G", "★": "V", "☺": "J"}
MARKS = {"▲": "^", "▼": "v", "…": "...", "√": "sqrt ", "α": "alpha", "−": "-", "—": "-", "≤": "<=", "≥": ">=", "·": "-"}


def _spelled(problem: UnicodeError) -> tuple[str, int]:
    """Return what stands for the characters that cannot be written; the rest of them are question marks."""
    assert isinstance(problem, UnicodeEncodeError)
    text, end = problem.object, problem.end
    words = []
    for at in range(problem.start, end):
        # A triangle is a red tile before its number, and an arrow elsewhere.
        numbered = text[at + 1 : at + 2].isdigit() or text[at] not in MARKS
        known = SUITS | MARKS | (TILES if numbered else {})
        words.append(known.get(text[at], "?"))
    return "".join(words), end


codecs.register_error(ERRORS, _spelled)

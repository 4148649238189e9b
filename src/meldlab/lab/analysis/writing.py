"""What the page of a game takes from its text: the rules in its comments, and the code with its words in colours.

>>> rules = Rules.of(";; Tiny\\n;; Players: 2\\n(game ;; deal a card\\n)")
>>> rules.title, rules.head, rules.notes
('Tiny', ('Players: 2',), ('Deal a card.',))
>>> highlighted("(move 'C) ;; so")
"(<b>move</b> <i>'C</i>) <s>;; so</s>"
"""

import re
from dataclasses import dataclass
from html import escape

from meldlab.recycle.language.words import KEYWORDS

__all__ = ["Rules", "highlighted", "linked"]

_PIECE = re.compile(r"(?P<comment>;;[^\n]*)|(?P<variable>'[A-Z]+)|(?P<number>[0-9]+)|(?P<word>[a-z]+)")
# Short elements of HTML, whose looks the page defines: keywords, variables, numbers and comments come by the thousand.
_LOOKS = {"comment": "s", "variable": "i", "number": "u", "word": "b"}
_POINT = re.compile(r"([0-9]+\.|-|Players:|Rules:) ")
_ADDRESS = re.compile(r"https?://[^\s<>()]+[^\s<>().,;]")


@dataclass(frozen=True)
class Rules:
    """The comments of a program: a title, what stands above the code as paragraphs, and what stands inside it as notes."""

    title: str
    head: tuple[str, ...]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "Rules":
        """Read the comments; lines below each other are one note, an empty one or the point of a list ends a paragraph."""
        head: list[str] = []
        notes: list[str] = []
        inside = following = False
        for line in text.removeprefix("\ufeff").splitlines():
            code, mark, comment = line.partition(";;")
            inside = inside or "(" in code
            said = comment.lstrip(";").strip()
            if mark and said:
                found = notes if inside else head
                goes_on = following and not code.strip() and not (not inside and (len(head) == 1 or _POINT.match(said)))
                if goes_on and found:
                    found[-1] += " " + said
                else:
                    found.append(said)
            following = bool(mark and said)
        return cls(head[0] if head else "", tuple(head[1:]), tuple(_sentence(note) for note in notes))


def _sentence(note: str) -> str:
    """Return a note with a capital and a full stop."""
    note = note[0].upper() + note[1:]
    return note if note[-1] in ".!?:" else note + "."


def highlighted(text: str) -> str:
    """Return a program as HTML."""

    def coloured(piece: re.Match[str]) -> str:
        sort = piece.lastgroup or "word"
        shown = escape(piece[0], quote=False)
        return shown if sort == "word" and piece[0] not in KEYWORDS else f"<{_LOOKS[sort]}>{shown}</{_LOOKS[sort]}>"

    result, at = [], 0
    for piece in _PIECE.finditer(text):
        result += [escape(text[at : piece.start()], quote=False), coloured(piece)]
        at = piece.end()
    return "".join([*result, escape(text[at:], quote=False)])


def linked(text: str) -> str:
    """Return a line as HTML, its addresses as links.

    >>> linked("Rules: https://a.org/b.html (short)")
    'Rules: <a href="https://a.org/b.html">https://a.org/b.html</a> (short)'
    """
    result, at = [], 0
    for found in _ADDRESS.finditer(text):
        result += [escape(text[at : found.start()], quote=False), f'<a href="{escape(found[0])}">{escape(found[0], quote=False)}</a>']
        at = found.end()
    return "".join([*result, escape(text[at:], quote=False)])

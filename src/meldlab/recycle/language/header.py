"""What the page of a game takes from its text: the rules in the comments above the code, and the code below them in colours.

>>> tiny = Preface.of(";; Tiny\\n;; Players: 2\\n(game ;; deal a card\\n)")
>>> tiny.title, tiny.lines, tiny.code
('Tiny', ('Players: 2',), '(game ;; deal a card\\n)')
>>> print(coloured("(move 'C) ;; so"))
(<span class="w">move</span> <span class="v">&#39;C</span>) <span class="c">;; so</span>
"""

import re
from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup, escape

from meldlab.recycle.language.lexer import KEYWORDS

__all__ = ["Preface", "coloured"]

_PIECE = re.compile(r"(?P<c>;;[^\n]*)|(?P<v>'[A-Z]+)|(?P<n>[0-9]+)|(?P<w>[a-z]+)")  # comments, variables, numbers, words
_POINT = re.compile(r"(-|[0-9]+\.|Players:|Rules:) ")


@dataclass(frozen=True)
class Preface:
    """The comments above the code of a program: a title and lines, of which the points of lists are lines of their own; and the code."""

    title: str
    lines: tuple[str, ...]
    code: str

    @classmethod
    def of(cls, text: str) -> "Preface":
        """Read the comments; an empty one or the point of a list ends a line."""
        text = text.removeprefix("\ufeff")
        found: list[str] = []
        following, end = False, 0
        for line in text.splitlines(keepends=True):
            code, _, comment = line.partition(";;")
            if code.strip():
                break
            said = comment.lstrip(";").strip()
            if said and following and len(found) > 1 and not _POINT.match(said):
                found[-1] += " " + said
            elif said:
                found.append(said)
            following, end = bool(said), end + len(line)
        return cls(found[0] if found else "", tuple(found[1:]), text[end:].rstrip())

    @property
    def blocks(self) -> list[tuple[str, int, list[str]]]:
        """Return paragraphs and lists: p, ul or ol, the number of the first point, and what stands in them.

        >>> Preface("", ("Do so:", "2. draw", "3. drop"), "").blocks
        [('p', 1, ['Do so:']), ('ol', 2, ['draw', 'drop'])]
        """

        def kind(line: str) -> str:
            mark = line.partition(" ")[0]
            return "ul" if mark == "-" else "ol" if mark.removesuffix(".").isdecimal() and mark.endswith(".") else "p"

        found = [(which, list(some)) for which, some in groupby(self.lines, kind)]
        return [
            (which, int(some[0].split(".")[0]) if which == "ol" else 1, some if which == "p" else [each.partition(" ")[2] for each in some])
            for which, some in found
        ]


def coloured(text: str) -> Markup:
    """Return a program as HTML, its words in the classes w (of the language), v (variables), n (numbers) and c (comments)."""
    shown, at = Markup(), 0
    parts: list[Markup] = []
    for piece in _PIECE.finditer(text):
        if piece.lastgroup == "w" and piece[0] not in KEYWORDS:
            continue
        parts += [escape(text[at : piece.start()]), Markup('<span class="{}">{}</span>').format(piece.lastgroup, piece[0])]
        at = piece.end()
    return shown.join([*parts, escape(text[at:])])

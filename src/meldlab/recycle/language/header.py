"""Header of a program: the title and rules in the comments above the code; highlighting of the code.

>>> tiny = Header.parse(";; Tiny\\n;; Players: 2\\n(game ;; deal a card\\n)")
>>> tiny.title, tiny.lines, tiny.code
('Tiny', ('Players: 2',), '(game ;; deal a card\\n)')
>>> print(highlight("(move 'C) ;; so"))
(<span class="w">move</span> <span class="v">&#39;C</span>) <span class="c">;; so</span>
"""

import re
from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup, escape

from meldlab.recycle.language.lexer import KEYWORDS

_PIECE = re.compile(r"(?P<c>;;[^\n]*)|(?P<v>'[A-Z]+)|(?P<n>[0-9]+)|(?P<w>[a-z]+)")  # comments, variables, numbers, words
_POINT = re.compile(r"(-|[0-9]+\.|Players:|Rules:) ")


@dataclass(frozen=True)
class Header:
    """The comments above the code of a program: a title and lines, each point of a list on a line of its own; and the code."""

    title: str
    lines: tuple[str, ...]
    code: str

    @classmethod
    def parse(cls, text: str) -> "Header":
        """Parse the comments without labels; an empty comment or the point of a list ends a line."""
        text = text.removeprefix("\ufeff")
        lines: list[str] = []
        continued, end = False, 0
        for line in text.splitlines(keepends=True):
            code, _, comment = line.partition(";;")
            if code.strip():
                break
            words = "" if comment.startswith("=") else comment.lstrip(";").strip()
            if words and continued and len(lines) > 1 and not _POINT.match(words):
                lines[-1] += " " + words
            elif words:
                lines.append(words)
            continued, end = bool(words), end + len(line)
        return cls(lines[0] if lines else "", tuple(lines[1:]), text[end:].rstrip())

    @property
    def blocks(self) -> list[tuple[str, int, list[str]]]:
        """Return paragraphs and lists: p, ul or ol, the number of the first point, and the lines.

        >>> Header("", ("Do so:", "2. draw", "3. drop"), "").blocks
        [('p', 1, ['Do so:']), ('ol', 2, ['draw', 'drop'])]
        """

        def kind(line: str) -> str:
            mark = line.partition(" ")[0]
            return "ul" if mark == "-" else "ol" if mark.removesuffix(".").isdecimal() and mark.endswith(".") else "p"

        blocks = [(which, list(lines)) for which, lines in groupby(self.lines, kind)]
        return [
            (
                which,
                int(lines[0].split(".")[0]) if which == "ol" else 1,
                lines if which == "p" else [line.partition(" ")[2] for line in lines],
            )
            for which, lines in blocks
        ]


def highlight(text: str) -> Markup:
    """Return a program as HTML, its words in the classes w (of the language), v (variables), n (numbers) and c (comments)."""
    parts: list[Markup] = []
    end = 0
    for piece in _PIECE.finditer(text):
        if piece.lastgroup == "w" and piece[0] not in KEYWORDS:
            continue
        parts += [escape(text[end : piece.start()]), Markup('<span class="{}">{}</span>').format(piece.lastgroup, piece[0])]
        end = piece.end()
    return Markup().join([*parts, escape(text[end:])])

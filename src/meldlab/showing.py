"""How a value shows itself in a notebook: rows as HTML, in which every text is escaped.

>>> rows_html(["player", "won"], [["<me>", 0.5]], "one & all")
'<table><caption>one &amp; all</caption><tr><th>player</th><th>won</th></tr><tr><td>&lt;me&gt;</td><td>0.5</td></tr></table>'
"""

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["rows_html"]


def rows_html(headings: Sequence[str], rows: Iterable[Sequence[object]], says: str = "") -> str:
    """Return headings and rows as HTML below what is said of them; without headings the first of each row is its heading."""
    head = f"<tr>{''.join(f'<th>{escape(each)}</th>' for each in headings)}</tr>" if headings else ""
    body = ""
    for row in rows:
        cells = [escape(str(cell)) for cell in row]
        first = f"<td>{cells[0]}</td>" if headings else f'<th scope="row">{cells[0]}</th>'
        body += f"<tr>{first}{''.join(f'<td>{cell}</td>' for cell in cells[1:])}</tr>"
    return f"<table>{f'<caption>{escape(says)}</caption>' if says else ''}{head}{body}</table>"

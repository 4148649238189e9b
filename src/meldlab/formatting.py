"""Times as text, and tables as HTML for notebooks.

>>> html_table(["player", "won"], [["<me>", 0.5]], "one & all")
'<table><caption>one &amp; all</caption><tr><th>player</th><th>won</th></tr><tr><td>&lt;me&gt;</td><td>0.5</td></tr></table>'
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from html import escape


def html_table(headings: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """Return an HTML table; without headings the first cell of each row is its heading."""
    head = f"<tr>{''.join(f'<th>{escape(heading)}</th>' for heading in headings)}</tr>" if headings else ""
    body = ""
    for row in rows:
        cells = [escape(str(cell)) for cell in row]
        first = f"<td>{cells[0]}</td>" if headings else f'<th scope="row">{cells[0]}</th>'
        body += f"<tr>{first}{''.join(f'<td>{cell}</td>' for cell in cells[1:])}</tr>"
    return f"<table>{f'<caption>{escape(caption)}</caption>' if caption else ''}{head}{body}</table>"


def time_text(seconds: float) -> str:
    """Return a time as text in a suitable unit.

    >>> time_text(90), time_text(200000)
    ('90 seconds', '2 days')
    """
    for name, unit in (("years", 365.25 * 86400), ("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * unit:
            return f"{seconds / unit:,.0f} {name}"
    return f"{seconds:.0f} second{'s' * (f'{seconds:.0f}' != '1')}"


def utc_text(seconds: float) -> str:
    """Return a time in ISO 8601, UTC.

    >>> utc_text(0.0)
    '1970-01-01T00:00:00Z'
    """
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

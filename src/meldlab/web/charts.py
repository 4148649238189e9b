"""Small charts as SVG: text as text, in the colours of the page.

>>> "<svg" in str(bars([0.1, 0.4, 0.5], "turns", "chance"))
True
"""

from collections.abc import Sequence

from markupsafe import Markup, escape

__all__ = ["bars", "curve"]

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 600, 220, 46, 34, 10


def bars(values: Sequence[float], below: str, says: str) -> Markup:
    """Return one bar for each value, numbered from 0."""
    most = max(values, default=0) or 1.0
    wide = (WIDTH - LEFT) / max(1, len(values))
    parts = []
    for place, value in enumerate(values):
        high = (HEIGHT - BOTTOM - TOP) * value / most
        parts.append(
            f'<rect x="{LEFT + place * wide + 0.1 * wide:.1f}" y="{HEIGHT - BOTTOM - high:.1f}" width="{0.8 * wide:.1f}" '
            f'height="{high:.1f}"><title>{place}: {value:.4f}</title></rect>'
        )
    every = max(1, -(-len(values) // 10))
    marks = [(LEFT + (place + 0.5) * wide, str(place)) for place in range(0, len(values), every)]
    return _framed("".join(parts), marks, [(0.0, "0"), (1.0, f"{most:.3g}")], below, says)


def curve(values: Sequence[float], place: float, value: float, below: str, left: str) -> Markup:
    """Return a rising line over shares from 0 to 1, with one place on it marked."""
    most = max(values, default=0) or 1.0

    def at(x: float, y: float) -> str:
        return f"{LEFT + x * (WIDTH - LEFT - 8):.1f},{HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * y / most:.1f}"

    points = " ".join(at(number / max(1, len(values) - 1), each) for number, each in enumerate(values))
    x, y = at(place, value).split(",")
    body = (
        f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="2"/>'
        f'<circle class="mark" cx="{x}" cy="{y}" r="6"><title>{value:.4f}</title></circle>'
    )
    marks = [(LEFT + share * (WIDTH - LEFT - 8), f"{share:.0%}") for share in (0, 0.25, 0.5, 0.75, 1)]
    says = f"{left}, all hands from the quickest to the slowest; this one at {place:.0%} with {value:.2f}"
    return _framed(body, marks, [(0.0, "0"), (1.0, f"{most:.3g}")], below, says)


def _framed(body: str, marks: Sequence[tuple[float, str]], heights: Sequence[tuple[float, str]], below: str, says: str) -> Markup:
    base = HEIGHT - BOTTOM
    ticks = "".join(f'<text x="{x:.1f}" y="{base + 15}" text-anchor="middle">{escape(text)}</text>' for x, text in marks)
    sides = "".join(
        f'<text x="{LEFT - 6}" y="{base - share * (base - TOP) + 4:.1f}" text-anchor="end">{escape(text)}</text>' for share, text in heights
    )
    return Markup(
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(says)}">'
        f'<path class="axis" d="M{LEFT} {TOP} V{base} H{WIDTH}"/>{body}{ticks}{sides}'
        f'<text x="{(WIDTH + LEFT) / 2}" y="{HEIGHT - 3}" text-anchor="middle">{escape(below)}</text></svg>'
    )

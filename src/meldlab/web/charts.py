"""Small charts as SVG: text as text, in the colours of the page.

>>> "<svg" in str(bars(range(3), [0.1, 0.4, 0.5], below="turns", says="chance"))
True
"""

from collections.abc import Sequence

from markupsafe import Markup, escape

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 600, 220, 46, 34, 10


def bars(names: Sequence[float], *series: Sequence[float], below: str, says: str) -> Markup:
    """Return bars for each name, side by side: one of each series."""
    most = max((value for values in series for value in values), default=0) or 1.0
    wide = (WIDTH - LEFT) / max(1, len(names))
    item, parts = 0.8 / len(series), []
    for place, (name, *values) in enumerate(zip(names, *series, strict=True)):
        for side, value in enumerate(values):
            high = (HEIGHT - BOTTOM - TOP) * value / most
            parts.append(
                f'<rect class="side-{side}" x="{LEFT + (place + 0.1 + item * side) * wide:.1f}" y="{HEIGHT - BOTTOM - high:.1f}" '
                f'width="{item * wide:.1f}" height="{high:.1f}"><title>{name:g}: {value:.4f}</title></rect>'
            )
    every = max(1, -(-len(names) // 10))
    marks = [(LEFT + (place + 0.5) * wide, f"{names[place]:g}") for place in range(0, len(names), every)]
    return _framed("".join(parts), marks, [(0.0, "0"), (1.0, f"{most:.3g}")], below, says)


def curve(values: Sequence[float], place: float, value: float, below: str, left: str) -> Markup:
    """Return a rising line over shares from 0 to 1, with one place on it marked."""
    most = max(values, default=0) or 1.0

    def at(x: float, y: float) -> str:
        return f"{LEFT + x * (WIDTH - LEFT - 8):.1f},{HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * y / most:.1f}"

    points = " ".join(at(number / max(1, len(values) - 1), item) for number, item in enumerate(values))
    x, y = at(place, value).split(",")
    body = (
        f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="2"/>'
        f'<circle class="mark" cx="{x}" cy="{y}" r="6"><title>{value:.4f}</title></circle>'
    )
    marks = [(LEFT + share * (WIDTH - LEFT - 8), f"{share:.0%}") for share in (0, 0.25, 0.5, 0.75, 1)]
    says = f"{left}, all hands from the quickest to the slowest; this one at {place:.0%} with {value:.2f}"
    return _framed(body, marks, [(0.0, "0"), (1.0, f"{most:.3g}")], below, says)


def dots(points: Sequence[Sequence[float]], below: str, says: str) -> Markup:
    """Return points from left to right, and the best so far as a line."""
    if not points:
        return Markup("")
    wide, low, high = max(x for x, _ in points) or 1.0, min(y for _, y in points), max(y for _, y in points)
    span = high - low or 1.0

    def at(x: float, y: float) -> tuple[float, float]:
        return LEFT + x / wide * (WIDTH - LEFT - 8), HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * (y - low) / span

    body, line, best = "", [], low
    for x, y in points:
        best = max(best, y)
        left, top = at(x, y)
        body += f'<circle cx="{left:.1f}" cy="{top:.1f}" r="2.2" fill-opacity=".5"/>'
        line.append("{:.1f},{:.1f}".format(*at(x, best)))
    body += f'<polyline class="path" points="{" ".join(line)}"/>'
    marks = [(LEFT + share * (WIDTH - LEFT - 8), f"{share * wide:,.0f}") for share in (0, 0.5, 1)]
    return _framed(body, marks, [(0.0, f"{low:.3g}"), (1.0, f"{high:.3g}")], below, says)


def intervals(rows: Sequence[tuple[str, float, float, float]], says: str) -> Markup:
    """Return a line for each name from the low to the high end of its interval, a dot at its value."""
    if not rows:
        return Markup("")
    low, high = min(row[2] for row in rows), max(row[3] for row in rows)
    span, body = high - low or 1.0, ""

    def at(value: float) -> float:
        return 250 + (value - low) / span * 330

    for place, (name, value, first, last) in enumerate(rows):
        y = 14 + 20 * place
        body += (
            f'<text x="242" y="{y + 4}" text-anchor="end">{escape(name)}</text>'
            f'<path class="axis" stroke-width="2" d="M{at(first):.1f} {y} H{at(last):.1f}"/>'
            f'<circle cx="{at(value):.1f}" cy="{y}" r="4"><title>{value:.4f} ({first:.4f} to {last:.4f})</title></circle>'
        )
    base = 20 * len(rows) + 20
    ends = f'<text x="250" y="{base}">{low:.3f}</text><text x="580" y="{base}" text-anchor="end">{high:.3f}</text>'
    return Markup(f'<svg class="chart" viewBox="0 0 600 {base + 6}" role="img" aria-label="{escape(says)}">{body}{ends}</svg>')


def chances(
    lines: Sequence[Sequence[tuple[float, float]]],
    rounds: Sequence[int],
    marks: Sequence[tuple[float, float, str, str]],
    says: str,
) -> Markup:
    """Return chances over a match, a line for each seat; rounds divided, and marked places that lead somewhere: (x, y, address, title)."""
    wide = max((x for line in lines for x, _ in line), default=0) or 1.0
    base = HEIGHT - BOTTOM

    def at(x: float, y: float) -> tuple[float, float]:
        return LEFT + x / wide * (WIDTH - LEFT - 12), base - (base - TOP) * y

    body = f'<path class="half" d="M{LEFT} {at(0, 0.5)[1]:.1f} H{WIDTH - 12}"/>'
    body += "".join(f'<path class="round" d="M{at(x, 0)[0]:.1f} {TOP} V{base}"/>' for x in rounds)
    for number, line in enumerate(lines):
        points = " ".join("{:.1f},{:.1f}".format(*at(x, y)) for x, y in line)
        body += f'<polyline class="line-{number}" points="{points}"/>'
    for x, y, address, title in marks:
        left, top = at(x, y)
        body += (
            f'<a href="{escape(address)}" aria-label="{escape(title)}"><circle class="target" cx="{left:.1f}" cy="{top:.1f}" r="14"/>'
            f'<circle class="mark" cx="{left:.1f}" cy="{top:.1f}" r="6"><title>{escape(title)}</title></circle></a>'
        )
    below = [(at(x, 0)[0], str(x)) for x in range(0, int(wide) + 1, max(1, _round_step(wide)))]
    return _framed(body, below, [(0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %")], "action", says, role="group" if marks else "img")


def _round_step(wide: float) -> int:
    """Return the step between numbers below a line: about six of them, round ones."""
    return next((step for step in (5, 10, 20, 50, 100, 200, 500, 1000, 5000) if wide / step <= 7), 10_000)


def heat(values: Sequence[Sequence[float]], path: Sequence[Sequence[int]], says: str) -> Markup:
    """Return a field for each position, black cards left upwards and red cards left to the right, with the path that was taken."""
    rows, columns = len(values), len(values[0])
    low, high = min(map(min, values)), max(map(max, values))
    size = min(20.0, 420.0 / max(rows, columns))
    parts = []
    for black, row in enumerate(values):
        for red, value in enumerate(row):
            share = (value - low) / (high - low) if high > low else 0.0
            parts.append(
                f'<rect x="{30 + red * size:.1f}" y="{(rows - 1 - black) * size:.1f}" width="{size:.1f}" height="{size:.1f}" '
                f'fill-opacity="{0.06 + 0.9 * share:.3f}"><title>{black} black, {red} red left: {value:.4g}</title></rect>'
            )
    points = " ".join(f"{30 + (red + 0.5) * size:.1f},{(rows - 0.5 - black) * size:.1f}" for black, red in path)
    last = points.split(" ")[-1].split(",") if points else None
    mark = f'<circle class="mark" cx="{last[0]}" cy="{last[1]}" r="{max(4, size / 2.5):.1f}"/>' if last else ""
    width, height = 30 + columns * size + 4, rows * size + 34
    side = (
        f'<text transform="translate(14 {rows * size / 2:.0f}) rotate(-90)" text-anchor="middle">black cards left: 0 to {rows - 1}</text>'
    )
    return Markup(
        f'<svg class="chart heat-map" viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{escape(says)}">{"".join(parts)}'
        f'<polyline class="path" points="{points}"/>{mark}'
        f'<text x="{30 + columns * size / 2:.0f}" y="{height - 4:.0f}" text-anchor="middle">red cards left: 0 to {columns - 1}</text>'
        f"{side}</svg>"
    )


def _framed(
    body: str, marks: Sequence[tuple[float, str]], heights: Sequence[tuple[float, str]], below: str, says: str, role: str = "img"
) -> Markup:
    base = HEIGHT - BOTTOM
    ticks = "".join(f'<text x="{x:.1f}" y="{base + 15}" text-anchor="middle">{escape(text)}</text>' for x, text in marks)
    sides = "".join(
        f'<text x="{LEFT - 6}" y="{base - share * (base - TOP) + 4:.1f}" text-anchor="end">{escape(text)}</text>' for share, text in heights
    )
    return Markup(
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="{role}" aria-label="{escape(says)}">'
        f'<path class="axis" d="M{LEFT} {TOP} V{base} H{WIDTH}"/>{body}{ticks}{sides}'
        f'<text x="{(WIDTH + LEFT) / 2}" y="{HEIGHT - 3}" text-anchor="middle">{escape(below)}</text></svg>'
    )

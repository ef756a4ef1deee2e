"""A curve as SVG: what a context still holds against what it saves, beside the window baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

Point = tuple[float, float, str]
"""Reduction, recall, and what to write beside it."""
WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 64, 24, 48, 56
COLOURS = ("#1f77b4", "#d1603d", "#4a9d5b", "#7a5ba6")
INK, FAINT, PAPER = "#24292f", "#d0d7de", "#ffffff"
TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
LEGEND_LINE = 20


def curve(title: str, lines: Mapping[str, Sequence[Point]]) -> str:
    """SVG of named lines over the unit square: to the right saves more, up remembers more."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" font-family="sans-serif" font-size="13" fill="{INK}" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}"/>',
        _text(LEFT, 26, title, size=16),
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, "tokens saved against the whole history", "middle"),
        f'<g transform="rotate(-90 18 {(TOP + HEIGHT - BOTTOM) / 2})">'
        + _text(18, (TOP + HEIGHT - BOTTOM) / 2, "needed tool values still there", "middle")
        + "</g>",
    ]
    for tick in TICKS:
        x, y = _x(tick), _y(tick)
        parts += [
            f'<path d="M{x} {TOP}V{HEIGHT - BOTTOM}M{LEFT} {y}H{WIDTH - RIGHT}" stroke="{FAINT}"/>',
            _text(x, HEIGHT - BOTTOM + 18, f"{tick:.0%}", "middle"),
            _text(LEFT - 8, y + 4, f"{tick:.0%}", "end"),
        ]
    for number, ((name, points), colour) in enumerate(zip(lines.items(), COLOURS, strict=False)):
        path = "L".join(f"{_x(saved)} {_y(kept)}" for saved, kept, _ in points)
        parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        for saved, kept, said in points:
            parts.append(f'<circle cx="{_x(saved)}" cy="{_y(kept)}" r="4" fill="{colour}"/>')
            parts.append(_text(_x(saved) + 6, _y(kept) + 16, said, size=11))
        at = HEIGHT - BOTTOM - 12 - LEGEND_LINE * number
        parts.append(f'<rect x="{LEFT + 12}" y="{at - 10}" width="18" height="4" fill="{colour}"/>')
        parts.append(_text(LEFT + 38, at - 3, name))
    return "\n".join([*parts, "</svg>", ""])


def _x(share: float) -> float:
    return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)


def _y(share: float) -> float:
    return round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 1)


def _text(x: float, y: float, said: str, anchor: str = "start", size: int = 13) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="{size}">{escape(said)}</text>'

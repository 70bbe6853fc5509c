"""Bars as SVG, drawn by hand so that a plot needs no library."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT, LEFT, ROW = 26, 90, 16, 150
_STYLE = (
    "text{font:12px sans-serif;fill:#57606a}.bar{fill:#8fb4d9}.cut{fill:#1f6feb}.label{stroke:#d1242f;stroke-width:2}"
    ".axis{stroke:#8c959f}.half{stroke:#8c959f;stroke-dasharray:3 3}"
)


def draw(rows: Sequence[tuple[Sequence[float], Sequence[int], Sequence[int]]]) -> str:
    """Rows of bars.

    Args:
        rows: for each the heights (0..1, one a turn, the first without a meaning), the turns at which a segment was
            found to begin, and those at which people say that one does.
    """
    width = LEFT * 2 + WIDTH * max(len(heights) for heights, _, _ in rows)
    height = ROW * len(rows) + 34
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        "<title>How much speaks for a new beat before each turn, where one begins, and where people say so</title>",
        f"<style>{_STYLE}</style>",
    ]
    for number, (heights, found, right) in enumerate(rows):
        base = ROW * number + HEIGHT + 22
        end = LEFT + WIDTH * len(heights)
        middle = base - HEIGHT / 2
        parts.append(f'<line class="half" x1="{LEFT}" x2="{end}" y1="{middle}" y2="{middle}"/>')
        for place, share in enumerate(heights):
            at = LEFT + WIDTH * place
            if place:
                kind = "cut" if place in found else "bar"
                tall = max(1.0, round(HEIGHT * share, 1))
                parts.append(
                    f'<rect class="{kind}" x="{at - 5}" y="{round(base - tall, 1)}" width="10" height="{tall}"/>'
                )
            parts.append(f'<text x="{at + WIDTH / 2}" y="{base + 16}" text-anchor="middle">{place + 1}</text>')
        marks = (LEFT + WIDTH * place for place in right)
        parts += [f'<line class="label" x1="{at}" x2="{at}" y1="{base}" y2="{base + 24}"/>' for at in marks]
        parts.append(f'<line class="axis" x1="{LEFT}" x2="{end}" y1="{base}" y2="{base}"/>')
    parts.append(
        f'<text x="{LEFT}" y="{height - 10}">Bars: evidence for a new beat before a turn; dark: one begins. '
        "Red below: people say so.</text></svg>"
    )
    return "\n".join(parts) + "\n"


@dataclass(frozen=True, slots=True)
class Panel:
    """Distributions over one kind of text, each as shares of equal bins."""

    name: str
    weights: Sequence[float]
    importance: Sequence[float]
    plain: Sequence[float]


def draw_panels(panels: Sequence[Panel]) -> str:
    """A row for each panel: layer 1 on the left; on the right importance as bars, and by the plain sum as a line."""
    wide, tall, name_wide, gap = 216, 56, 152, 40
    step = tall + 22
    width, height = name_wide + 2 * wide + gap + 16, step * len(panels) + 66
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        "<title>How layer 1 and importance are spread over turns of real conversations</title>",
        f"<style>{_STYLE}.plain{{stroke:#d1242f;fill:none;stroke-width:1.5}}</style>",
        f'<text x="{name_wide}" y="16">layer 1, 0 to 1</text>',
        f'<text x="{name_wide + wide + gap}" y="16">importance, 1 to 10</text>',
    ]
    for number, panel in enumerate(panels):
        base = 26 + step * number + tall
        parts.append(f'<text x="8" y="{base - 4}">{panel.name}</text>')
        for left, shares in ((name_wide, panel.weights), (name_wide + wide + gap, panel.importance)):
            parts += _columns(shares, left, base, wide, tall)
        line = _steps(panel.plain, name_wide + wide + gap, base, wide, tall)
        parts.append(f'<polyline class="plain" points="{line}"/>')
    parts.append(
        f'<text x="8" y="{height - 10}">Each bin as a share of all turns, a quarter at the top. '
        "Red: importance as SIGMA's plain sum.</text></svg>"
    )
    return "\n".join(parts) + "\n"


def _columns(shares: Sequence[float], left: float, base: float, wide: float, tall: float) -> list[str]:
    step = wide / len(shares)
    path = "".join(
        f"M{round(left + step * place + 0.5, 1)} {base}v-{round(_tall(share, tall), 1)}h{round(step - 1, 1)}V{base}z"
        for place, share in enumerate(shares)
    )
    axis = f'<line class="axis" x1="{left}" x2="{left + wide}" y1="{base}" y2="{base}"/>'
    return [f'<path class="cut" d="{path}"/>', axis]


def _steps(shares: Sequence[float], left: float, base: float, wide: float, tall: float) -> str:
    step = wide / len(shares)
    corners = (
        (left + step * (place + side), base - _tall(share, tall))
        for place, share in enumerate(shares)
        for side in (0, 1)
    )
    return " ".join(f"{round(x, 1)},{round(y, 1)}" for x, y in corners)


def _tall(share: float, tall: float) -> float:
    return min(1.0, share / 0.25) * tall

"""Draws recall against tokens as SVG, one line for each run and form. Pure and deterministic."""

import math
from collections.abc import Sequence
from typing import Final
from xml.sax.saxutils import escape

from clew.errors import InputError
from clew.evaluate.results import Run, mean

WIDTH: Final = 720
HEIGHT: Final = 400
LEFT, RIGHT, TOP, BOTTOM = 48, 250, 16, 44
COLOURS: Final = ("#1f6feb", "#d1242f", "#1a7f37", "#8250df", "#bf8700", "#57606a")
_STYLE = "text{font:12px sans-serif;fill:#57606a}line{stroke:#d0d7de}polyline{fill:none;stroke-width:2}"


def curve(runs: Sequence[Run], names: Sequence[str]) -> str:
    """An SVG of the share of evidence found by budget, bare (solid line) and rendered (dashed line).

    Args:
        names: names of the runs, for the legend.

    Raises:
        InputError: there is no run, fewer than two budgets or one below 1, or no question was measured.
    """
    budgets = sorted({budget for run in runs for budget in run.budgets})
    if len(budgets) < 2 or budgets[0] < 1:
        raise InputError(f"a curve needs two budgets or more, each 1 or more; the results have {budgets or 'none'}")
    measured = [value for run in runs for form in run.forms for _, value in _points(run, form)]
    if not measured:
        raise InputError("the results have no question, so there is nothing to draw; give those of another run")
    lowest = min(measured)
    floor = min(90, 10 * math.floor(lowest / 10))

    def x(budget: float) -> float:
        share = math.log(budget / budgets[0]) / math.log(budgets[-1] / budgets[0])
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)

    def y(value: float) -> float:
        return round(TOP + (100 - value) / (100 - floor) * (HEIGHT - TOP - BOTTOM), 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        "<title>Evidence turns found, in per cent, by the tokens of the context</title>",
        f"<style>{_STYLE}</style>",
    ]
    for value in range(floor, 101, 10):
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(value)}" y2="{y(value)}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(value) + 4}" text-anchor="end">{value}</text>')
    parts += [
        f'<text x="{x(budget)}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{budget:,}</text>' for budget in budgets
    ]
    parts.append(f'<text x="{LEFT}" y="{HEIGHT - 6}">tokens of four characters; broken line: the rendered block</text>')
    for index, (run, name) in enumerate(zip(runs, names, strict=True)):
        colour = COLOURS[index % len(COLOURS)]
        for form in run.forms:
            line = " ".join(f"{x(budget)},{y(value)}" for budget, value in _points(run, form))
            dashes = "" if form == "bare" else ' stroke-dasharray="5 4"'
            parts.append(f'<polyline stroke="{colour}"{dashes} points="{line}"/>')
        height = TOP + 14 + 20 * index
        left = WIDTH - RIGHT + 16
        parts.append(
            f'<line x1="{left}" x2="{left + 20}" y1="{height - 4}" y2="{height - 4}" style="stroke:{colour}"/>'
        )
        parts.append(f'<text x="{left + 28}" y="{height}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _points(run: Run, form: str) -> list[tuple[int, float]]:
    """Each budget with the percentage of evidence found."""
    points = ((budget, mean(run.outcomes, form, budget, "recall")) for budget in run.budgets)
    return [(budget, 100 * value.mean) for budget, value in points if value is not None]

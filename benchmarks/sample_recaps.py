"""Writes docs/recaps.md, the recaps of two conversations that come with Clew: `python -m benchmarks.sample_recaps`."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.check import AGENT, ROOT, SAMPLE
from clew.condense.recap import Recap
from clew.evaluate.compression.histories import load_histories
from clew.evaluate.metrics import tokens
from clew.memory import Memory
from clew.recall.recap import Style

PAGE: Final = ROOT / "docs" / "recaps.md"
BUDGET: Final = 1_500
_TOP: Final = """\
# Two recaps

Recaps of two conversations that were made up for Clew, by the rules alone, with `python -m benchmarks.sample_recaps`.
`[#n]` is a turn; `clew restore` shows it in full. [condense.md](condense.md) says how a recap is made.
"""


def recap_of_sample(path: Path, style: Style, budget: int = BUDGET) -> tuple[Recap, int]:
    """The recap of a conversation's joined sessions, and the tokens of its turns."""
    (history,) = load_histories(path)
    with TemporaryDirectory() as home, Memory.open(home, embedder="none") as memory:
        memory.add_many(list(history.turns))
        memory.drain()
        return memory.recap(history.name, budget=budget, style=style), sum(tokens(turn.text) for turn in history.turns)


def main() -> None:
    parts = [_TOP]
    place: Path
    style: Style
    for title, place, style, said in (
        ("A coding agent's session", AGENT, "quest", "`benchmarks/samples/agent_session`, a morning's work"),
        ("A conversation of a team", SAMPLE, "chat", "the sample conversation of `clew demo`, its sessions joined"),
    ):
        recap, size = recap_of_sample(place, style)
        parts.append(
            f"## {title}\n\n{said}: {size:,} tokens; the recap has {recap.tokens:,} of at most {BUDGET:,}.\n\n"
            f"````markdown\n{recap.text}````\n"
        )
    PAGE.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()

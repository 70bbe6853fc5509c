"""`clew query`: the turns for which an expression of the lattice algebra holds."""

from collections.abc import Mapping
from typing import Any, Final

import click
from rich.text import Text

from clew.cli.opening import open_memory
from clew.cli.options import Scope, common, narrowing
from clew.cli.show import counted, day, dim, emit, err, excerpt, out, printable, turn_record, who
from clew.memory import Memory
from clew.text.names import quoted
from clew.types import Turn
from clew.types.annotation import Annotation

PATIENCE: Final = 2.0
"""Seconds that turns which were just added are waited for."""

SHOWN: Final = 20
"""Turns that are listed when nobody says how many."""

WORDS: Final = 240
"""Characters of a turn that the list shows."""

_SCORES: Final = ("importance", "novelty", "layer1", "coherence")
_FLAGS: Final = ("paradigm_shift", "routine")


@click.command()
@click.argument("expression")
@click.option("--limit", type=click.IntRange(min=1), metavar="NUMBER", help="Turns at most; 20, or all with --json.")
@narrowing
@common
def query(scope: Scope, expression: str, limit: int | None, **only: Any) -> None:
    r"""List the turns for which an expression holds, in the order in which they came.

    It compares overlays (O1 to O7), importance, novelty, layer1, coherence and labels with numbers, and knows flags,
    role, speaker, session, dates and "phrases", joined by AND, OR, NOT and parentheses:

    \b
      (O1 > 7) AND (O2 > 7)
      tag:auth >= 0.3 AND NOT routine
      (paradigm_shift OR importance > 8) AND since "last month"
      speaker = Alice AND "staging server" AND before 2025-04-15

    docs/query.md has all of it. Of a turn that is not analysed yet no score holds, nor its contrary. With --json there
    is one turn a line.
    """
    with open_memory(scope) as memory:
        memory.drain(PATIENCE)
        most = limit if scope.as_json else (limit or SHOWN) + 1
        turns = memory.query(expression, limit=most, **only)
        if scope.as_json:
            emit(*map(turn_record, turns))
        else:
            _list(memory, turns, limit or SHOWN, " ".join(quoted(expression)))
        waiting = memory.stats().pending.get("analyse", 0)
    if waiting:
        err().print(f"{counted(waiting, 'turn')} not analysed yet, of which no score is known; `clew work` does that")


def _list(memory: Memory, turns: list[Turn], limit: int, words: str) -> None:
    """Shows turns with what is known of them; long ones where they hold most of `words`."""
    for turn in turns[:limit]:
        said = _said(memory.annotations(str(turn.id)))
        heading = Text.assemble((f"{day(turn.at)} {who(turn)}", "bold"), dim(f"  {turn.id}"))
        out().print(Text.assemble(heading, "\n", excerpt(turn.text, words, WORDS), dim(f"\n{said}" if said else "")))
    if len(turns) > limit:
        err().print(f"There are more than {counted(limit, 'turn')}; --limit shows them.", style="dim")
    elif not turns:
        err().print("The expression holds for no turn.", style="dim")


def _said(annotations: Mapping[str, Annotation]) -> str:
    """What is known of a turn, in one line; overlays that nothing raised are left out."""
    said = {kind: each.value for kind, each in annotations.items()}
    shown = [f"{name} {said[name]:.2f}" for name in _SCORES if name in said]
    shown += [f"{name.partition('_')[0]} {score:.1f}" for name, score in said.get("overlays", {}).items()]
    shown += [name for name in _FLAGS if said.get(name)]
    shown += [f"tag:{name}" for name in said.get("tags", {})]
    return printable(", ".join(shown))

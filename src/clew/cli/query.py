"""`clew query`: lists the turns that match an expression of the lattice algebra."""

from collections.abc import Mapping
from typing import Any, Final

import click
from rich.text import Text

from clew.cli.narrowing import with_times
from clew.cli.opening import PATIENCE, open_memory
from clew.cli.options import Scope, common, limited, most_rows, narrowing
from clew.cli.show import day, dim, err, excerpt, out, turn_record, who
from clew.cli.terminal import emit
from clew.memory import Memory
from clew.rank.algebra.evaluate import needs_analysis
from clew.rank.algebra.parser import parse
from clew.text.counted import counted
from clew.text.names import quoted
from clew.text.printable import printable
from clew.types import Turn
from clew.types.annotation import Annotation

WORDS: Final = 240
"""Most characters shown of a turn."""

_SCORES: Final = ("importance", "novelty", "layer1", "coherence")
_FLAGS: Final = ("paradigm_shift", "routine")


_EXAMPLES: Final = """\b
Examples:
  clew query "(O1 > 7) AND (O2 > 7)"
  clew query "tag:auth >= 0.3 AND NOT routine"
  clew query "(paradigm_shift OR importance > 8) AND since 'last month'"
  clew query "speaker = Alice AND 'staging server' AND before 2025-04-15"
"""


@click.command(epilog=_EXAMPLES)
@click.argument("expression")
@limited("turns")
@narrowing
@common
def query(scope: Scope, expression: str, limit: int | None, **only: Any) -> None:
    """List the turns that match an expression, in the order in which they came.

    An expression compares overlays (O1 to O7), importance, novelty, layer1, coherence and labels with numbers, and
    tests flags, role, speaker, session, dates and "phrases". Combine conditions with AND, OR, NOT and parentheses.

    docs/query.md describes the whole language. Score conditions, even negated, never match turns not yet analysed. With
    --json, one turn per line.
    """
    with open_memory(scope) as memory:
        memory.drain(PATIENCE)
        most = most_rows(scope, limit)
        turns = memory.query(expression, limit=most if scope.as_json else most + 1, **with_times(memory, only))
        if scope.as_json:
            emit(*map(turn_record, turns))
        else:
            _list(memory, turns, most, " ".join(quoted(expression)))
        needs = needs_analysis(parse(expression, memory.reads.clock()))
        waiting = memory.stats().pending.get("analyse", 0) if needs else 0
    if waiting:
        err().print(f"{counted(waiting, 'turn')} not analysed yet, so no score matches; `clew work --once` does it now")


def _list(memory: Memory, turns: list[Turn], limit: int, words: str) -> None:
    """Prints turns with their annotations; a long turn at the part that contains most of `words`."""
    for turn in turns[:limit]:
        scores = _annotation_line(memory.annotations(str(turn.id)))
        heading = Text.assemble((f"{day(turn.at)} {who(turn)}", "bold"), dim(f"  {turn.id}"))
        body = excerpt(turn.text, words, WORDS)
        out().print(Text.assemble(heading, "\n", body, dim(f"\n{scores}" if scores else "")))
    if len(turns) > limit:
        err().print(f"There are more turns than {limit:,}; --limit shows more.", style="dim")
    elif not turns:
        err().print("No turn matches the expression.", style="dim")


def _annotation_line(annotations: Mapping[str, Annotation]) -> str:
    """The annotations of a turn in one line; overlays without a score are left out."""
    values = {kind: annotation.value for kind, annotation in annotations.items()}
    shown = [f"{name} {values[name]:.2f}" for name in _SCORES if name in values]
    shown += [f"{name.partition('_')[0]} {score:.1f}" for name, score in values.get("overlays", {}).items()]
    shown += [name for name in _FLAGS if values.get(name)]
    shown += [f"tag:{name}" for name in values.get("tags", {})]
    return printable(", ".join(shown))

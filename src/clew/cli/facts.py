"""`clew facts`, `clew history` and `clew graph`: what turns state, how it changed, and how it hangs together."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import click
from rich.text import Text

from clew.cli.narrowing import with_ends
from clew.cli.opening import PATIENCE, open_memory, say_pending
from clew.cli.options import Scope, common, end_or_phrase, limited, most_rows
from clew.cli.show import day, dim, err, grid, lay_out, out, shortened
from clew.cli.terminal import emit, give, say
from clew.memory import Memory
from clew.text.printable import printable
from clew.types.facts import Fact, FactStatus, LinkKind

WORDS: Final = 72
"""Most characters shown of a fact, or of what it is linked to."""


_LINKED: Final = {
    LinkKind.SUPERSEDES: ("replaces", "replaced by"),
    LinkKind.CAUSED_BY: ("because", "the reason for"),
    LinkKind.PART_OF: ("part of", "includes"),
    LinkKind.CONTRADICTS: ("contradicts", "contradicts"),
    LinkKind.SAME_AS: ("the same as", "the same as"),
    LinkKind.RELATED_TO: ("rests on", "ground of"),
}
"""How a link is put into words: from its source, and from its target."""


@click.command()
@click.option("--subject", metavar="NAME", help="Only facts about this person or thing; `me` is the unnamed user.")
@click.option("--verb", metavar="WORD", help="Only facts with this verb, in any form: `led` finds `leads`.")
@click.option("--object", "object_", metavar="WORDS", help="Only facts whose object has these words.")
@click.option(
    "--status", type=click.Choice([str(fact_status) for fact_status in FactStatus]), help="Only facts with this status."
)
@click.option(
    "--as-of",
    type=end_or_phrase,
    metavar="TIME",
    help="What held at the end of this day or of a time such as 'last week', as far as is known today.",
)
@click.option(
    "--known-at",
    type=end_or_phrase,
    metavar="TIME",
    help="What was known at the end of this day or time: only turns said by then count.",
)
@limited("rows")
@common
def facts(scope: Scope, object_: str | None, status: str | None, limit: int | None, **asked: Any) -> None:
    """List the facts that turns state, the newest first.

    Lists facts that hold, happened, or are planned for the future. With --status, lists all facts with that status,
    such as plans whose time has passed. The first column says whether a fact holds. The lines below a fact name the
    facts that it is linked to: what it replaces, its reason, or what it is part of.
    """
    most = most_rows(scope, limit)
    with open_memory(scope) as memory:
        memory.drain(PATIENCE)
        listed = memory.facts(object=object_, status=status, limit=most + 1, **with_ends(memory, asked))
        _list(listed[:most], scope)
        if len(listed) > most and not scope.as_json:
            err().print("there are more; --limit shows them", style="dim")
        _say_unread(memory)


@click.command()
@click.argument("fact")
@click.argument("value", required=False)
@click.option("--ended", is_flag=True, help="The fact did hold, and holds no longer.")
@click.option("--never", is_flag=True, help="The fact never held.")
@common
def correct(scope: Scope, fact: str, value: str | None, ended: bool, never: bool) -> None:
    """Correct a fact: give what is right, or say that it ended or never held.

    FACT is the id that `clew facts` prints behind a fact, VALUE what is right in its place:
    `clew correct talk:turn:3:fact:0 Porto`. The correction is stored as a turn; to forget that turn is to take it back.
    """
    if (value is not None) + ended + never != 1:
        raise click.UsageError("Give what is right, or --ended, or --never.")
    with open_memory(scope) as memory:
        turn = memory.correct(fact, value, ended=ended)
        memory.drain(PATIENCE)
        _say_unread(memory)
    if scope.as_json:
        emit({"turn": turn})
    else:
        say(f"corrected; `clew forget {turn}` takes it back")


@click.command()
@click.argument("subject")
@click.option("--verb", metavar="WORD", help="Only facts with this verb, in any form, or with one of its kind.")
@limited("rows")
@common
def history(scope: Scope, subject: str, verb: str | None, limit: int | None) -> None:
    """List all that was ever stated about SUBJECT, the earliest first.

    Facts that were replaced, ended, withdrawn or corrected are included, with what replaced them. Of more than --limit
    facts, the latest are listed.
    """
    most = most_rows(scope, limit)
    with open_memory(scope) as memory:
        memory.drain(PATIENCE)
        versions = memory.history(subject, verb)
        _list(versions[-most:], scope)
        if len(versions) > most and not scope.as_json:
            err().print(f"{len(versions) - most:,} earlier; --limit shows them", style="dim")
        _say_unread(memory)


@click.command()
@click.option("--dot", is_flag=True, help="Print the graph in the language of Graphviz.")
@click.option("--subject", metavar="NAME", help="Only facts about this person or thing.")
@common
def graph(scope: Scope, dot: bool, subject: str | None) -> None:
    """Print the facts that hold as a graph: subjects and objects, and the links between facts.

    With --dot, in the language of Graphviz: `clew graph --dot | dot -Tsvg > graph.svg`.
    """
    if dot and scope.as_json:
        raise click.UsageError("--dot and --json are two forms of the output; give only one of them.")
    with open_memory(scope) as memory:
        memory.drain(PATIENCE)
        edges = memory.facts(subject=subject)
        _say_unread(memory)
    if scope.as_json:
        emit(*(fact.to_dict() for fact in edges))
    elif dot:
        give(dot_graph(edges), newline=True)
    else:
        _list(edges, scope)


def dot_graph(edges: Sequence[Fact]) -> str:
    """Facts in the language of Graphviz: an edge from subject to object each, and one for each link between two."""
    shown = {fact.id for fact in edges}
    lines = ["digraph facts {", "  rankdir=LR;", "  node [shape=box];"]
    ends = ((fact, _quoted(fact.subject), _quoted(fact.object)) for fact in edges if fact.object)
    lines += [f"  {subject} -> {value} [label={_quoted(_verb(fact))}];" for fact, subject, value in ends]
    for fact in edges:
        for link in fact.links:
            if not link.is_source and link.id in shown:
                lines.append(
                    f"  {_quoted(fact.told)} -> {_quoted(link.told)} [label={_quoted(link.kind)}, style=dashed];"
                )
    return "\n".join([*lines, "}"])


def _verb(fact: Fact) -> str:
    return f"{fact.verb} ({fact.standing})" if fact.standing not in ("holds", "happened") else fact.verb


def _quoted(text: str) -> str:
    """A string of DOT: JSON's escapes are its own."""
    return json.dumps(text, ensure_ascii=False)


def _list(shown: Sequence[Fact], scope: Scope) -> None:
    if scope.as_json:
        emit(*(each.to_dict() for each in shown))
        return
    table = grid("standing", "since", "until", "fact")
    for fact in shown:
        stale = ", may be out of date" if fact.stale_because is not None else ""
        begin = _day(fact.due_from or fact.valid_from)
        if not begin and fact.valid_to is None and fact.recorded_at is not None:
            begin = f"by {_day(fact.recorded_at)}"  # it happened before it was told
        words = Text.assemble(shortened(fact.told, WORDS), stale, "  ", dim(printable(fact.id)))
        table.add_row(fact.standing or "", begin, _day(fact.valid_to), words)
        for link in fact.links:
            told = shortened(f"- {_LINKED[link.kind][link.is_source]} {link.told}", WORDS)
            table.add_row("", "", "", dim(told))
    lay_out(out(), table)
    if not shown:
        err().print("no such facts", style="dim")


def _day(at: datetime | None) -> str:
    return "" if at is None else day(at)


def _say_unread(memory: Memory) -> None:
    pending = {kind: count for kind, count in memory.stats().pending.items() if kind == "facts"}
    say_pending(pending, is_ours=memory.is_writable)

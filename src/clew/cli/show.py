"""How output looks: laid out for 80 columns on a terminal, with control characters of stored text made visible.

What is not read by a person, such as a pipe, gets whole lines: there an id is looked for, and a line may be as long as
its text. COLUMNS, if it is set, is the width wherever output goes.
"""

import os
import re
import sys
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import IO, Any, Final

from rich.console import Console, ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task, TextColumn
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from clew.text.calls import readable
from clew.text.counted import counted, named_count
from clew.text.printable import printable, without_styles
from clew.text.sentences import sentence_spans
from clew.text.shown_names import said_by
from clew.text.terms import query_terms, terms
from clew.types import Turn

NARROWEST: Final = 40
"""Fewest columns that tables are laid out for: in fewer, cells would lose their text."""

WIDEST: Final = 100
"""Most columns that output uses: longer lines are hard to read."""

SCREEN: Final = 80
"""Columns of a page that is not shown on a terminal."""

ENDLESS: Final = 1 << 16
"""Columns of what is no terminal: nothing is folded."""

_SPACE = re.compile(r"\s+")

_REASONS: Final = {
    "lexical": "words",
    "label": "label",
    "hop": "second look-up",
    "dense": "meaning",
    "dense_rewritten": "meaning",
    "speaker": "speaker named",
    "speaker_first_person": "speaker named",
    "time": "time",
    "quote": "quoted phrase",
    "assistant": "assistant asked",
}
"""Name of a signal -> the reason shown to people; signals with the same reason are added up. Signals that are not
listed do not depend on the question (length, role), so they are no reason; `clew explain` shows them."""


def ledger_line(row: Mapping[str, Any]) -> str:
    """One row of the spend ledger in words: calls, tokens and cost of a model for one purpose on one day."""
    failed = f" ({row['failures']:,} failed)" if row["failures"] else ""
    reserved = f", {row['reserved_tokens']:,} tokens reserved" if row["reserved_tokens"] else ""
    return (
        f"{row['day']} {printable(row['model'])}, {printable(row['purpose'])}: "
        f"{counted(row['calls'], 'call')}{failed}, {row['tokens_in']:,} tokens read, {row['tokens_out']:,} written, "
        f"cost {row['cost']:.6f}{reserved}"
    )


def out() -> Console:
    """The console for standard output."""
    return _console(stderr=False)


def page() -> Console:
    """The console of what is read as a whole, such as the demo: as wide as a screen wherever it goes."""
    console = out()
    console.width = min(console.width, SCREEN if console.width == ENDLESS else WIDEST)
    return console


def err() -> Console:
    """The console for standard error: progress, footers and hints."""
    return _console(stderr=True)


class SafeConsole(Console):
    """A console that makes control characters visible in whatever it prints, tables and styled text included."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Renders to segments; those that are controls of rich itself stay as they are."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)


def _console(*, stderr: bool) -> Console:
    console = SafeConsole(stderr=stderr, highlight=False, markup=False, emoji=False)
    console.width = min(max(console.width, NARROWEST), WIDEST) if _folds(console.file) else ENDLESS
    return console


def _folds(file: IO[str]) -> bool:
    """Whether lines are as wide as a screen at most."""
    return file.isatty() or bool(os.environ.get("COLUMNS"))


def turn_record(turn: Turn) -> dict[str, Any]:
    """A stored turn as a record for `emit`, with its id first."""
    return {"id": turn.id, **turn.to_dict()}


def shortened(text: str, limit: int) -> str:
    """The text on one line of at most `limit` characters, cut between words if possible."""
    line = _SPACE.sub(" ", printable(text)).strip()
    if len(line) <= limit:
        return line
    head, blank, _ = line[:limit].rpartition(" ")
    return (head if blank and len(head) > limit // 2 else line[: limit - 2]).rstrip(" ,;:.") + " …"


def excerpt(text: str, query: str, limit: int) -> str:
    """The part of a text that shares most words with a question, on one line of at most `limit` characters.

    It begins at a sentence, or, in one that is longer than `limit`, at a word. Of equally good parts, the one whose
    first sentence shares most words wins, then the first.
    """
    line = _SPACE.sub(" ", printable(readable(without_styles(text)))).strip()
    wanted = set(query_terms(query))
    if len(line) <= limit or not wanted:
        return shortened(line, limit)

    def shared(start: int, end: int) -> int:
        return len(wanted & set(terms(line[start:end])))

    spans = [part for span in sentence_spans(line) for part in _parts(line, *span, limit)]
    overlaps = [start for start, end in spans if shared(start, end)]  # one look at each, since a text may have 20 MB
    near = [
        span
        for span in spans
        if (at := bisect_left(overlaps, span[0])) < len(overlaps) and overlaps[at] < span[0] + limit
    ]
    if not near:
        return shortened(line, limit)
    start, _ = max(near, key=lambda span: (shared(span[0], span[0] + limit), shared(*span), -span[0]))
    return shortened(line, limit) if start == 0 else "… " + shortened(line[start : start + 2 * limit], limit - 2)


def _parts(line: str, start: int, end: int, limit: int) -> Iterator[tuple[int, int]]:
    """A sentence; one that is longer than `limit` in parts of half of that, which begin at a word."""
    while end - start > limit:
        blank = line.find(" ", start + limit // 2, start + limit)
        cut = start + limit // 2 if blank < 0 else blank + 1
        yield start, cut
        start = cut
    yield start, end


def day(at: datetime | None) -> str:
    """A date as YYYY-MM-DD, or "no date", padded to the same ten columns."""
    return "no date   " if at is None else at.date().isoformat()


def who(turn: Turn) -> str:
    """The name of the speaker, or the role if there is none."""
    return _SPACE.sub(" ", printable(said_by(turn.speaker, turn.role)))


def reasons(signals: Mapping[str, float], most: int = 3) -> str:
    """The strongest reasons why a turn matches a question, strongest first; empty if there are none."""
    shares: dict[str, float] = {}
    for name, share in signals.items():
        if name in _REASONS:
            shares[_REASONS[name]] = shares.get(_REASONS[name], 0.0) + share
    strongest = sorted((pair for pair in shares.items() if pair[1] >= 0.05), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{label} {share:.1f}" for label, share in strongest[:most])


def grid(*columns: str, titles: bool = False) -> Table:
    """A table without lines; a column whose name begins with `>` is right-aligned, the last takes the remaining width.

    Print it with `lay_out`.
    """
    table = Table(box=None, show_header=titles, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for index, column in enumerate(columns):
        last = index == len(columns) - 1
        table.add_column(
            column.removeprefix(">"),
            justify="right" if column.startswith(">") else "left",
            no_wrap=not last,
            overflow="fold",
            ratio=1 if last else None,
        )
    table.expand = _folds(sys.stdout)
    return table


def lay_out(console: Console, what: RenderableType) -> None:
    """Prints a table without trailing blanks."""
    with console.capture() as captured:
        console.print(what)
    console.file.write("\n".join(line.rstrip(" ") for line in captured.get().split("\n")))


def numbers(counts: Mapping[str, int]) -> str:
    """Counts by kind in one phrase: "3 turns, 1 vector"."""
    return ", ".join(named_count(count, kind) for kind, count in counts.items())


def say_encryption(encryption: str | None) -> None:
    """Prints the encryption of a home, if it is encrypted."""
    if encryption not in (None, "none"):
        out().print(f"encrypted with {encryption}")


def indented(what: RenderableType) -> Padding:
    """Indents something by two columns."""
    return Padding(what, (0, 0, 0, 2), expand=False)


def dim(text: str) -> Text:
    """Text in a dim style."""
    return Text(text, style="dim")


def progress(*columns: str) -> Progress:
    """A progress line on stderr, which disappears at the end; shown only on a terminal."""
    console = err()
    return Progress(
        SpinnerColumn(),
        *(TextColumn(column, markup=False) for column in columns),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


class _DoneColumn(ProgressColumn):
    """How much of the work is done: `2,000 of 5,000`, without the whole while its size is not known yet."""

    def render(self, task: Task) -> Text:
        """The text of a task."""
        return Text(f"{task.completed:,.0f}" + ("" if task.total is None else f" of {task.total:,.0f}"))


def bar(title: str, *columns: str) -> Progress:
    """A progress bar on stderr, which disappears at the end; shown only on a terminal.

    Args:
        columns: more text behind the bar, as templates of Rich.
    """
    console = err()
    return Progress(
        TextColumn(title),
        BarColumn(bar_width=30),
        _DoneColumn(),
        *map(TextColumn, columns),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def lines(rows: Iterable[tuple[str, str]]) -> Table:
    """A table of names and values, one pair per line."""
    table = grid("name", "value")
    for name, value in rows:
        table.add_row(Text(name, style="dim"), Text(value))
    return table

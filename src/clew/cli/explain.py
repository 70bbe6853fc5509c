"""`clew explain`: prints the receipt of a recall."""

from collections.abc import Mapping, Sequence
from itertools import starmap
from math import exp
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from clew.assemble.changes import ReceiptChanges, changes
from clew.assemble.first_lines import ENDS, OPEN_TASK
from clew.assemble.timeline_receipt import KIND as TOLD
from clew.cli.opening import open_for_questions
from clew.cli.options import Scope, common
from clew.cli.show import day, dim, excerpt, grid, lay_out, lines, numbers, out, who
from clew.cli.signal_words import legend
from clew.cli.terminal import emit
from clew.errors import NotFoundError
from clew.memory.recalls import MemoryRecalls
from clew.rows.compactions import KIND as CONDENSED
from clew.text.counted import counted
from clew.text.printable import printable
from clew.types import Receipt

LINE = 120
"""Most characters shown of a turn."""

CHOSEN, OMITTED, SIGNALS = 10, 3, 3
"""Rows of each list, and signals of each row, that are shown without `--full`."""

_TURN = ":turn:"
"""Occurs only in turn ids: the session name in an id is percent-encoded."""


@click.command()
@click.argument("receipt", default="last")
@click.option("--diff", "before", metavar="RECEIPT", help="Show the differences from this receipt instead.")
@click.option("--full", is_flag=True, help="Show every item with all signals, and how the question was read.")
@common
def explain(scope: Scope, receipt: str, before: str | None, full: bool) -> None:
    """Show why a recall returned what it did, or what a compaction left out.

    RECEIPT is the id that `clew recall`, `clew when` and `clew condense` print; by default it is `last`, the newest. Of
    a compaction, shows for each turn that left the prompt how many of its values are not in the recap, and what
    restores it. Of a recall, shows the best items with their scores, the signals that added most, their forms and
    tokens; then what was nearest of what was left out, and why. With `--full`, shows every item with the share of each
    signal and its rank by each signal alone. `--diff A B` shows which items were added, removed or moved from A to B,
    and which signal caused it.
    """
    if before is not None and full:
        raise click.UsageError("--full cannot be combined with --diff, which shows all changes.")
    with open_for_questions(scope) as memory:
        explained = memory.explain(receipt)
        if before is not None:
            compared = changes(memory.explain(before), explained)
            if scope.as_json:
                emit(compared.to_dict())
            else:
                print_changes(out(), memory, compared)
        elif scope.as_json:
            emit(explained.to_dict())
        else:
            print_receipt(out(), memory, explained, full=full)


def print_receipt(console: Console, memory: MemoryRecalls, receipt: Receipt, *, full: bool = False) -> None:
    """Prints a receipt, with the beginning of each turn that is still stored.

    Args:
        full: whether all of it is printed, instead of what matters first.
    """
    chosen = sorted(receipt.chosen, key=lambda row: row["rank"])
    lay_out(console, lines(_summary(receipt, full=full)))
    console.print()
    title = "turn and share of each signal" if full else "turn and what added most"
    table = grid(">rank", ">score", ">tokens", title, titles=True)
    first = _first(chosen, full=full)
    for row in first:
        cell = Text.assemble(_shown(memory, row, receipt.query), dim(_reasons(row, full=full)))
        table.add_row(str(row["rank"]), _score(row), str(row["tokens"]), cell)
    lay_out(console, table if chosen else dim("Nothing was chosen."))
    if meant := legend(name for row in first for name in _named_signals(row["signals"], full=full)):
        console.print(dim(f"\n{meant}"))
    if receipt.omitted:
        _print_omitted(console, memory, receipt, full=full)
    if not full:
        more = _more(receipt)
        console.print(dim(f"\n{more}`clew explain {receipt.id} --full` shows every signal and rank."))


def _print_omitted(console: Console, memory: MemoryRecalls, receipt: Receipt, *, full: bool) -> None:
    is_compaction = receipt.kind == CONDENSED
    title = "Turns of which words left the prompt, in order" if is_compaction else "Left out, best first"
    console.print(f"\n{title} (`clew restore ID` prints one):")
    table = grid(">score", "turn and reason")
    for row in receipt.omitted if full else receipt.omitted[:OMITTED]:
        reasons = _reasons(row, full=True) if full and row.get("signals") else ""
        cell = Text.assemble(_shown(memory, row, receipt.query), "\n", dim(f"{printable(row['reason'])}{reasons}"))
        table.add_row("" if is_compaction else _score(row), cell)
    lay_out(console, table)


def _first(chosen: Sequence[Mapping[str, Any]], *, full: bool) -> list[Mapping[str, Any]]:
    """The rows that are shown of those that were chosen: the best, and what was required."""
    return [row for n, row in enumerate(chosen) if full or n < CHOSEN or row.get("required")]


def _more(receipt: Receipt) -> str:
    """How many rows are not shown without `--full`; empty where all are."""
    ranked = sorted(receipt.chosen, key=lambda row: row["rank"])
    chosen = len(ranked) - len(_first(ranked, full=False))
    omitted = max(0, len(receipt.omitted) - OMITTED)
    counts = [f"{chosen} more chosen"] * bool(chosen) + [f"{omitted} more left out"] * bool(omitted)
    return f"{', '.join(counts)}. " if counts else ""


def print_changes(console: Console, memory: MemoryRecalls, compared: ReceiptChanges) -> None:
    """Prints the differences of two receipts, with the beginning of each turn that is still stored."""
    rows = [("from", compared.first), ("to", compared.second)]
    rows += [(name, f"{_plain(old)} -> {_plain(new)}") for name, (old, new) in compared.settings.items()]
    rows.append(("unchanged", counted(compared.same, "turn")))
    lay_out(console, lines(rows))
    console.print()
    if not compared.turns:
        lay_out(console, dim("No turn was added, removed or moved."))
        return
    table = grid("change", ">rank", "turn and cause", titles=True)
    for turn in compared.turns:
        cause = f"{turn.signal} {turn.share:+.2f}" if turn.signal else "no signal: the budget or the other turns"
        shown = f"{turn.was} -> {turn.shown}, " if turn.was and turn.shown and turn.was != turn.shown else ""
        cell = Text.assemble(_named(memory, turn.turn_id), "\n", dim(f"{shown}{cause}"))
        table.add_row(turn.kind, f"{turn.before or '-'} -> {turn.after or '-'}", cell)
    lay_out(console, table)


def _reasons(row: Mapping[str, Any], *, full: bool) -> str:
    """What each signal added, or those that added most; then what `_by_itself` tells. Empty for nothing to tell."""
    added = shares(row["signals"]) if full else strongest(row["signals"])
    return (f"\n{added}" if added else "") + _by_itself(row, full=full)


def strongest(signals: Mapping[str, float]) -> str:
    """The signals that added most to a score."""
    return ", ".join(f"{name} {signals[name]:+.2f}" for name in _named_signals(signals, full=False))


def _named_signals(signals: Mapping[str, float], *, full: bool) -> list[str]:
    """The signals that a row names: those that added most, or all of them; the largest first."""
    if full:
        return sorted(signals, key=lambda name: (-abs(signals[name]), name))
    added = sorted((-share, name) for name, share in signals.items() if share > 0)
    return [name for _, name in added[:SIGNALS]]


def _by_itself(row: Mapping[str, Any], *, full: bool) -> str:
    """Why a turn was required, its rank by each signal alone in a full receipt, and its form if it is shortened."""
    ranks = ", ".join(f"{name} {place}" for name, place in row.get("ranks", {}).items()) if full else ""
    places = f"\nrank by each signal alone: {ranks}" if ranks else ""
    if row.get("required"):
        places = f"\n{_why(row['required'])}{places}"
    if row.get("answered_by"):
        places = f"\nread with {printable(row['answered_by'])}{places}"
    if row.get("rendering", "full") == "full" or "node_id" in row:
        return places
    return f"{places}\nshown as {row['rendering']}; in full: clew restore {printable(row['turn_ids'][0])}"


def _why(required: str) -> str:
    if required in (OPEN_TASK, ENDS):
        return required
    if required == "pin":
        return "pinned"
    return f"required by {printable(required)}"


def _summary(receipt: Receipt, *, full: bool) -> list[tuple[str, str]]:
    rows = _compaction(receipt) if receipt.kind == CONDENSED else _recall(receipt, full=full)
    return [(name, value) for name, value in rows if value]


def _named_receipt(receipt: Receipt) -> tuple[str, str]:
    return "receipt", f"{receipt.id}, {receipt.created_at:%Y-%m-%d %H:%M:%S} UTC"


def _compaction(receipt: Receipt) -> list[tuple[str, str]]:
    """The rows for a receipt of `clew condense`."""
    read = receipt.understood
    classes = ", ".join(f"{count} {name}" for name, count in read["classes"].items())
    tokens = f"{read['tokens_before']:,} before, {read['tokens_after']:,} after; the recap has {receipt.tokens:,}"
    return [
        ("session", printable(receipt.settings["session"])),
        _named_receipt(receipt),
        ("condensed", f"compaction {receipt.settings['number']}, up to turn {read['last']}"),
        ("reason", str(read.get("reason", ""))),
        ("considered", f"{counted(receipt.considered, 'turn')}; {len(receipt.chosen)} shown by the recap"),
        ("classes", classes),
        ("tokens", tokens),
        ("not in the recap", numbers(read.get("lost", {}))),
        ("shown again", numbers(read.get("returned", {}))),
        ("before it", str(read.get("previous", ""))),
    ]


def _recall(receipt: Receipt, *, full: bool) -> list[tuple[str, str]]:
    filters = {name: value for name, value in (receipt.settings.get("filter") or {}).items() if value}
    details = [
        ("embedder", _embedder(receipt.settings)),
        ("took", ", ".join(f"{name.removesuffix('_ms')} {value:.1f} ms" for name, value in receipt.timings.items())),
    ]
    return [
        ("question", printable(receipt.query)),
        _named_receipt(receipt),
        ("period", _period(receipt.settings) if receipt.kind == TOLD else ""),
        ("read as", "; ".join(starmap(_understood, receipt.understood.items())) or "no terms"),
        ("filter", "; ".join(f"{name} {_plain(value)}" for name, value in filters.items())),
        ("considered", f"{counted(receipt.considered, 'turn')}; {len(receipt.chosen)} chosen"),
        ("tokens", f"{receipt.tokens:,} of {receipt.settings['budget']:,}, counted by {receipt.settings['counter']}"),
        ("confidence", _confidence(receipt.confidence, full=full)),
        ("ends early", _ends_early(receipt.settings)),
        *(details if full else ()),
    ]


def _ends_early(settings: Mapping[str, Any]) -> str:
    """Why the block ends before its budget; empty where the budget alone ends it."""
    reasons = []
    if unrelated := settings.get("unrelated"):
        reasons.append(
            f"{counted(unrelated, 'turn')} left out that neither stand near one with a word of the question "
            "nor are near it in meaning"
        )
    if room := settings.get("room"):
        reasons.append(f"probably nothing is relevant, so the block has {room:,} tokens at most")
    return "; ".join(reasons)


def _understood(name: str, value: Any) -> str:
    """One part of how the question was read; for places, with the turns that they point to."""
    if name != "places":
        return f"{name}: {_plain(value)}"
    lookups = (
        (element["words"], element.get("turn") or ", ".join(element.get("turns", ())) or "not found")
        for element in value
    )
    return f"{name}: {', '.join(f'{printable(words)!r} ({printable(where)})' for words, where in lookups)}"


def _period(settings: Mapping[str, Any]) -> str:
    """The mode and the period of a recall by time, and the number of turns and lines in the period."""
    asked = settings["asked"]
    chosen = f"{settings['mode']} (chosen by auto)" if asked["mode"] == "auto" else settings["mode"]
    given = "".join(f", {name} {printable(asked[name])!r}" for name in ("since", "until") if name in asked)
    day = settings.get("counted_from")
    counted_from = f", counted from the conversation's last day, {day}" if day else ""
    excluded = "".join(f", without {start[:10]} to {end[:10]}" for start, end in settings.get("excluded", ()))
    turns = f"{counted(settings['in_time'], 'turn')} in the period, {counted(settings['offered'], 'line')} considered"
    return f"{chosen}{given}{counted_from}{excluded}; {turns}"


def _confidence(parts: Mapping[str, float], *, full: bool) -> str:
    """The confidence and, in a full receipt, what each part added to its log-odds; empty where there is none."""
    if not parts:
        return ""
    added = ", ".join(f"{name} {value:+.2f}" for name, value in parts.items())
    return f"{1.0 / (1.0 + exp(-sum(parts.values()))):.0%}{f': {added}' if full else ''}"


def _embedder(settings: Mapping[str, Any]) -> str:
    """The embedder that ranked; empty if the receipt ranks no question."""
    return settings["embedder"] or "none: ranked by words only" if "embedder" in settings else ""


def _score(row: Mapping[str, Any]) -> str:
    """The score of a row; empty if no question ranked it."""
    return f"{row['score']:.2f}" if "score" in row else ""


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    if isinstance(value, Mapping):
        return " ".join(str(element) for element in value.values() if element)
    return printable(str(value))


def shares(signals: Mapping[str, float]) -> str:
    """The share of each signal in a score, the largest first, whether positive or negative."""
    return ", ".join(f"{name} {signals[name]:+.2f}" for name in _named_signals(signals, full=True))


def _shown(memory: MemoryRecalls, row: Mapping[str, Any], query: str) -> Text:
    """What a row shows: a turn, or the summary of a node of the hierarchy with the turns that it covers."""
    if "node_id" not in row:
        return _turn(memory, row["turn_ids"][0], query)
    what = f"{row['kind']} of {counted(row['turns'], 'turn')}, {' to '.join(map(printable, row['turn_ids']))}"
    return Text.assemble((what, "bold"), dim(f"  {printable(row['node_id'])}"))


def _named(memory: MemoryRecalls, name: str) -> Text:
    """A turn by its id, or a node of the hierarchy by its name."""
    return _turn(memory, name, "") if _TURN in name else Text(printable(name), "bold")


def _turn(memory: MemoryRecalls, name: str, query: str) -> Text:
    try:
        turn = memory.get(name)
    except NotFoundError:
        return Text(f"{name} (not stored any more)")
    words = excerpt(turn.text, query, LINE)
    return Text.assemble((f"{day(turn.at)} {who(turn)}", "bold"), dim(f"  {name}"), "\n", words)

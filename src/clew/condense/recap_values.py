"""The values of a recap: files, commands, names, numbers and the like, shown literally, most needed first.

Start at `choose_values`; `value_lines` writes those that were chosen.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from clew.condense.recap_draft import RecapDraft
from clew.condense.recap_lines import in_words, is_fragment
from clew.condense.reuse import ReusedValue, is_plain, listed

_COUNTED: Final = frozenset({"number", "date"})
"""Kinds that say nothing without the words around them."""

_VALUE_KINDS: Final = (
    ("path", "Files"),
    ("command", "Commands"),
    ("identifier", "Names"),
    ("error", "Errors"),
    ("version", "Versions"),
    ("number", "Numbers"),
    ("date", "Dates"),
    ("url", "Addresses"),
)


def choose_values(
    draft: RecapDraft, values: Iterable[ReusedValue], limit: float, said: Sequence[str]
) -> list[ReusedValue]:
    """The worthiest values that fit up to a number of tokens; one that is part of a chosen one costs nothing."""
    kept: list[ReusedValue] = []
    values = list(values)
    known = [*draft.values, *(value.mark.value for value in values if value.mark.kind == "path")]
    paths = "\n".join(known).casefold()
    text = "\n".join(line for lines in draft.lines.values() for _, line in lines).casefold()
    for value in values:
        if value.mark.kind not in dict(_VALUE_KINDS):
            continue
        literal = value.mark.value.casefold()
        if literal in text or draft.spent + draft.count(value.mark.value) > limit:
            continue
        shown = in_words(value.mark.value, said) if value.mark.kind in _COUNTED else f"`{value.mark.value}`"
        cost = draft.count(f"{value.mark.value} " if is_plain(value) else f"{shown}, ")
        if draft.spent + cost > limit or (value.mark.kind == "path" and is_fragment(literal, paths)):
            continue
        draft.spent += cost
        draft.values[value.mark.value] = shown
        text += f" {literal}"
        kept.append(value)
    return kept


def value_lines(draft: RecapDraft, kept: Sequence[ReusedValue]) -> Iterator[str]:
    """The section of the chosen values, a line for each kind; nothing without values."""
    if kept:
        yield "\n### Values, most needed first\n"
    for kind, name in _VALUE_KINDS:
        if values := [value for value in kept if value.mark.kind == kind]:
            yield f"**{name}:** {listed(values, draft.values)}\n"

"""What a space is about: its labels, and what they mark."""

from dataclasses import dataclass

from clew.types.record import Record


@dataclass(frozen=True, slots=True)
class LabelCount(Record):
    """One label.

    Attributes:
        name: the form that was seen first; a part of a broad label is `label/part`.
        count: beats, and turns that were given it singly, that it marks; each counts under one part alone.
        aliases: other names for the same, sorted.
    """

    name: str
    count: int
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Labelled(Record):
    """Something that a label marks.

    Attributes:
        ref: id of a beat, a chapter or a turn.
        name: the form in which it has the label.
        weight: 0 to 1.
        turn_ids: the turns that it covers, in order.
        title: of a beat or chapter; None when it has none, and for a turn.
    """

    ref: str
    name: str
    weight: float
    turn_ids: tuple[str, ...]
    title: str | None = None

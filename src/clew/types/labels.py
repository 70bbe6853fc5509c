"""The labels of a space, and the nodes and turns that have them."""

from dataclasses import dataclass

from clew.types.record import Record


@dataclass(frozen=True, slots=True)
class LabelCount(Record):
    """One label and its frequency.

    Attributes:
        name: the spelling seen first; a part of a broad label is `label/part`.
        count: number of beats, and of individually labelled turns, with the label; each counts for one part only.
        aliases: other names of the label, sorted.
    """

    name: str
    count: int
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Topic(Record):
    """A label with what was said about it, in the words of its beats; texts that are not made yet are empty.

    Attributes:
        name: as in `LabelCount`.
        count: number of segments, as in `LabelCount`.
        summary: up to 960 characters.
        digest: a third of that.
        title: one line.
    """

    name: str
    count: int
    aliases: tuple[str, ...] = ()
    summary: str = ""
    digest: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Labelled(Record):
    """A beat, chapter or turn that has a label.

    Attributes:
        ref: id of the beat, chapter or turn.
        name: the spelling under which it has the label.
        weight: 0 to 1.
        turn_ids: the turns that it covers, in order.
        title: title of the beat or chapter; None for a turn, or if there is none.
    """

    ref: str
    name: str
    weight: float
    turn_ids: tuple[str, ...]
    title: str | None = None

"""The texts of topics that tools answer with: one topic in full, or all of them in short, within a number of tokens.

Start at `expanded` and `all_topics`.
"""

from collections.abc import Callable, Sequence
from typing import Final

from clew.assemble.render import Evidence, chronological, quoted, render
from clew.errors import InputError
from clew.memory.reads import MemoryReads
from clew.serve.agent_tools.quoting import is_asked, quotes
from clew.text.counted import counted
from clew.text.counters import counter
from clew.types.labels import Topic

MOST_TOPICS: Final = 200
"""Most topics that one answer names."""

OTHERS: Final = "others"
"""Given as what to collapse: every topic but the expanded one."""

_NEAR: Final = 20  # topics that are named where one is unknown
_CUT: Final = 2_000  # characters of a turn that alone is longer than the budget


def turns_of(memory: MemoryReads, topic: str) -> list[str]:
    """The ids of the turns of a topic, in their order; none where no topic has this name."""
    return list(dict.fromkeys(turn for segment in memory.labelled(topic) for turn in segment.turn_ids))


def expanded(memory: MemoryReads, topic: str, offset: int, budget: int) -> str:
    """The turns of a topic in full, in their order, as many as fit; the first `offset` of them are passed over.

    Raises:
        InputError: there is no such topic, or fewer turns than `offset`.
    """
    ids = turns_of(memory, topic)
    if not ids:
        raise InputError(f"no topic is called {topic!r:.80}; {known_topics(memory, topic)}")
    if not 0 <= offset < len(ids):
        raise InputError(f"offset {offset} is out of range; the topic has {counted(len(ids), 'turn')}, from 0")
    count = counter(memory.config.counter)
    shown: list[Evidence] = []
    left = budget
    for name in ids[offset:]:
        turn = memory.get(name)
        evidence = Evidence.of(turn, turn.text, "full")
        left -= count(evidence.line)
        if left < 0:
            break
        shown.append(evidence)
    text = render(chronological(shown))
    while shown and count(text) > budget:
        shown.pop()
        text = render(chronological(shown))
    if not shown:
        turn = memory.get(ids[offset])
        shown = [Evidence.of(turn, turn.text[: min(_CUT, 2 * budget)] + " […]", "full")]
        text = render(shown)
    quotes(ids[offset : offset + len(shown)])
    rest = len(ids) - offset - len(shown)
    return text + (f"\n{counted(rest, 'more turn')}; expand again with offset {offset + len(shown)}." if rest else "")


def collapsed(memory: MemoryReads, topic: str, names: Sequence[str], budget: int) -> str:
    """Other topics in one or a few lines each, in place of their earlier expansions; empty if none is known."""
    others = None if OTHERS in names else names
    listed = [candidate for candidate in memory.topics(others, limit=MOST_TOPICS) if candidate.name != topic]
    return _in_short(memory, listed, budget) if listed else ""


def all_topics(memory: MemoryReads, budget: int) -> str:
    """Every topic with a summary, the most frequent first; shorter and shorter ones where the budget is small."""
    listed = memory.topics(limit=MOST_TOPICS)
    return _in_short(memory, listed, budget) if listed else ""


def segments(count: int) -> str:
    """A count of segments with its noun: `1 segment`, `3 segments`."""
    return counted(count, "segment")


def known_topics(memory: MemoryReads, wanted: str) -> str:
    """The end of an error message about an unknown topic: similar names, else those of the most frequent topics."""
    names = [label.name for label in memory.labels()]
    words = {word.casefold() for word in wanted.replace("-", " ").split() if len(word) > 2}
    near = [name for name in names if any(word in name.casefold() for word in words)]
    chosen = (near or names)[:_NEAR]
    return f"there are: {', '.join(chosen)}" if chosen else "no topics are known yet"


def _in_short(memory: MemoryReads, topics: Sequence[Topic], budget: int) -> str:
    """Topics within a budget: first a name each, then titles, digests and summaries while there is room."""
    if is_asked():
        quotes(turn for known in topics for segment in memory.labelled(known.name) for turn in segment.turn_ids)
    count = counter(memory.config.counter)
    forms: tuple[Callable[[Topic], str], ...] = (_title, _digest, _summary)
    told = list(topics)
    lines = [_name(topic_) for topic_ in told]
    while len(lines) > 1 and count(quoted("\n".join(lines))) > budget:
        lines = lines[: max(1, len(lines) * 3 // 4)]
    spent = count(quoted("\n".join(lines)))
    for form in forms:
        for number, topic in enumerate(told[: len(lines)]):
            longer = form(topic)
            more = count(longer) - count(lines[number]) + 1
            if len(longer) > len(lines[number]) and spent + more <= budget:
                lines[number] = longer
                spent += more
    left = len(told) - len(lines)
    return quoted("\n".join(lines)) + (f"\n{left} more topics did not fit; ask with a larger budget." if left else "")


def _name(topic: Topic) -> str:
    return f"{topic.name} ({segments(topic.count)})"


def _title(topic: Topic) -> str:
    return f"{_name(topic)}: {topic.title}" if topic.title else _name(topic)


def _digest(topic: Topic) -> str:
    return f"{_name(topic)}:\n{topic.digest}" if topic.digest else _title(topic)


def _summary(topic: Topic) -> str:
    return f"{_name(topic)}:\n{topic.summary}" if topic.summary else _digest(topic)

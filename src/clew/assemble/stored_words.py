"""What is shown of a stored turn: its text, who says it, what of it is thinking, and on which path it stands. Pure.

Borders: knows turns' texts and parts; reads nothing, see `clew.recall.block_words`.
"""

import json
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from clew.text.calls import begins_with_call
from clew.text.terms import terms
from clew.text.text_cache import cached_by_text
from clew.types.turn import Part, own_parts, plain_text

THINKING: Final = "thinking"
"""The mark of what a model thought before it answered."""

REPLACED: Final = "replaced"
"""The mark of an answer that was regenerated: another one stands in its place."""

ABANDONED: Final = "abandoned"
"""The mark of what stands on a path from which the person went back."""

SUBAGENT: Final = "subagent"
"""The mark of what was said between an agent and one that it started."""

SAID_AGAIN: Final = 0.4
"""Share of the thinking's terms from which an answer says the same.

Measured on 31 stretches of thinking of two clients: most of the rest announces what is thought about.
"""

_NOTE: Final = ("\n<system-reminder>", "</system-reminder>")
"""How a client begins and ends what it writes behind a tool's result, for its model to obey."""

_IN_PARTS: Final = '"type":"thinking"'
"""How the stored parts of a turn name thinking; inside of a JSON string the quotation marks would be escaped."""

_BEGIN: Final = f"({THINKING}) "
_END: Final = "(answer) "


class StoredWords(NamedTuple):
    """A turn's text, and what is to be known to show it.

    Attributes:
        mark: shown in brackets after the speaker; empty for none.
        speaker: who is named instead of the stored speaker; empty for the stored one.
        thinking: start and end of each stretch of the text that is thinking, ascending.
        answer: what the same author says outside of the thinking, or right after it.
    """

    text: str
    mark: str = ""
    speaker: str = ""
    thinking: tuple[tuple[int, int], ...] = ()
    answer: str = ""

    @property
    def is_thinking(self) -> bool:
        """Whether the text is nothing but thinking."""
        return bool(self.thinking) and not _outside(self.text, self.thinking)

    @property
    def is_marked(self) -> bool:
        """Whether anything but the text and its speaker is to be shown."""
        return bool(self.mark or self.speaker or self.thinking)


def thinking_of(text: str, parts: str | None) -> tuple[tuple[int, int], ...]:
    """The stretches of a turn's text that are thinking; none where the text is not what its parts say.

    Args:
        parts: the stored parts as JSON; None for one text.
    """
    if parts is None or _IN_PARTS not in parts:
        return ()
    spans, start = [], 0
    for part in own_parts([Part.from_dict(part) for part in json.loads(parts)]):
        said = plain_text((part,))
        if not said:
            continue
        if not text.startswith(said, start):
            return ()
        if part.type == THINKING:
            spans.append((start, start + len(said)))
        start += len(said) + 1  # the line break between parts
    return tuple(spans)


def without_notes(result: str) -> str:
    """A tool's result without the notes that the client put behind it; a result that is nothing else stays."""
    opening, closing = _NOTE
    said = result
    while (end := said.rstrip()).endswith(closing) and (start := end.rfind(opening)) >= 0 and end[:start].strip():
        said = end[:start]
    return said


def without_thinking(words: StoredWords) -> str:
    """The text outside of the thinking."""
    return _outside(words.text, words.thinking)


def marked(words: StoredWords) -> str:
    """The text with its thinking marked; a turn that is nothing else is marked after its speaker instead."""
    if not words.thinking or words.is_thinking:
        return words.text
    shown, last = [], 0
    for start, end in words.thinking:
        shown += [_after_thinking(words.text[last:start], last), _BEGIN, words.text[start:end]]
        last = end
    return "".join([*shown, _after_thinking(words.text[last:], last)])


def _after_thinking(text: str, start: int) -> str:
    """Text that follows thinking, marked where it says anything; a call is none, and looks like one."""
    said = text.lstrip()
    if not start or not said or begins_with_call(said):
        return text
    return f"{text[: len(text) - len(said)]}{_END}{said}"


def with_thinking(mark: str) -> str:
    """A mark that also says that this is thinking."""
    return f"{THINKING}, {mark}" if mark else THINKING


def within(words: StoredWords, start: int, end: int) -> bool:
    """Whether a stretch of the text overlaps with thinking."""
    return any(first < end and start < last for first, last in words.thinking)


def says_again(words: StoredWords, asked: Collection[str]) -> bool:
    """Whether the answer says what the thinking does, for somebody who asks.

    It has all terms of the question that the thinking has, and `SAID_AGAIN` of the thinking's other terms.

    Args:
        asked: terms of the question.
    """
    if not words.answer:
        return False
    unsaid = _left_unsaid(words.text, words.thinking, words.answer)
    return unsaid is not None and unsaid.isdisjoint(asked)


@cached_by_text(most=64, longest=4000)  # the next question often finds the same turns
def _left_unsaid(text: str, thinking: Sequence[tuple[int, int]], answer: str) -> frozenset[str] | None:
    """The terms of a turn's thinking that its answer lacks; None where the answer does not say the same at all."""
    thought = {term for start, end in thinking for term in terms(text[start:end])}
    lacking = thought.difference(terms(answer))
    if not thought or len(thought) - len(lacking) < SAID_AGAIN * len(thought):
        return None
    return frozenset(lacking)


def _outside(text: str, stretches: Sequence[tuple[int, int]]) -> str:
    starts = [0, *(end for _, end in stretches)]
    ends = [*(start for start, _ in stretches), len(text)]
    return "\n".join(filter(None, (text[start:end].strip() for start, end in zip(starts, ends, strict=True))))

"""Finds what a client's shortened history has lost of a stored session. Start at `insurance`."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

from clew.condense.images import without_images
from clew.condense.material import Mark, RecapTurn, call_labels, recap_turns
from clew.condense.open_tasks import open_tasks
from clew.condense.recap import Recap, RecapSource, compose_recap
from clew.condense.statements import STATED
from clew.ingest.secrets.masking import mask_json
from clew.ingest.strings import with_parts
from clew.recall.read_path import ReadPath
from clew.rows.recap_source import scores_of, session_turns, title_of
from clew.store.tables import ORIGINAL
from clew.text.counters import Counter
from clew.text.json_texts import json_texts
from clew.text.sentences import sentence_spans
from clew.text.terms import terms
from clew.types.turn import Part, Turn

_HEAD: Final = 160
"""Characters by which a stretch of a text is recognised: clients cut texts at their ends and in their middle."""

_STRETCH: Final = 800
"""Characters of a stretch: a long text is looked for in stretches, so that what was cut off of it counts as lost."""

_LEAST: Final = 12
"""Characters below which a part says nothing that could be missed, as "ok"."""

_COVERED: Final = 0.75
"""Share of a statement's terms in two neighbouring sentences of the messages that makes it known: a client's summary
tells decisions in other words."""

_FEWEST: Final = 3  # terms of a statement that can be known by its terms
_READ: Final = 60_000  # characters of the messages' prose that are compared with statements, from the end
_STUB: Final = re.compile(r"\bchain-[0-9a-f]{16}\b")


def insurance(
    path: ReadPath, session: str, messages: Sequence[Mapping[str, Any]], count: Counter, *, budget: int
) -> Recap:
    """The recap of what the messages of a client have lost of a session; empty if they lost nothing worth telling.

    Raises:
        NotFoundError: there is no such session.
    """
    given = mask_json(list(messages))[0] if path.config.ingest.secrets == "mask" else list(messages)
    prompt = squeezed(given)
    with path.store.snapshot() as reader:
        turns = session_turns(reader, path.space, session)
        collapsed = [row.text for ref in stubs(prompt) if (row := ORIGINAL.get(reader, (path.space, ref))) is not None]
        lost = lost_parts(turns, f"{prompt} {squeezed([json.loads(text) for text in collapsed])}")
        scores, title = scores_of(reader, path.space, lost), title_of(reader, path.space, session)
    known = KnownStatements(given)
    source = RecapSource(
        session,
        [known.without(turn) for turn in recap_turns(zip(lost, scores, strict=True), call_labels(turns))],
        tasks=[
            task
            for task in open_tasks(turns)
            if " ".join(task.text.split()) not in prompt and not known.knows(task.text)
        ],
        title=title,
        known=prompt,
        is_excerpt=True,
    )
    return compose_recap(source, count, budget=budget)


def lost_parts(turns: Sequence[Turn], prompt: str) -> list[Turn]:
    """The turns of which something is lost, each with the lost parts alone, oldest first.

    A text is lost where the messages do not hold the first 160 characters of a stretch of 800, white space aside; a
    call, where they do not hold its longest argument. Images, reasoning and notes of the client are not looked at.

    Args:
        prompt: the texts of the messages, see `squeezed`.
    """
    lost = []
    for turn in turns:
        parts = tuple(part for candidate in turn.parts if (part := _lost(candidate, prompt)) is not None)
        if parts:
            lost.append(with_parts(turn, parts) if parts != turn.parts else turn)
    return lost


def squeezed(value: Any) -> str:
    """All texts of the messages, with single spaces between words; JSON arguments of calls are read as well."""
    return " ".join(" ".join(text.split()) for text in _texts(without_images(value)))


def stubs(prompt: str) -> list[str]:
    """The references of the stubs in the messages; what a stub stands for can be restored, so it is not lost."""
    return list(dict.fromkeys(_STUB.findall(prompt)))


class KnownStatements:
    """Tells which statements the prose of the messages already contains, perhaps in other words."""

    def __init__(self, messages: Sequence[Mapping[str, Any]]) -> None:
        """Reads the end of the messages' texts; structured data and code are read as any other text."""
        text = "\n".join(_texts(without_images(list(messages))))[-_READ:]
        words = [frozenset(terms(text[start:end])) for start, end in sentence_spans(text)]
        self._pairs = [first | second for first, second in pairwise([*words, frozenset[str]()])]

    def knows(self, statement: str) -> bool:
        """Whether two adjacent sentences of the messages contain most terms of a statement."""
        said = frozenset(terms(statement))
        return len(said) >= _FEWEST and any(len(said & pair) >= _COVERED * len(said) for pair in self._pairs)

    def without(self, turn: RecapTurn) -> RecapTurn:
        """The turn without those of its statements that the messages contain."""
        marks = tuple(mark for mark in turn.marks if not self._is_known(mark))
        return turn if len(marks) == len(turn.marks) else replace(turn, marks=marks)

    def _is_known(self, mark: Mark) -> bool:
        return mark.kind in STATED and self.knows(mark.value)


def _lost(part: Part, prompt: str) -> Part | None:
    """What is lost of a part; None if nothing is lost."""
    if part.type == "tool_call":
        argument = " ".join(max(_texts(part.text), key=len, default="").split())
        return part if len(argument) >= _LEAST and argument[:_HEAD] not in prompt else None
    if part.type not in ("text", "tool_result"):
        return None
    stretches = [stretch for stretch in _stretches(part.text) if part.blob is None or part.blob not in stretch]
    lost = [stretch for stretch in stretches if not _is_held(stretch, prompt)]
    if not lost:
        return None
    return part if len(lost) == len(stretches) else replace(part, text="\n".join(lost))


def _is_held(stretch: str, prompt: str) -> bool:
    head = " ".join(stretch[: 2 * _HEAD].split())[:_HEAD]
    return len(head) < _LEAST or head in prompt


def _stretches(text: str) -> list[str]:
    """Cuts a text into stretches of limited length, at the ends of lines where possible."""
    stretches = []
    start = 0
    while start < len(text):
        end = min(len(text), start + _STRETCH)
        line = text.rfind("\n", start + _STRETCH // 2, end) if end < len(text) else -1
        end = line + 1 if line > 0 else end
        stretches.append(text[start:end])
        start = end
    return stretches


def _texts(value: Any) -> Iterator[str]:
    """Yields all texts in a JSON value; a text that is itself a JSON object is parsed and searched as well."""
    for text in json_texts(value):
        inner = _object(text)
        yield from (text,) if inner is None else _texts(inner)


def _object(text: str) -> dict[str, Any] | None:
    if not text.startswith("{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):  # text that only begins like an object
        return None
    return value if isinstance(value, dict) else None

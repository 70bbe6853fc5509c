"""The tasks that people and assistants write down: `TODO: ...`, `- [ ] ...`, and what the last answer calls open.

Borders: reads English, and only what is marked as open; requests and announced steps are not tasks here.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from clew.condense.courtesy import without_courtesy
from clew.condense.left_open import open_points, plain_lines
from clew.text.late_pattern import late_pattern
from clew.text.sentences import sentence_spans
from clew.text.terms import terms
from clew.types.turn import Turn

_MOST: Final = 40
"""Tasks that are remembered: the last ones."""

_READ: Final = 20_000
_WORDS: Final = 200  # characters of a task
_NO_TASK: Final = r"(?:list|app|item|comment|file)s?(?! (?:the|all|every|each)\b)"
"""What follows the bare word TODO where it names a thing: "TODO list app"."""

_MARKED: Final = late_pattern(
    r"(?:^|(?<=[.!?] ))[ \t]*+(?:(?:[-*+•]|\d{1,2}[.)])[ \t]*+)?"
    rf"(?:\[ ?\][ \t]++|(?:TODO|FIXME)(?:(?:\([\w -]{{1,40}}\))?:[ \t]++|[ \t]++(?!{_NO_TASK}\b))"
    r"|To-?do:[ \t]++)(?!(?:none|nothing(?: left| open)?|n/a)\W*$)(?P<text>\S[^\n]{2,})"
)
_SIGNED: Final = late_pattern(r"\[ ?\]|TODO|FIXME|To-?do:")
"""One of these is in every text with a marked task."""

_BOX: Final = "[ ]"
_DONE: Final = late_pattern(
    r"\[x\]|[✅☑✓✔]|\b(?:done|did|sent|wrote|made|got|bought|found|ran|built|put|paid|met|told|went|gone|written|taken"
    r"|[a-z]{2,}ed)\b",
    re.IGNORECASE,
)
_NOT_YET: Final = late_pattern(
    r"\b(?:will|going to|gonna|still|not|never|must|should|needs?|have to|todo|fixme|if|when|once|until|unless)\b"
    r"|n['’]t\b"
    r"|['’]ll\b|\?\W*$|\[ ?\]"
    r"|\b(?:forgot|meant|began|wanted|needed|planned|started|tried|failed|refused|hoped|intended|decided|supposed|asked"
    r"|expected|agreed|promised) (?:me |us )?to\b"
    r"|\b(?:wanted|planned|needed|refused|discussed|postponed|delayed|reverted)\b"
    r"|\b(?:almost|nearly|nobody|nothing)\b",
    re.IGNORECASE,
)
"""What makes a sentence with the words of a task no report that it is done."""

_COVERED: Final = 0.7  # share of a task's terms in such a report


@dataclass(slots=True)
class SpokenTasks:
    """What was written down as open, turn by turn.

    Attributes:
        noted: text and turn of each task until a later sentence says that it is done.
        called: what the assistant's last answer calls open.
        called_in: the turn of that answer.
    """

    noted: dict[str, int] = field(default_factory=dict)
    called: list[str] = field(default_factory=list)
    called_in: int = -1

    def read(self, turn: Turn) -> None:
        """Takes in the next turn; what tools print, clients add and summaries repeat is not read."""
        is_said = turn.role == turn.origin and turn.role in ("user", "assistant")
        if not is_said or turn.metadata.get("summary") is True:
            return
        text = "\n".join(part.text for part in turn.parts if part.type == "text")[:_READ]
        if not text.strip():
            return
        if self.noted:
            self._drop_done(text)
        found = list(_marked(text)) if _SIGNED.search(text) else []
        if turn.role == "assistant" and without_courtesy(" ".join(text.split())):
            # Boxes of an answer are its plan: the next answer tells how far that is.
            self.called = [*dict.fromkeys([*(each for each, is_box in found if is_box), *open_points(text)])]
            self.called_in = turn.seq or 0
            found = [(each, is_box) for each, is_box in found if not is_box]
        for each, _ in found:
            self.noted.pop(each, None)
            self.noted[each] = turn.seq or 0
        self.noted = dict(list(self.noted.items())[-_MOST:])

    def left(self) -> list[tuple[str, int]]:
        """The tasks that are open, and the turn of each."""
        noted = {text.casefold() for text in self.noted}
        called = [(text, self.called_in) for text in self.called if text.casefold() not in noted]
        return [*self.noted.items(), *called]

    def copy(self) -> "SpokenTasks":
        """A copy, which can read further turns without changing this object."""
        return SpokenTasks(dict(self.noted), list(self.called), self.called_in)

    def _drop_done(self, text: str) -> None:
        for start, end in sentence_spans(text):
            sentence = text[start:end]
            if _DONE.search(sentence) and not _NOT_YET.search(sentence):
                said = frozenset(terms(sentence))
                for task in [task for task in self.noted if _covers(said, task)]:
                    del self.noted[task]


def _covers(said: frozenset[str], task: str) -> bool:
    words = frozenset(terms(task))
    return bool(words) and len(words & said) >= _COVERED * len(words)


def _marked(text: str) -> Iterator[tuple[str, bool]]:
    """Each marked task, and whether it is a box of a list."""
    for line in plain_lines(text):
        for match in _MARKED.finditer(line):
            text = " ".join(match["text"].split())
            first = next((end for _, end in sentence_spans(text)), len(text))  # what follows is not part of the task
            said = text[: min(first, _WORDS)].rstrip(" .;")
            yield said, _BOX in match[0] or "[]" in match[0]

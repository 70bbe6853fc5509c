"""What an agent at work says of the project: what was chosen over what and why, and what parts of the code are.

A model's words are nobody's otherwise: what it says of itself, of its next step or of people is no fact. Of its reports
two kinds count, and only where nothing in the sentence doubts them: choices with what they reject or their reason, and
what a thing of the code has, uses, returns or is set to, if the thing or the value is named as in the code.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from clew.knowledge.rules.lexicon import words
from clew.knowledge.rules.meanings import StatementDraft, is_name_or_product
from clew.knowledge.rules.moods import STATED
from clew.knowledge.rules.sentences import drafts
from clew.knowledge.rules.speech import report
from clew.knowledge.rules.subjects import window
from clew.knowledge.rules.times import TimePhrases
from clew.knowledge.rules.tokens import read
from clew.knowledge.slots import GROUP
from clew.text.late_pattern import late_pattern
from clew.text.sentences import sentence_spans
from clew.types.facts import FactStatus, FactType, Mood
from clew.types.turn import Turn

AGENT: Final = "assistant"
"""The speaker of turns of a model that name none."""
_CHOICES: Final = frozenset(("decides on", "chooses", "prefers", "uses"))
_MADE: Final = frozenset((FactStatus.ACTIVE, FactStatus.COMPLETED))
_LASTS: Final = frozenset((FactStatus.ACTIVE, FactStatus.RECURRING))
_OF_CODE: Final = late_pattern(
    r"`[^`]+`|\b\w+\(\)|\b\w+_\w+\b|\b[a-z]+[A-Z]\w*|\b(?:[A-Z][a-z0-9]+){2,}\b|[\w-]+/[\w./-]+|\b[\w-]+\.[a-z]{1,5}\b"
)
"""A name as code writes it: in backticks, `call()`, `snake_case`, `camelCase`, a path, a file with its ending."""
_MOST_WORDS: Final = 5
"""Words of a subject; a longer one is a clause that was cut."""


def is_report(turn: Turn, earlier: Sequence[Turn]) -> bool:
    """Whether a turn is of a model that works with tools: one that calls some, or did so in the turns before."""
    if turn.role != "assistant" or turn.speaker is not None:
        return False
    return any(part.type == "tool_call" for one in (turn, *earlier) for part in one.parts)


def reported(turn: Turn) -> Iterator[StatementDraft]:
    """What an agent's turn states of the project."""
    text = report(turn)
    for low, high in sentence_spans(text):
        s = read(text, low, high)
        if s.asks or not words("report", "doubts").isdisjoint(s.low):
            continue
        for draft in drafts(s, window((), AGENT), TimePhrases(), turn.at, every_mood=False):
            if draft.mood in STATED and (told := _of_project(draft)) is not None:
                yield told


def _of_project(draft: StatementDraft) -> StatementDraft | None:
    """The draft if it tells of the project; a choice as one of the group."""
    if draft.verb in _CHOICES and draft.subject in (AGENT, GROUP):
        used = draft.verb == "uses"
        grounded = draft.instead_of or (draft.scope if used and draft.subject == GROUP else draft.reason and not used)
        return draft._replace(subject=GROUP) if grounded and draft.status in _MADE else None
    if draft.verb == "lives in":
        draft = draft._replace(verb="is located in", where=None)  # "`parse` lives in `cli.py`"
    if (
        draft.mood is Mood.NEGATED
        or draft.status not in _LASTS
        or draft.verb not in words("report", "verbs")
        or not _names_code(draft)
    ):
        return None
    subject = [word.strip("`").lower() for word in draft.subject.split()]
    own = draft.subject.startswith(AGENT) or len(subject) > _MOST_WORDS
    told = words("report", "hollow").isdisjoint(subject) and words("report", "hollow").isdisjoint(draft.object.split())
    return draft._replace(type=FactType.WORLD) if told and not own else None


def _names_code(draft: StatementDraft) -> bool:
    """Whether a draft names something as code does, or says what a whole project uses or needs."""
    if _OF_CODE.search(draft.subject) is not None or _OF_CODE.search(draft.object) is not None:
        return True
    named = draft.subject.lower().split()
    whole = named[-1 - (draft.verb == "is set to" and len(named) > 1)] in words("report", "wholes")  # "server port"
    known = is_name_or_product(draft.object) or any(letter.isdigit() for letter in draft.object)
    return whole and draft.verb in _OF_WHOLES and known


_OF_WHOLES: Final = frozenset(("uses", "runs on", "depends on", "requires", "supports", "is at version", "is set to"))

"""How jobs begin and end: "was hired by Vela as a nurse", "got promoted to team lead", "was laid off"."""

from typing import Final

from clew.knowledge.rules.lexicon import ADVERB, BREAK, COMMA, COORDINATOR, NAME, PREPOSITION, TO, words
from clew.knowledge.rules.meanings import ClauseReading, StatementDraft, ended, status_of, type_of
from clew.knowledge.rules.phrases import head_of, text_of
from clew.knowledge.rules.tokens import SentenceTokens
from clew.types.facts import Effect, FactStatus, FactType

_MOST_WORDS_OF_JOB: Final = 6
_RAISED: Final = frozenset(("promoted", "appointed", "elected"))


def state_led_to(reading: ClauseReading) -> FactStatus | None:
    """The status of the state that an action leads to: active once the action happened; None for a habit."""
    status = status_of(reading)
    group = reading.clause.group
    if status is FactStatus.ABANDONED:
        return status
    if status is FactStatus.PLANNED or (group.progressive and not group.perfect):
        return FactStatus.PLANNED
    return FactStatus.ACTIVE if status is FactStatus.COMPLETED or group.perfect else None


def employed(reading: ClauseReading, employer: tuple[int, int], job: str) -> list[StatementDraft] | None:
    """The statements that somebody began to work at an employer and in a job.

    Args:
        employer: places of the words that name the employer; an empty range if none do.
        job: empty if none is named.
    """
    status, (low, high) = state_led_to(reading), employer
    if status is None:
        return None
    high = next((at for at in range(low + 1, high) if reading.s.low[at] in ("as", "for")), high)
    is_school = high > low and not job and reading.s.low[high - 1] in words("event", "schools")
    parts = (("studies at" if is_school else "works at", text_of(reading.s, low, high)), ("works as", job))
    type_ = type_of(reading, FactStatus.ACTIVE)
    return [StatementDraft(reading.owner.name, verb, value, status, type_) for verb, value in parts if value] or None


def job_of(s: SentenceTokens, low: int, stop: int) -> str:
    """The job that the words "as a nurse" name in a part of a sentence; empty if there are none."""
    at = next((at for at in range(low, stop - 1) if s.low[at] == "as" and s.low[at + 1] != "as"), None)
    if at is None:
        return ""
    end = at + 2
    while end < stop and not s.bits[end] & (PREPOSITION | COORDINATOR | COMMA | BREAK):
        end += 1
    known = head_of(s, at + 1, end) in words("occupation", "heads") or s.low[at + 1] in ("a", "an")
    return text_of(s, at + 1, end) if known and end - at <= _MOST_WORDS_OF_JOB else ""


def hired(reading: ClauseReading, at: int, high: int) -> list[StatementDraft] | None:
    """As in "was hired by Vela as a nurse", "got promoted to team lead", "was elected treasurer".

    Args:
        at: place of the participle.
        high: where the object ends.
    """
    s, word = reading.s, reading.s.low[at]
    if not reading.is_person or reading.clause.group.negated:
        return None
    by = (low for low in range(at + 1, high - 1) if s.low[low] in _EMPLOYING and s.bits[low + 1] & NAME)
    employer = next(by, high)
    if word == "hired":
        job = job_of(s, at, min(reading.clause.stop, len(s)))
    elif word in _RAISED:
        low = next((low + 1 for low in range(at + 1, employer) if s.bits[low] & TO or s.low[low] == "as"), at + 1)
        end = next((place for place in range(low + 1, employer) if s.low[place] in _BESIDE_JOB), employer)
        job = "" if word == "promoted" and low == at + 1 else text_of(s, low, end)
    else:
        return None
    return employed(reading, (min(employer + 1, high), high), job)


def staffed(reading: ClauseReading, at: int, person: str, employer: str) -> list[StatementDraft] | None:
    """As in "Vela hired me as a nurse", "they promoted her to team lead", "my boss fired me".

    Args:
        at: place of the words for the person.
        employer: empty if the subject does not name it.
    """
    s, group, stop = reading.s, reading.clause.group, min(reading.clause.stop, len(reading.s))
    if group.negated or group.modal or status_of(reading) is not FactStatus.COMPLETED:
        return None
    if group.verb in words("job", "ending"):
        return [StatementDraft(person, "works at", employer, FactStatus.CEASED, FactType.PERSONAL, Effect.CEASES)]
    low = next((low + 1 for low in range(at + 1, stop - 1) if s.bits[low] & TO or s.low[low] == "as"), stop)
    ends = (end for end in range(low, stop) if s.low[end] in _BESIDE_JOB or s.bits[end] & (ADVERB | COMMA | BREAK))
    job = job_of(s, at, stop) if group.verb == "hire" else text_of(s, low, next(ends, stop)) if low < stop else ""
    parts = (("works at", employer if group.verb == "hire" else ""), ("works as", job))
    return [StatementDraft(person, verb, value, type=FactType.PERSONAL) for verb, value in parts if value] or None


_BESIDE_JOB: Final = frozenset(("with", "after", "effective", "starting"))
_EMPLOYING: Final = frozenset(("at", "by", "with"))


def lost_job(reading: ClauseReading, at: int) -> list[StatementDraft]:
    """The end of a job, as in "was fired", "got laid off from Vela"; empty if other words stand at the place."""
    s, pair = reading.s, (reading.s.low[at], reading.s.low[at + 1])
    if pair not in _LOST and pair[0] not in _DISMISSED:
        return []
    after, employer = at + 1 + (pair in _LOST), ""
    if s.low[after] in ("from", "by") and s.bits[after + 1] & NAME:
        end = after + 2
        while s.bits[end] & NAME:
            end += 1
        employer = text_of(s, after + 1, end)
    return [ended(reading, "works at", employer)]


_DISMISSED: Final = frozenset(("fired", "sacked", "dismissed"))
_LOST: Final = frozenset((("laid", "off"), ("let", "go"), ("made", "redundant")))

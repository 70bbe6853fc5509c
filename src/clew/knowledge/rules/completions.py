"""Tasks that are reported as done by what became of their object: "the login test is fixed", "the tax return is done".

Who did it is left open: such a statement states nothing but ends the plan of its speaker, if there is one.
"""

from typing import Final

from clew.knowledge.morphology import Form
from clew.knowledge.rules.lexicon import (
    ADVERB,
    BE,
    COMMA,
    CONDITION,
    COORDINATOR,
    DETERMINER,
    INTERJECTION,
    MARK,
    NEGATION,
    NUMBER,
    OPENER,
    POSSESSIVE,
    SUBORDINATOR,
    words,
)
from clew.knowledge.rules.meanings import StatementDraft, third
from clew.knowledge.rules.others import is_noun
from clew.knowledge.rules.phrases import text_of
from clew.knowledge.rules.tokens import OWN, SentenceTokens
from clew.knowledge.slots import COMPLETES, TASKS
from clew.types.facts import Effect, FactStatus, FactType

_VERBS: Final = frozenset(("is", "are", "'s", "'re", "was", "were", "been", "got"))
_LONGEST: Final = 6
"""Words of what is done."""
_HAVE: Final = frozenset(("has", "have", "'s", "'ve"))
_DONE: Final = frozenset("done finished complete completed sorted ready submitted".split())
_OF_TIME: Final = frozenset("today yesterday tonight on last this at by in since as".split())
_DUE: Final = (["by"], ["on"])
"""What a deadline follows, behind a verb of the present: "the report is done by Friday"."""
_NOT_YET: Final = frozenset(("is", "are", "'s", "'re"))
_BEFORE: Final = MARK | COMMA | COORDINATOR | INTERJECTION | OPENER | ADVERB
_AFTER: Final = MARK | COMMA | COORDINATOR | ADVERB | NUMBER


def completions(s: SentenceTokens, speaker: str) -> list[StatementDraft]:
    """What a sentence reports as done."""
    if _VERBS.isdisjoint(s.low) or s.asks:
        return []
    found: list[StatementDraft] = []
    for at, word in enumerate(s.low):
        if word in _VERBS and at and (verb := _done(s, at)) and (low := _thing(s, at)) is not None:
            thing = text_of(s, low, at - (s.low[at - 1] in _HAVE))
            done = (FactStatus.COMPLETED, FactType.EXPERIENCE, Effect.COMPLETES)
            found.append(StatementDraft(speaker, verb, thing, *done))
    return found


def _thing(s: SentenceTokens, at: int) -> int | None:
    """Where the words begin that name what is done, before its verb; None if a clause depends on another one."""
    end = at - (s.low[at - 1] in _HAVE)
    low = end
    while low > 0 and end - low < _LONGEST and is_noun(s, low - 1):
        low -= 1
    if low == end:
        return None
    if low > 0 and s.bits[low - 1] & (DETERMINER | POSSESSIVE):
        low -= 1
        if s.bits[low] & POSSESSIVE and s.low[low] not in OWN:
            return None  # "your report is done" ends no plan of one's own
    plain = low == 0 or s.bits[low - 1] & _BEFORE
    depends = any(bits & (CONDITION | SUBORDINATOR | NEGATION) for bits in s.bits[:low])
    return low if plain and not depends else None


def _done(s: SentenceTokens, at: int) -> str:
    """The verb of what was done, if the words behind "is" say so and end there; empty for others."""
    after = at + 1
    while after < len(s) and s.bits[after] & ADVERB and s.low[after] not in _DONE and not s.bits[after] & NEGATION:
        after += 1
    if after + 1 >= len(s) or s.bits[after] & (NEGATION | BE) or s.low[after - 1] in words("words", "nearly"):
        return ""
    last = after + 1 + (s.low[after] == "checked" and s.low[after + 1] == "off")
    ends = last >= len(s) or s.bits[last] & _AFTER or s.low[last] in _OF_TIME
    ends = ends and not (s.low[last : last + 1] in _DUE and s.low[at] in _NOT_YET)
    if not ends:
        return ""
    if s.low[after] in _DONE:
        return COMPLETES
    verb = third(s.verb[after], "") if s.form[after] & Form.PARTICIPLE else ""
    return verb if verb in TASKS else ""

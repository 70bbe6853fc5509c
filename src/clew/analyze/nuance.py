"""HSCA layer 3, what rules can find of it: stance, directness, tone, explicit comparison.

Metaphor, sarcasm and narrative threads need a model and are absent here; absent means unknown, not false.
"""

from collections.abc import Sequence
from functools import reduce
from itertools import chain
from math import sqrt
from operator import or_
from typing import Final

from clew.analyze import phrases
from clew.analyze.lexicon import (
    ABSOLUTE,
    AUXILIARY,
    BOOSTER,
    DAMPENER,
    DIRECTIVE,
    DIRECTIVE_LEAD,
    ENGLISH,
    FIRST_PERSON,
    GRIEF,
    GRIEF_STRONG,
    HEDGE,
    HEDGE_ANCHOR,
    NEGATION,
    NUMBER,
    PERSON,
    SECOND_PERSON,
    SEPARATOR,
    URGENT,
    URGENT_STRONG,
)
from clew.analyze.words import Reading, Sentence, read

HEDGED: Final = "hedged"
ABSOLUTE_CLAIM: Final = "absolute"
RHETORICAL_QUESTION: Final = "rhetorical_question"
INSTRUCTIONAL: Final = "instructional"
ANALOGY: Final = "analogy"
POSITIVE: Final = "emotional_tone_positive"
NEGATIVE: Final = "emotional_tone_negative"
URGENT_TONE: Final = "emotional_tone_urgent"
NEUTRAL: Final = "emotional_tone_neutral"
GRIEVING: Final = "emotional_tone_grieving"
# Every flag that these rules can give, in the order in which they are given.
FLAGS: Final = (
    HEDGED,
    ABSOLUTE_CLAIM,
    RHETORICAL_QUESTION,
    INSTRUCTIONAL,
    ANALOGY,
    POSITIVE,
    NEGATIVE,
    URGENT_TONE,
    NEUTRAL,
    GRIEVING,
)

# Constants of VADER (Hutto and Gilbert, 2014): a negation among the three words before turns the valence and weakens
# it; an intensifier strengthens or weakens it by a fixed step; the sum is squeezed into -1..1 with alpha 15, which was
# normed on single messages, so here alpha grows with the length of longer texts.
_LOOK_BACK: Final = 3
_TURNED: Final = -0.74
_STEP: Final = 0.293
_ALPHA: Final = 15.0
# VADER calls a message positive from 0.05 on. The *dominant* register must be plainer than that.
_TONE: Final = 0.5
# An instruction among so many sentences makes the whole text directive.
_INSTRUCTION_SHARE: Final = 4
_MAY_OPEN_DIRECTIVE: Final = DIRECTIVE | DIRECTIVE_LEAD | NUMBER | SEPARATOR


def nuance(text: str) -> tuple[str, ...]:
    """The flags of `FLAGS` that hold for a text, in that order; empty for text without words.

    A flag that is missing was not found by rule. Exactly one tone is given where the lexicon can read the text (English
    words occur), none elsewhere.
    """
    return nuance_of(read(text))


def nuance_of(reading: Reading) -> tuple[str, ...]:
    """`nuance` of a text already read."""
    marks = reduce(or_, chain.from_iterable([sentence.flags for sentence in reading.sentences]), 0)
    lower = f" {reading.lower} "
    found = (
        (HEDGED, _is_hedged(reading, lower, marks)),
        (ABSOLUTE_CLAIM, marks & ABSOLUTE and _claims_all(reading)),
        (RHETORICAL_QUESTION, "?" in lower and _asks_for_effect(reading)),
        (INSTRUCTIONAL, _is_instruction(reading, lower, marks)),
        (ANALOGY, any(cue in lower and pattern.search(lower) for cue, pattern in phrases.COMPARISONS)),
    )
    tone = _tone(reading, lower, marks)
    return tuple([flag for flag, holds in found if holds] + ([tone] if tone else []))


def _is_hedged(reading: Reading, lower: str, marks: int) -> bool:
    if marks & HEDGE_ANCHOR and any(phrase in lower for phrase in phrases.HEDGES):
        return True
    if not marks & HEDGE:
        return False
    if _forms_of(reading, HEDGE) != {"may"}:
        return True
    return len(phrases.MAY_MONTH.findall(reading.text)) < len(phrases.MAY.findall(reading.text))


def _claims_all(reading: Reading) -> bool:
    """Whether a universal word stands outside the idioms that take its force ("at all", "every day", "not always")."""
    for sentence in reading.sentences:
        forms = ("", *sentence.forms, "")
        for place, flags in enumerate(sentence.flags):
            if flags & ABSOLUTE:
                before, form, after = forms[place : place + 3]
                if before not in phrases.WEAKENS_BEFORE and after not in phrases.WEAKENS_AFTER.get(form, ()):
                    return True
    return False


def _asks_for_effect(reading: Reading) -> bool:
    lower = reading.lower
    for start, end in reading.spans:
        if "?" in lower[max(start, end - 4) : end] and phrases.RHETORICAL.match(lower, start, end):
            return True
    return phrases.OWN_ANSWER.search(lower) is not None


def _is_instruction(reading: Reading, lower: str, marks: int) -> bool:
    """Whether there is at least one instruction in four sentences."""
    directives = len(phrases.OBLIGATION.findall(lower)) if marks & SECOND_PERSON else 0
    if marks & DIRECTIVE:
        for (start, end), sentence in zip(reading.spans, reading.sentences, strict=True):
            if reading.lower[end - 1] != "?" and _opens_directive(sentence):
                directives += not phrases.SOCIAL.match(reading.lower, start, end)
    sentences = sum([shape.words > 0 for shape in reading.shapes])
    return directives > 0 and directives * _INSTRUCTION_SHARE >= sentences


def _opens_directive(sentence: Sentence) -> bool:
    """Whether a verb of instruction opens the sentence and is not a noun there ("use of force", "work is done")."""
    for place, flags in enumerate(sentence.flags):
        if flags & DIRECTIVE:
            follower = place + 1
            if follower == len(sentence.flags):
                return False
            return not sentence.flags[follower] & (AUXILIARY | SEPARATOR) and sentence.forms[follower] != "of"
        if not flags & _MAY_OPEN_DIRECTIVE:
            return False
    return False


def _tone(reading: Reading, lower: str, marks: int) -> str | None:
    valence, known = _valence(reading)
    if not known and not marks & ENGLISH:
        return None
    if _is_grieving(reading, lower, marks):
        return GRIEVING
    if _is_urgent(reading, lower, marks):
        return URGENT_TONE
    compound = valence / sqrt(valence * valence + max(_ALPHA, len(reading.grammar)))
    if abs(compound) < _TONE:
        return NEUTRAL
    return POSITIVE if compound > 0 else NEGATIVE


def _valence(reading: Reading) -> tuple[float, bool]:
    """Summed valence after negations and intensifiers, and whether any word had one."""
    total = 0.0
    known = False
    for sentence in reading.sentences:
        if not any(sentence.valences):
            continue
        known = True
        for place, valence in enumerate(sentence.valences):
            if valence:
                total += _in_context(valence, sentence.flags[max(0, place - _LOOK_BACK) : place])
    return total, known


def _in_context(valence: float, before: Sequence[int]) -> float:
    for flags in before:
        if flags & NEGATION:
            valence *= _TURNED
        elif flags & (BOOSTER | DAMPENER):
            step = _STEP if flags & BOOSTER else -_STEP
            valence += step if valence > 0 else -step
    return valence


def _is_grieving(reading: Reading, lower: str, marks: int) -> bool:
    """A strong word of grief said by or to someone, or a phrase of loss, or two weaker words about a person."""
    if not marks & GRIEF:
        return False
    if phrases.GRIEF.search(lower):
        return True
    if not marks & (FIRST_PERSON | SECOND_PERSON):
        return False
    if marks & GRIEF_STRONG:
        return True
    return bool(marks & PERSON) and len(_forms_of(reading, GRIEF)) > 1


def _is_urgent(reading: Reading, lower: str, marks: int) -> bool:
    """A strong word or a phrase of urgency, or two weaker words, beside something that presses."""
    strong = bool(marks & URGENT_STRONG) and "urgent care" not in lower
    if not strong and any(phrase in lower for phrase in phrases.URGENT):
        strong = True
    if not strong:
        if not marks & URGENT:
            return False
        strong = len(_forms_of(reading, URGENT)) > 1
    return strong and phrases.PRESSING.search(lower) is not None


def _forms_of(reading: Reading, mark: int) -> set[str]:
    """The different words with a mark."""
    return {
        form
        for sentence in reading.sentences
        for form, flags in zip(sentence.forms, sentence.flags, strict=True)
        if flags & mark
    }

"""HSCA layer 3, the flags that rules can find: stance, directness, tone, explicit comparison.

Metaphor, sarcasm and narrative threads need a model and are absent here; absent means unknown, not false.
"""

from functools import reduce
from operator import or_
from typing import Final

from clew.analyze import tone
from clew.analyze.analogies import ANALOGIES, PROPORTION, SAME_KIND
from clew.analyze.directives import OBLIGATIONS, directs, is_reported
from clew.analyze.phrases import ABSOLUTES, HEDGES, CueTable
from clew.analyze.questions import OWN_ANSWER, RHETORICAL, TITLE_QUESTION, UNMARKED
from clew.analyze.tone import GRIEVING, NEGATIVE, NEUTRAL, POSITIVE, URGENT_TONE, tone_of
from clew.analyze.words import Reading, read

HEDGED: Final = "hedged"
ABSOLUTE_CLAIM: Final = "absolute"
RHETORICAL_QUESTION: Final = "rhetorical_question"
INSTRUCTIONAL: Final = "instructional"
ANALOGY: Final = "analogy"
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

# One instruction in this many sentences makes the whole text directive.
_INSTRUCTION_SHARE: Final = 4
# Characters of a sentence that are examined. Few sentences are longer; the bound keeps the patterns fast on text that
# was made to slow them down.
_SENTENCE: Final = 1_000
# The words of an answer that its asker gives without a verb: "A story."
_ANSWER_WORDS: Final = 5
# Flags that a sentence keeps although it reports what somebody said.
_OF_NARRATOR: Final = frozenset((ABSOLUTE_CLAIM, ANALOGY))
# How a question begins that is asked without a question mark, and what may stand before it.
_MAY_ASK: Final = frozenset(
    "how who why what am does do can are is don't dont and but so like then oh well seriously honestly ok okay".split()
)
_HEDGES: Final = 1 << 4
_CLAIMS: Final = 1 << 5
_LIKENS: Final = 1 << 6
_OBLIGES: Final = 1 << 7
_CUES: Final = CueTable(
    {
        tone.DELIGHT: tone.DELIGHTS,
        tone.COMPLAINT: tone.COMPLAINTS,
        tone.PRESS: tone.PRESSING,
        tone.GRIEVE: tone.GRIEFS,
        _HEDGES: HEDGES,
        _CLAIMS: ABSOLUTES,
        _LIKENS: ANALOGIES,
        _OBLIGES: OBLIGATIONS,
    }
)


def nuance(text: str) -> tuple[str, ...]:
    """The flags of `FLAGS` that hold for a text, in that order; empty for text without words.

    A flag that is missing was not found by rule. Exactly one tone is given where the lexicon can read the text (English
    words occur), none elsewhere.
    """
    return nuance_of(read(text))


def nuance_of(reading: Reading) -> tuple[str, ...]:
    """`nuance` of a text already read."""
    marks, cues, stances = _observe(reading)
    raised = {flag for flags in stances for flag in flags}
    if INSTRUCTIONAL in raised:
        directives = sum([INSTRUCTIONAL in flags for flags in stances])
        if directives * _INSTRUCTION_SHARE < sum([shape.words > 0 for shape in reading.shapes]):
            raised.remove(INSTRUCTIONAL)
    register = tone_of(reading, reduce(or_, marks, 0), cues)
    return tuple([flag for flag in FLAGS if flag in raised or flag == register])


def sentence_nuance(text: str) -> list[tuple[str, ...]]:
    """The flags of each sentence of a text but its tone, parallel to `sentence_spans` of the analysed text."""
    return sentence_nuance_of(read(text))


def sentence_nuance_of(reading: Reading) -> list[tuple[str, ...]]:
    """`sentence_nuance` of a text already read."""
    return [tuple([flag for flag in FLAGS if flag in flags]) for flags in _observe(reading)[2]]


def _observe(reading: Reading) -> tuple[list[int], list[int], list[list[str]]]:
    """For each sentence: the flags of its words, the cues found in it, and its nuance flags."""
    lower = reading.lower
    marks, cues, stances = [], [], []
    for place, ((start, end), sentence) in enumerate(zip(reading.spans, reading.sentences, strict=True)):
        text = lower[start : min(end, start + _SENTENCE)]
        marks.append(reduce(or_, sentence.flags, 0))
        cues.append(_CUES.found_in(sentence.forms, text))
        stances.append(_stance(reading, place, marks[-1], cues[-1], text))
        if "?" in text:
            cues[-1] |= tone.ASKED_FOR_EFFECT if RHETORICAL_QUESTION in stances[-1] else tone.ASKED
    return marks, cues, stances


def _stance(reading: Reading, place: int, marks: int, cues: int, text: str) -> list[str]:
    """The flags of one sentence but its tone."""
    sentence = reading.sentences[place]
    if not sentence.forms:
        return []
    likens = cues & _LIKENS and not SAME_KIND.search(text)
    found = [ANALOGY] if likens or ("::" in text and PROPORTION.search(text)) else []
    if "?" in text:
        if _asks_for_effect(reading, place, text):
            found.append(RHETORICAL_QUESTION)
    else:
        if cues & _CLAIMS:
            found.append(ABSOLUTE_CLAIM)
        if cues & _OBLIGES or directs(sentence, marks, text):
            found.append(INSTRUCTIONAL)
        if sentence.forms[0] in _MAY_ASK and UNMARKED.match(text):
            found.append(RHETORICAL_QUESTION)
    if cues & _HEDGES:
        found.append(HEDGED)
    if found and is_reported(text):
        found = [flag for flag in found if flag in _OF_NARRATOR]
    return found


def _asks_for_effect(reading: Reading, place: int, text: str) -> bool:
    """Whether a question wants no answer: by how it begins, or because its asker answers it at once."""
    if RHETORICAL.match(text):
        return True
    if text[-1] != "?" or place + 1 == len(reading.spans):
        return False
    start, end = reading.spans[place + 1]
    answer = reading.lower[start:end]
    if "?" in answer:
        return False
    if OWN_ANSWER.match(answer):
        return True
    fragment = reading.shapes[place + 1]
    if TITLE_QUESTION.fullmatch(text) and not reading.shapes[place].verb:
        return True
    return not fragment.verb and fragment.words <= _ANSWER_WORDS and answer.startswith(("a ", "an ", "the "))

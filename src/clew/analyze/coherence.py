"""HSCA layer 2, coherence: whether a text reads as intentional language. Not a judgement of quality.

Four heuristics of the specification, each in [0, 1]: average sentence length, share of pronouns with an antecedent,
punctuation per word, clauses per sentence. Length and clauses measure how rich the text is; pronouns and punctuation
can only lower the score. The result is scaled by how far the words form sentences, so that gibberish stays near 0
whatever its punctuation.
"""

import re
from collections.abc import Sequence
from typing import Final

from clew.analyze.grammar import Shape, clauses, is_english
from clew.analyze.lexicon import NOT_CONTENT, PERSON, UNSPEAKABLE, VERB
from clew.analyze.words import SIGN, Reading, read, word_of

# Piecewise linear scales as (value, score), flat beyond the ends. Anchors of the specification: a terse clause (7 words
# and one verb) about 0.6, a rich philosophical paragraph (25 words and 3 clauses a sentence) 0.9, a fragment low.
_Scale = tuple[tuple[float, float], ...]
_LENGTH: Final[_Scale] = ((1.0, 0.1), (4.0, 0.5), (8.0, 0.8), (14.0, 0.95), (30.0, 0.95), (60.0, 0.5), (120.0, 0.2))
_CLAUSES: Final[_Scale] = ((0.0, 0.0), (1.0, 0.5), (1.5, 0.75), (2.2, 0.95), (4.0, 0.95), (8.0, 0.5), (16.0, 0.2))
_PUNCTUATION: Final[_Scale] = ((0.0, 0.8), (0.03, 1.0), (0.35, 1.0), (0.8, 0.5), (1.5, 0.1))
# A long text without a single punctuation mark is less likely intentional than a short message without one.
_UNMARKED_WORDS: Final = 40
_UNMARKED: Final = 0.5
# What is lost when no pronoun has an antecedent.
_PRONOUN_LOSS: Final = 0.4
_NAME: Final = re.compile(r"\b[A-Z]\w+")
# Text cut into pairs of characters has about this many words per piece.
_WORDS_PER_PAIR: Final = 0.6
_VERBLESS: Final = 0.35
# What a verb alone makes of a sentence.
_VERB: Final = 0.6
# Below this share of the function words that a sentence has, in so many words, they say little.
_CHANCE: Final = 0.5
_CHANCE_WORDS: Final = 8
# What may open one more clause within a sentence: a conjunction, a comma, or a subject that is a pronoun. Without it a
# second verb is a noun more often ("notice", "costs").
_OPENER: Final = re.compile(r"(?<=[^.])[SIYHT,]")
_CONTENT: Final = re.compile("[cvwuo]")
# Share of words that nobody can speak, of all words: full trust, none. Names in code are such words, and abbreviations,
# which capitals tell.
_UNSPEAKABLE_FEW: Final = 0.12
_UNSPEAKABLE_MOST: Final = 0.35
_ABBREVIATION: Final = re.compile(r"\b[A-Z]{2,}s?\b")
# "It is easy to say", "it seems that": this "it" stands for what follows.
_EXPLETIVE: Final = re.compile("TX?[cvw]{1,2}S|TXS")
_SPACES: Final = " \n\t\r"


def coherence(text: str) -> float:
    """Coherence of a text in [0, 1]; 0 for text without words. Accepts any string."""
    return coherence_of(read(text))


def coherence_of(reading: Reading) -> float:
    """`coherence` of a text already read."""
    shapes = [shape for shape in reading.shapes if shape.words]
    if not shapes:
        return 0.0
    grammar = reading.grammar
    words = sum([shape.words for shape in shapes])
    length = (words - (1.0 - _WORDS_PER_PAIR) * grammar.count("u")) / len(shapes)
    english = is_english(grammar)
    if english:
        groups = clauses(grammar)
        if groups > len(shapes):
            groups = min(groups, len(shapes) + len(_OPENER.findall(grammar)))
    else:
        groups = len(shapes) + grammar.count(",")
    richness = (_scale(_LENGTH, length) + _scale(_CLAUSES, groups / len(shapes))) / 2.0
    structure = _structure(shapes, words, english=english) * reading.order * _speakable(reading, words)
    return structure * richness * _punctuation(reading, words) * _resolution(reading)


def _structure(shapes: Sequence[Shape], words: int, *, english: bool) -> float:
    """How far the words stand in built sentences, in [0, 1].

    In English a verb alone is `_VERB`, no verb at best `_VERBLESS`; elsewhere function words alone tell a sentence. A
    few of them in many words are there by chance.
    """
    total = 0.0
    for size, built, verb in shapes:
        sound = built
        if english:
            sound = _VERB + (1.0 - _VERB) * built if verb else _VERBLESS * built
        if built < _CHANCE and (size >= _CHANCE_WORDS or not english):
            sound *= built / _CHANCE
        total += size * sound
    return total / words


def _speakable(reading: Reading, words: int) -> float:
    """1 unless many words are letters at random."""
    count = sum([flags & UNSPEAKABLE > 0 for sentence in reading.sentences for flags in sentence.flags])
    if count > _UNSPEAKABLE_FEW * words:
        count -= len(_ABBREVIATION.findall(reading.text))
    share = count / words
    return min(1.0, max(0.0, (_UNSPEAKABLE_MOST - share) / (_UNSPEAKABLE_MOST - _UNSPEAKABLE_FEW)))


def _punctuation(reading: Reading, words: int) -> float:
    marks = _count_signs(reading)
    if marks <= 0 and words > _UNMARKED_WORDS:
        return _UNMARKED
    return _scale(_PUNCTUATION, marks / words)


def _count_signs(reading: Reading) -> int:
    """Signs beside the words and separators; in unspaced script, whose pieces overlap, beside the words alone."""
    text = reading.text
    if "u" in reading.grammar:
        return len(SIGN.findall(text))
    letters = sum([sum(map(len, sentence.forms)) for sentence in reading.sentences])
    return len(text) - letters - sum(map(text.count, _SPACES))


def _resolution(reading: Reading) -> float:
    """1 minus the penalty for third-person pronouns without an antecedent.

    The antecedent of "it" and "they" may be any content word before them; that of "he" and "she" is a word for a person
    or a name in the same sentence or before.
    """
    grammar = reading.grammar
    neuter, gendered = grammar.count("T"), grammar.count("H")
    if not neuter + gendered:
        return 1.0
    content = _CONTENT.search(grammar)
    unresolved = grammar.count("T", 0, content.start()) if content else neuter
    if unresolved and _EXPLETIVE.match(grammar):
        unresolved -= 1
    if gendered:
        unnamed = reading.sentences[: _first_person_named(reading)]
        unresolved += sum([sentence.kinds.count("H") for sentence in unnamed])
    return 1.0 - _PRONOUN_LOSS * unresolved / (neuter + gendered)


def _first_person_named(reading: Reading) -> int:
    """The first sentence with a word for a person or what looks like a name; the number of sentences if none has."""
    name = _first_name(reading)
    for number, (sentence, (_, end)) in enumerate(zip(reading.sentences, reading.spans, strict=True)):
        if name < end or any(flags & PERSON for flags in sentence.flags):
            return number
    return len(reading.sentences)


def _first_name(reading: Reading) -> int:
    """Position of the first capitalised word that is in no word list; the length of the text if there is none."""
    for match in _NAME.finditer(reading.text):
        word = word_of(match.group().lower())
        if not word.flags & (NOT_CONTENT | VERB) and not word.valence:
            return match.start()
    return len(reading.text)


def _scale(points: _Scale, value: float) -> float:
    """Linear interpolation through points in ascending order."""
    last, score = points[0]
    for at, height in points:
        if value <= at:
            return height if at == last else score + (height - score) * (value - last) / (at - last)
        last, score = at, height
    return score

"""HSCA layer 1: how tightly a text's words, sentences and paragraphs hang together inside the text itself.

A word is worth the words it stands next to (within the window) that come back in several sentences; a sentence the mean
of its words; a paragraph and the text the mean of their sentences. Scores are absolute: they depend on nothing but the
text (or the texts scored jointly), never on a corpus or on the text's own best word.

Repetition alone is not worth anything, because that is what a list of keywords has most of. So words that always come
together count as one; sentences of one frame share the worth of one; and what is not built as a sentence, or not in
order, or dominated by three words, is discounted (`grammar`, `_monotony`).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from math import exp, log2
from typing import Final

from clew.analyze.grammar import Shape
from clew.analyze.lexicon import NOT_CONTENT, PRONOUN, SEPARATOR
from clew.analyze.words import Reading, Sentence, read

# Words in one sliding window (HSCA 2.1); a separator takes up two places, so that the items of a list stay apart.
WINDOW: Final = 5
# HSCA 8.4: text of fewer sentences has no structure to score and gets this flat low score.
MIN_SENTENCES: Final = 3
SHORT_SCORE: Final = 0.2
# Scale of `1 - exp(-ties / _TIES)`: a neighbour that also occurs in one other sentence gives 0.6. Chosen so that real
# dialogue and prose spread over the range; not calibrated beyond that.
_TIES: Final = 0.5
# A pronoun that comes back ties less than a noun does.
_PRONOUN_TIE: Final = 0.75
# Different content words from which on a sentence counts in full: 4, so that "redis is fast" is worth a third.
_FULL_SENTENCE: Final = 3
# What all content words become in the frame of a sentence: sentences of one frame differ in their content words only.
_FRAME: Final = str.maketrans("vwjuo", "ccccc")
# A sentence without a verb is a heading or an item more often than a statement.
_VERBLESS: Final = 0.5
# Share of the three commonest words among all content words: at most 0.4 in 98 % of the real texts of all styles looked
# at, 0.45 to 0.8 in stuffed ones. Below `_MONOTONY_MIN` words the share says nothing.
_MONOTONY_FREE: Final = 0.45
_MONOTONY_FULL: Final = 0.75
_MONOTONY_MIN: Final = 12


@dataclass(frozen=True, slots=True)
class Layer1:
    """Relational weights of one text, all in [0, 1].

    `score` weighs the text. `sentences` and `paragraphs` run parallel to `sentence_spans` and `paragraph_spans`
    (`clew.text.sentences`) of the analysed text. `words` holds each content word once, in order of appearance and as it
    first appears. With `short` the text was too short to be scored: all other scores are the flat low one, and `words`
    is empty.
    """

    score: float
    words: tuple[tuple[str, float], ...]
    sentences: tuple[float, ...]
    paragraphs: tuple[float, ...]
    short: bool


@dataclass(slots=True)
class _Network:
    """The words of all sentences as numbers.

    Per word: its first spelling, whether it is a pronoun, and the sentences it is in as a bit mask. Per sentence: where
    it has words (`places`, positions and numbers in parallel) and its different content words.
    """

    spellings: list[str]
    is_pronoun: list[bool]
    masks: list[int]
    places: list[tuple[list[int], list[int]]]
    contents: list[dict[int, None]]


def relational_weight(text: str, window: int = WINDOW) -> Layer1:
    """Weigh one text by itself; total for any string. A `window` below 2 ties nothing to anything."""
    return layer1_of(read(text), window)


def relational_weight_joint(texts: Sequence[str], window: int = WINDOW) -> tuple[Layer1, ...]:
    """Weigh short pieces together, as if they were one text, and give each its own score (DESIGN 5.1).

    A piece gains by what ties it to the others. A piece without words, and every piece while all together have fewer
    than three sentences, stays `short`.
    """
    return layer1_joint([read(text) for text in texts], window)


def layer1_of(reading: Reading, window: int = WINDOW) -> Layer1:
    """`relational_weight` of a text already read."""
    return layer1_joint([reading], window)[0]


def layer1_joint(readings: Sequence[Reading], window: int = WINDOW) -> tuple[Layer1, ...]:
    """`relational_weight_joint` of texts already read."""
    shapes = [shape for reading in readings for shape in reading.shapes]
    if sum([shape.words > 0 for shape in shapes]) < MIN_SENTENCES:
        return tuple(map(_flat, readings))
    network = _network([sentence for reading in readings for sentence in reading.sentences])
    words = _word_scores(network, window)
    frames = "".join([reading.grammar for reading in readings]).translate(_FRAME).split(".")[:-1]
    scores = _sentence_scores(network, words, shapes, frames)
    weighed: list[Layer1] = []
    first = 0
    for reading in readings:
        last = first + len(reading.sentences)
        weighed.append(_piece(reading, network, words, scores[first:last], slice(first, last)))
        first = last
    return tuple(weighed)


def _flat(reading: Reading) -> Layer1:
    sentences = (SHORT_SCORE,) * len(reading.sentences)
    return Layer1(SHORT_SCORE, (), sentences, (SHORT_SCORE,) * len(reading.paragraphs), short=True)


def _network(sentences: Sequence[Sentence]) -> _Network:
    numbers: dict[str, int] = {}
    network = _Network([], [], [], [], [])
    masks = network.masks
    seen: set[tuple[int, ...]] = set()
    for bit, sentence in enumerate(sentences):
        at = 0
        ats: list[int] = []
        nodes: list[int] = []
        content: dict[int, None] = {}
        for flags, stem, form in zip(sentence.flags, sentence.stems, sentence.forms, strict=True):
            at += 1
            pronoun = False
            if flags & NOT_CONTENT:
                if not flags & PRONOUN:
                    if flags & SEPARATOR:
                        at += 1
                    continue
                pronoun = True
            number = numbers.setdefault(stem, len(masks))
            if number == len(masks):
                masks.append(0)
                network.spellings.append(form)
                network.is_pronoun.append(pronoun)
            if not pronoun:
                content[number] = None
            ats.append(at)
            nodes.append(number)
        network.places.append((ats, nodes))
        network.contents.append(content)
        key = tuple(nodes)
        if key not in seen:  # a sentence said again is not one more sentence that a word is found in
            seen.add(key)
            for number in key:
                masks[number] |= 1 << bit
    return network


def _word_scores(network: _Network, window: int) -> list[float]:
    """Score of each content word by number: what it is tied to, saturating.

    A tie to a neighbour found in n sentences is worth `log2(n) * (1 - J)`, J being the Jaccard overlap of the sentences
    of both: a word that is never without the other adds nothing. Neighbours with the very same sentences count once.
    """
    masks = network.masks
    is_pronoun = network.is_pronoun
    ties = [0.0] * len(masks)
    hubs = [log2(mask.bit_count()) if mask & (mask - 1) else 0.0 for mask in masks]
    counted: set[tuple[int, int]] = set()
    for ats, nodes in network.places:
        count = len(nodes)
        for place, hub in enumerate(nodes):
            worth = hubs[hub]
            if not worth:
                continue
            if is_pronoun[hub]:
                worth *= _PRONOUN_TIE
            least, most = ats[place] - window, ats[place] + window
            first = place
            while first and ats[first - 1] > least:
                first -= 1
            theirs = masks[hub]
            while first < count and ats[first] < most:
                number = nodes[first]
                first += 1
                mine = masks[number]
                if mine != theirs and not is_pronoun[number] and (number, theirs) not in counted:
                    counted.add((number, theirs))
                    ties[number] += worth * (1.0 - (mine & theirs).bit_count() / (mine | theirs).bit_count())
    return [1.0 - exp(-tie / _TIES) if tie else 0.0 for tie in ties]


def _sentence_scores(
    network: _Network, words: Sequence[float], shapes: Sequence[Shape], frames: Sequence[str]
) -> list[float]:
    """Mean score of each sentence's different content words, as far as it is built, full and unlike the others."""
    alike = Counter(frames)
    scores: list[float] = []
    for content, frame, (_, built, verb) in zip(network.contents, frames, shapes, strict=True):
        count = len(content)
        if count < 2 or not built:
            scores.append(0.0)
            continue
        whole = built if verb else built * _VERBLESS
        full = min(1.0, (count - 1) / _FULL_SENTENCE)
        scores.append(whole * full / alike[frame] * sum([words[number] for number in content]) / count)
    return scores


def _piece(reading: Reading, network: _Network, words: Sequence[float], scores: list[float], part: slice) -> Layer1:
    if not any(shape.words for shape in reading.shapes):
        return _flat(reading)
    numbers = Counter(chain.from_iterable([nodes for _, nodes in network.places[part]]))
    counts = {number: count for number, count in numbers.items() if not network.is_pronoun[number]}
    trust = _monotony(counts) * reading.order
    if trust < 1.0:
        scores = [score * trust for score in scores]
        words = [score * trust for score in words]
    score = _mean(scores, reading.shapes)
    paragraphs = [score]
    if len(reading.paragraphs) != 1:
        ends = list(accumulate(reading.paragraphs, initial=0))
        paragraphs = [_mean(scores[first:last], reading.shapes[first:last]) for first, last in pairwise(ends)]
    spelled = tuple([(network.spellings[number], words[number]) for number in counts])
    return Layer1(score, spelled, tuple(scores), tuple(paragraphs), short=False)


def _monotony(counts: dict[int, int]) -> float:
    """1 unless three words make up most of the text; falls to 0 as they do."""
    total = sum(counts.values())
    if total < _MONOTONY_MIN:
        return 1.0
    share = sum(sorted(counts.values())[-3:]) / total
    return min(1.0, max(0.0, (_MONOTONY_FULL - share) / (_MONOTONY_FULL - _MONOTONY_FREE)))


def _mean(scores: Sequence[float], shapes: Sequence[Shape]) -> float:
    """Mean over the sentences that have words; 0 when none has."""
    counted = [score for score, shape in zip(scores, shapes, strict=True) if shape.words]
    return sum(counted) / len(counted) if counted else 0.0

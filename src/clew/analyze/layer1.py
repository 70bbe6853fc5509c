"""HSCA layer 1: how tightly a text's words, sentences and paragraphs hang together inside the text itself.

A word scores by its neighbours (within the window) that recur in several sentences; a sentence is the mean of its
words; a paragraph and the text are the mean of their sentences. Scores are absolute: they depend on nothing but the
text (or the texts scored jointly), never on a corpus or on the text's own best word.

Repetition alone is not worth anything, because that is what a list of keywords has most of. So words that always come
together count as one, as far as they have no place in a clause; sentences of one frame share the worth of one, unless
their words change places in it; and what is not built as a sentence, or not in order, or made of five words that recur
without a place in a clause, is discounted (`grammar`, `_trust`).
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, pairwise
from math import exp, log2
from typing import Final, NamedTuple

from clew.analyze.grammar import BUILT_SHARE, Shape
from clew.analyze.lexicon import PRONOUNS
from clew.analyze.words import Reading, Sentence, read

# Words in one sliding window (HSCA 2.1); a separator takes up two places, so that the items of a list stay apart.
WINDOW: Final = 5
# HSCA 8.4: text of fewer sentences has no structure to score and gets this flat low score.
MIN_SENTENCES: Final = 3
SHORT_SCORE: Final = 0.2
# Scale of `1 - exp(-ties / _TIES)`: a neighbour that also occurs in one other sentence gives 0.6.
_TIES: Final = 0.5
# A pronoun that comes back ties less than a noun does.
_PRONOUN_TIE: Final = 0.75
# Of pieces weighed together, what only one of them speaks of is an aside to all others, however long it is about it.
# This puts a thread of short turns above a long, tight text in 66 of 72 conversations of our own (HSCA evaluation 1).
_ASIDE: Final = 0.15
# Different content words from which on a sentence counts in full: 4, so that "redis is fast" is worth a third.
_FULL_SENTENCE: Final = 3
# The frame of a sentence: every run of content words becomes one letter, so that sentences of one frame are known
# whatever stands in them. Script cut into pairs of characters keeps its runs, which are as long as its words.
_CONTENT: Final = "cvwj"
_FRAME: Final = re.compile(f"[{_CONTENT}]+")
# A sentence without a verb is a heading or an item more often than a statement.
_VERBLESS: Final = 0.5
# Share of the repetitions of the five commonest words in all content words: at most 0.3 in most honest texts, 0.45 and
# more in most stuffed ones and in a tight mesh of few words. With fewer content words the share says nothing.
_COMMONEST: Final = 5
_CONCENTRATION_FREE: Final = 0.32
_CONCENTRATION_FULL: Final = 0.55
_CONCENTRATION_MIN: Final = 12
# What tells the mesh from the stuffed text: the share of those words' mentions that have a place in a clause. 0.6 and
# more in 14 of 15 paragraphs of few words, up to 0.35 in adverts and 0.45 in words mixed at random.
_PLACED_FREE: Final = 0.35
_PLACED_FULL: Final = 0.6
# What a tie between two words is worth that come together in every sentence, where they have a place in a clause: the
# lock, the task and the scheduler of a bug report. 0.4 to 0.7 raise the lowest of 19 meshes of few words from 0.28 to
# 0.61 and more, and leave what stuffed texts score as it is.
_MESH: Final = 0.5
# Kinds (`lexicon`): articles, pronouns and their possessives, auxiliaries; auxiliaries and past forms.
_DETERMINERS: Final = "AIYHTX"
_PREDICATES: Final = "Xw"
# What means over sentences become: they bunch in the middle, so the scale is stretched there until real prose and
# dialogue spread (docs/weighing.md); it hardly moves what is below 0.35.
_SCALE: Final[tuple[tuple[float, float], ...]] = ((0.0, 0.0), (0.25, 0.22), (0.5, 0.55), (0.74, 0.92), (1.0, 1.0))


@dataclass(frozen=True, slots=True)
class Layer1:
    """Relational weights of one text, all in [0, 1].

    `score` weighs the text. `sentences` and `paragraphs` run parallel to `sentence_spans` and `paragraph_spans`
    (`clew.text.sentences`) of the analysed text. With `short` the text was too short to be scored, and all scores are
    the flat low one. `word_weights` gives the words.
    """

    score: float
    sentences: tuple[float, ...]
    paragraphs: tuple[float, ...]
    short: bool


_PRONOUN_COUNT: Final = len(PRONOUNS)
_PRONOUNS: Final = range(_PRONOUN_COUNT)


class _Network(NamedTuple):
    """The words of all sentences as numbers, pronouns below `_PRONOUN_COUNT`.

    Per word: its stem, and the sentences it is in as a bit mask. Per sentence: the numbers of its words.
    """

    stems: Sequence[str]
    masks: list[int]
    sentences: list[tuple[int, ...]]


def relational_weight(text: str, window: int = WINDOW) -> Layer1:
    """Weigh one text by itself. Accepts any string. With a `window` below 2 no word has neighbours."""
    return layer1_of(read(text), window)


def relational_weight_joint(texts: Sequence[str], window: int = WINDOW) -> tuple[Layer1, ...]:
    """Weigh pieces together, as if they were one text, and give each its own score.

    A piece gains by what ties it to the others, and loses what it says of things that no other speaks of. A piece
    without words, and every piece while all together have fewer than three sentences, stays `short`.
    """
    return layer1_joint([read(text) for text in texts], window)


def layer1_of(reading: Reading, window: int = WINDOW) -> Layer1:
    """`relational_weight` of a text already read."""
    return layer1_joint([reading], window)[0]


def word_weights(text: str, window: int = WINDOW) -> tuple[tuple[str, float], ...]:
    """The weight in [0, 1] of each content word of a text, once, in order of appearance and as it first appears.

    Empty where `relational_weight` finds the text too short. Words are weighed before the calibrated scale: a sentence
    is the mean of its words on it.
    """
    reading = read(text)
    if layer1_of(reading).short:
        return ()
    network = _network(reading.sentences)
    weights = _word_scores(network, reading.sentences, _hubs(network.masks, (0, 0)), window)
    trust = _trust(network, reading.sentences, range(len(reading.sentences))) * reading.order
    spelled: dict[str, str] = {}
    for sentence in reading.sentences:
        for stem, form in zip(sentence.ties, sentence.forms, strict=True):
            spelled.setdefault(stem, form)
    numbered = list(enumerate(network.stems))[_PRONOUN_COUNT:]
    return tuple([(spelled[stem], weights[number] * trust) for number, stem in numbered if stem])


def layer1_joint(readings: Sequence[Reading], window: int = WINDOW) -> tuple[Layer1, ...]:
    """`relational_weight_joint` of texts already read."""
    shapes = [shape for reading in readings for shape in reading.shapes]
    if len([shape for shape in shapes if shape.words]) < MIN_SENTENCES:
        return tuple(map(_flat, readings))
    sentences = [sentence for reading in readings for sentence in reading.sentences]
    network = _network(sentences)
    ends = list(accumulate([len(reading.sentences) for reading in readings], initial=0))
    words = _word_scores(network, sentences, _hubs(network.masks, ends), window)
    frames = _FRAME.sub("c", "".join([reading.grammar for reading in readings])).split(".")
    scores = _sentence_scores(network, words, sentences, shapes, _framed(network, sentences, frames))
    parts = [slice(first, last) for first, last in pairwise(ends)]
    trusts = _trusts(network, sentences, parts)
    return tuple(
        [
            _piece(reading, scores[part], trust * reading.order)
            for reading, part, trust in zip(readings, parts, trusts, strict=True)
        ]
    )


def layer1_of_beat(readings: Sequence[Reading], window: int = WINDOW) -> tuple[Layer1, ...]:
    """Weigh the pieces of one beat on one scale (HSCA 8.4, evaluation 1).

    Each is weighed by itself, unless some are too short for that: then all are weighed together, the long ones too, as
    an aside that is tight in itself would outweigh the thread otherwise. A short piece keeps at least the flat low
    score: two sentences without ties are no sign that there is none.
    """
    short = [sum(shape.words > 0 for shape in reading.shapes) < MIN_SENTENCES for reading in readings]
    if not any(short):
        return tuple([layer1_of(reading, window) for reading in readings])
    joint = layer1_joint(readings, window)
    return tuple(
        replace(each, score=max(SHORT_SCORE, each.score)) if is_short else each
        for is_short, each in zip(short, joint, strict=True)
    )


def _flat(reading: Reading) -> Layer1:
    sentences = (SHORT_SCORE,) * len(reading.sentences)
    return Layer1(SHORT_SCORE, sentences, (SHORT_SCORE,) * len(reading.paragraphs), short=True)


def _network(sentences: Sequence[Sentence]) -> _Network:
    stems = tuple(dict.fromkeys(chain(PRONOUNS, chain.from_iterable([sentence.ties for sentence in sentences]))))
    number = dict(zip(stems, range(len(stems)), strict=True)).__getitem__
    tied = [tuple(map(number, filter(None, sentence.ties))) for sentence in sentences]
    masks = [0] * len(stems)
    seen: set[tuple[int, ...]] = set()
    flag = 1
    for those in tied:
        if those not in seen:  # a sentence said again is not one more sentence that a word is found in
            seen.add(those)
            for one in those:
                masks[one] |= flag
        flag <<= 1
    return _Network(stems, masks, tied)


def _hubs(masks: Sequence[int], ends: Sequence[int]) -> list[float]:
    """What a tie to each word is worth: log2 of the sentences it is in, less for pronouns and for asides."""
    hubs = [log2(mask.bit_count()) if mask & (mask - 1) else 0.0 for mask in masks]
    for pronoun in _PRONOUNS:
        hubs[pronoun] *= _PRONOUN_TIE
    if len(ends) > 2:
        pieces = [(1 << last) - (1 << first) for first, last in pairwise(ends)]
        owner = [piece for piece, (first, last) in zip(pieces, pairwise(ends), strict=True) for _ in range(first, last)]
        for number, mask in enumerate(masks):
            if hubs[number] and not mask & ~owner[mask.bit_length() - 1]:
                hubs[number] *= _ASIDE
    return hubs


def _word_scores(network: _Network, sentences: Sequence[Sentence], hubs: Sequence[float], window: int) -> list[float]:
    """Score of each content word by number: what it is tied to, saturating.

    A tie to a neighbour is worth its hub times `1 - J`, J being the Jaccard overlap of the sentences of both, so that a
    word that is never without the other adds nothing. As far as J is over 1/2, words with a place in a clause add their
    share of `_mesh` all the same. Neighbours with the very same sentences count once.
    """
    masks = network.masks
    mesh: float | None = None
    sizes = [mask.bit_count() for mask in masks]
    ties = [0.0] * len(masks)
    counted: dict[int, set[int]] = {}  # sentences of a hub -> the words tied to it or to one in the same sentences
    for sentence, those in zip(sentences, network.sentences, strict=True):
        if not any(map(hubs.__getitem__, those)):
            continue
        places = _places(sentence)
        for hub, place in zip(those, places, strict=True):
            worth = hubs[hub]
            if not worth:
                continue
            mine, size = masks[hub], sizes[hub]
            tied = counted.get(mine)
            if tied is None:
                tied = counted[mine] = {hub, *_PRONOUNS}
            for other in those[bisect_right(places, place - window) : bisect_left(places, place + window)]:
                if other in tied:
                    continue
                tied.add(other)
                # A word of one sentence shares just that one; words with the same sentences share all: 1 - J is 0.
                shared = (mine & masks[other]).bit_count() if hubs[other] else 1
                overlap = shared / (size + sizes[other] - shared)
                if overlap > 0.5:
                    if mesh is None:
                        mesh = _mesh(network, sentences)
                    overlap -= mesh * (2.0 * overlap - 1.0)
                ties[other] += worth * (1.0 - overlap)
    return [1.0 - exp(-tie / _TIES) if tie else 0.0 for tie in ties]


def _mesh(network: _Network, sentences: Sequence[Sentence]) -> float:
    """What a tie between two words of the very same sentences is worth: `_MESH` if what recurs has its place."""
    masks = network.masks[_PRONOUN_COUNT:]
    stems = {stem for stem, mask in zip(network.stems[_PRONOUN_COUNT:], masks, strict=True) if mask & (mask - 1)}
    return _MESH * (1.0 - _falling(_placed_share(sentences, stems), _PLACED_FREE, _PLACED_FULL))


def _places(sentence: Sentence) -> list[int]:
    """Where each tied word of a sentence stands; a separator takes up two places."""
    if "," not in sentence.kinds:
        return [place for place, stem in enumerate(sentence.ties) if stem]
    places: list[int] = []
    place = 0
    for kind, stem in zip(sentence.kinds, sentence.ties, strict=True):
        place += 2 if kind == "," else 1
        if stem:
            places.append(place)
    return places


def _sentence_scores(
    network: _Network,
    words: Sequence[float],
    sentences: Sequence[Sentence],
    shapes: Sequence[Shape],
    framed: Sequence[float],
) -> list[float]:
    """Mean score of each sentence's different content words, as far as it is built, full and unlike the others."""
    scores: list[float] = []
    for those, alike, sentence, shape in zip(network.sentences, framed, sentences, shapes, strict=True):
        content = [words[number] for number in dict.fromkeys(those) if number >= _PRONOUN_COUNT]
        count = len(content)
        score = 0.0
        verb, built = shape.verb, shape.built
        if built < 1.0:
            built = min(1.0, built + _agreeing(sentence) / max(1, shape.words) / BUILT_SHARE)
        if count > 1 and built:
            score = sum(content) / count * (built if verb else built * _VERBLESS)
            if count <= _FULL_SENTENCE:
                score *= (count - 1) / _FULL_SENTENCE
            score /= alike
        scores.append(score)
    return scores


def _agreeing(sentence: Sentence) -> int:
    """How many plurals stand before a verb that agrees with them: one in "locks guard files".

    Where there are no articles, these endings show the grammar that function words show elsewhere. A singular before a
    verb in "s" does not count: keywords that are related at random ("redis improves cache") have that as well.
    """
    kinds, forms = sentence.kinds, sentence.forms
    found = 0
    for place, (subject, verb) in enumerate(pairwise(forms), 1):
        if kinds[place] == "v" and kinds[place - 1] in "cv" and not verb.endswith("s"):
            found += subject.endswith("s") and not subject.endswith(("ss", "us", "is"))
    return found


def _framed(network: _Network, sentences: Sequence[Sentence], frames: Sequence[str]) -> list[float]:
    """How many sentences share the worth of one, for each sentence: those of its frame, less what changes its place.

    A page made from a template has its keyword in one place of the frame. In "The wheel turns the shaft. The shaft
    turns the mill" the shaft is what is acted upon and then what acts: such sentences are no repetition, as far as
    these words have a place in a clause.
    """
    alike: dict[str, list[Sentence]] = {}
    for frame, sentence in zip(frames, sentences, strict=False):
        alike.setdefault(frame, []).append(sentence)
    if len(alike) == len(sentences):
        return [1.0] * len(sentences)
    share = dict.fromkeys(alike, 1.0)
    mesh: float | None = None
    for frame, those in alike.items():
        if len(those) > 1:
            moved = _moved_share(those)
            if moved and mesh is None:
                mesh = _mesh(network, sentences) / _MESH
            share[frame] += (len(those) - 1) * (1.0 - moved * (mesh or 0.0))
    return [share[frame] for frame in frames[: len(sentences)]]


def _moved_share(alike: Iterable[Sentence]) -> float:
    """Of the mentions of words that recur in sentences of one frame: those of words in more than one of its places."""
    places: dict[str, list[int]] = {}
    for sentence in alike:
        place = 0
        for kind, stem in zip(sentence.kinds, sentence.ties, strict=True):
            place += kind not in _CONTENT
            if stem and kind in _CONTENT:
                places.setdefault(stem, []).append(place)
    recurring = [found for found in places.values() if len(found) > 1]
    moved = sum([len(found) for found in recurring if len(set(found)) > 1])
    return moved / sum(map(len, recurring)) if recurring else 0.0


def _piece(reading: Reading, scores: Sequence[float], trust: float) -> Layer1:
    counted = [shape.words > 0 for shape in reading.shapes]
    if not any(counted):
        return _flat(reading)
    raw = [score * trust for score in scores]
    whole = _scaled(sum(raw) / sum(counted))
    paragraphs = [whole]
    if len(reading.paragraphs) != 1:
        spans = pairwise(accumulate(reading.paragraphs, initial=0))
        paragraphs = [_scaled(sum(raw[first:last]) / max(1, sum(counted[first:last]))) for first, last in spans]
    return Layer1(whole, tuple([_scaled(score) if score else 0.0 for score in raw]), tuple(paragraphs), short=False)


def _trusts(network: _Network, sentences: Sequence[Sentence], parts: Sequence[slice]) -> list[float]:
    """How far to trust the repetition in each piece; `parts` are the pieces as ranges of sentences.

    Pieces too short to tell are judged together. A repeated sentence counts once, and a sentence that shares no word
    with another does not count, so that unrelated sentences neither raise nor lower the trust.
    """
    if len(parts) == 1:
        return [_trust(network, sentences, range(len(sentences)))]
    places = [range(part.start, part.stop) for part in parts]
    short = [len(_content(network, piece)) < _CONCENTRATION_MIN for piece in places]
    rest = list(chain.from_iterable(piece for piece, is_short in zip(places, short, strict=True) if is_short))
    together = _trust(network, sentences, rest)
    return [
        together if is_short else _trust(network, sentences, piece)
        for piece, is_short in zip(places, short, strict=True)
    ]


def _content(network: _Network, places: Iterable[int]) -> list[int]:
    """The content words, by number, of the different sentences at some places that share a word with another."""
    masks = network.masks
    words: list[int] = []
    for those in dict.fromkeys([network.sentences[place] for place in places]):
        content = [number for number in those if number >= _PRONOUN_COUNT]
        for number in content:
            if masks[number] & (masks[number] - 1):
                words += content
                break
    return words


def _trust(network: _Network, sentences: Sequence[Sentence], places: Sequence[int]) -> float:
    """1 unless five words make up most of what recurs and most of their mentions have no place in a clause."""
    content = _content(network, places)
    total = len(content)
    if total < _CONCENTRATION_MIN or total - len(set(content)) <= _CONCENTRATION_FREE * total:
        return 1.0
    commonest = Counter(content).most_common(_COMMONEST)
    again = (sum([count for _, count in commonest]) - len(commonest)) / total
    trust = _falling(again, _CONCENTRATION_FREE, _CONCENTRATION_FULL)
    if trust == 1.0:
        return trust
    stems = {network.stems[number] for number, count in commonest if count > 1}
    placed = _placed_share([sentences[place] for place in places], stems)
    return trust + (1.0 - trust) * (1.0 - _falling(placed, _PLACED_FREE, _PLACED_FULL))


def _placed_share(sentences: Iterable[Sentence], stems: Collection[str]) -> float:
    """The share of the mentions of some words that have a place in a clause: a determiner before them or a verb after.

    "The scheduler takes the lock" has two, "scheduler lock tips" none.
    """
    mentions = placed = 0
    for sentence in sentences:
        kinds = f".{sentence.kinds}."
        for place, stem in enumerate(sentence.ties, 1):
            if stem in stems:
                mentions += 1
                before, own, after = kinds[place - 1], kinds[place], kinds[place + 1]
                placed += (
                    before in _DETERMINERS
                    or after in _PREDICATES
                    or (after == "v" and own not in "vw")
                    or (kinds[place + 1 : place + 3] == "cA" and own == "c")
                )
    return placed / mentions if mentions else 0.0


def _falling(value: float, high: float, low: float) -> float:
    """1 up to `high`, 0 from `low` on, linear between."""
    return min(1.0, max(0.0, (low - value) / (low - high)))


def _scaled(mean: float) -> float:
    """The mean on the calibrated scale."""
    low, least = _SCALE[0]
    for high, most in _SCALE[1:]:
        if mean <= high:
            return least + (most - least) * (mean - low) / (high - low)
        low, least = high, most
    return least

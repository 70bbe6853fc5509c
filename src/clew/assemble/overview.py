"""Shows beats in short beside the turns of a block, where a question asks for an overview. Pure.

A tenth of a budget, and at least 250 tokens of it, goes to sentences of the renderings of relevant beats: those that
say most, per token, of what neither the turns in the block nor the sentences before say. A line names its range of
turns in place of a speaker:
`4 to 19 (16 turns): User: words | Assistant: words`.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from heapq import heapify, heappop, heappush
from itertools import groupby
from typing import Final, NamedTuple

from clew.assemble.fit import Packed
from clew.assemble.render import Evidence, chronological, render
from clew.assemble.unranked import named_range, unranked_item
from clew.condense.node_renderings import NodeLine
from clew.condense.recap_lines import announces
from clew.text.counters import CHARS_PER_TOKEN, Counter
from clew.text.sentences import sentence_spans
from clew.text.terms import terms
from clew.types.context import ContextItem
from clew.types.ids import turn_id

SHARE: Final = 10
"""What a large budget is divided by for beats in short. Of a fifth, summaries gain no more below 8,000 tokens, and lose
evidence (docs/packing.md)."""

LEAST: Final = 250
"""Tokens for beats in short at least: at 1,000, fewer tell no more than turns do (docs/packing.md)."""

LARGE: Final = 1000
"""Tokens from which a budget is large; in a smaller one, whole turns tell more."""

OF_ALL: Final = 0.25
"""Share of any budget for beats in short where nothing is named by which turns could be found. Of 0, 0.25 and 0.4 the
best over six sources together (docs/packing.md); what beats do not need goes to turns."""

_LEAST: Final = 0.3
"""Weight that the least relevant beat has beside the most relevant one, whose weight is 1 more."""
_OFFSET: Final = 60  # characters added to each length, so that scraps do not win by shortness alone
_NAMED: Final = 24  # characters that name a beat's range of turns


@dataclass(frozen=True, slots=True, kw_only=True)
class BeatInShort:
    """A beat that may be shown in short.

    Attributes:
        low, high: seqs of its first and last turn.
        turns: how many turns it has.
        at: time of its first turn; None if unknown.
        weight: 0..1, how relevant it is beside the others.
        lines: its rendering, line by line.
        kind: of the rendering.
    """

    node: str
    session: str
    low: int
    high: int
    turns: int
    at: datetime | None
    weight: float
    lines: Sequence[NodeLine]
    kind: str = "salient"


class _Sentence(NamedTuple):
    beat: int
    place: int  # in the beat's rendering
    speaker: str
    text: str
    terms: frozenset[str]
    worth: float


def kept_for_overview(budget: int, *, of_all: bool = False) -> int:
    """Tokens of a budget that are reserved for beats in short.

    Args:
        of_all: the question asks for an overview and names nothing that turns could be found by.
    """
    if of_all:
        return int(budget * OF_ALL)
    return max(LEAST, budget // SHARE) if budget >= LARGE else 0


def with_overview(
    packed: Packed, beats: Sequence[BeatInShort], asked: Collection[str], budget: int, counter: Counter
) -> tuple[Packed, list[tuple[Evidence, ContextItem]]]:
    """The block with beats in short, and these as lines and items; as it was, and none, where none fits.

    `Packed.items` and `costs` stay those of the turns.

    Args:
        asked: the question's terms.
        budget: of the whole block.
    """
    if not beats:
        return packed, []
    chosen = _chosen(_sentences(beats, packed.text, asked), packed, (budget - packed.tokens) * CHARS_PER_TOKEN)
    shown = [
        _evidence(beats[beat], list(group))
        for beat, group in groupby(sorted(chosen), key=lambda sentence: sentence.beat)
    ]
    order = {number: beats[number].weight for number in {each.beat for each in chosen}}
    numbers = sorted(order)
    while shown:
        text = render(chronological([*packed.items, *shown]))
        tokens = counter(text)
        if tokens <= budget:
            items = [(each, _item(beats[number], each, counter)) for number, each in zip(numbers, shown, strict=True)]
            return replace(packed, text=text, tokens=tokens), items
        least = min(range(len(numbers)), key=lambda place: (order[numbers[place]], -place))
        del shown[least], numbers[least]
    return packed, []


def in_block_order(
    packed: Packed, turns: Sequence[ContextItem], beats: Sequence[tuple[Evidence, ContextItem]]
) -> tuple[ContextItem, ...]:
    """The items of packed turns and of beats, in the order of the block."""
    items = {id(shown): item for shown, item in [*zip(packed.items, turns, strict=True), *beats]}
    return tuple(items[id(shown)] for shown in chronological([*packed.items, *(shown for shown, _ in beats)]))


def _sentences(beats: Sequence[BeatInShort], block: str, asked: Collection[str]) -> list[_Sentence]:
    """The sentences of the renderings that say something the block does not contain yet.

    Sentences that only announce a step are left out.
    """
    flat = " ".join(block.split())
    sentences = []
    for number, beat in enumerate(beats):
        place = 0
        for line in beat.lines:
            for start, end in sentence_spans(line.text):
                text = line.text[start:end]
                words = frozenset(terms(text))
                if text not in flat and not announces(text):
                    worth = (_LEAST + beat.weight) * (1 + len(words & set(asked)))
                    sentences.append(_Sentence(number, place, line.speaker, text, words, worth))
                place += 1
    return sentences


def _chosen(sentences: Sequence[_Sentence], packed: Packed, room: float) -> list[_Sentence]:
    """Chooses sentences greedily by what they add per character.

    A gain can only fall as others are chosen, so only the best candidate has to be weighed again.
    """
    said = set(terms(packed.text))
    named: set[int] = set()

    def gain(sentence: _Sentence) -> float:
        return -round(len(sentence.terms - said) * sentence.worth / (len(sentence.text) + _OFFSET), 6)

    waiting = [(gain(each), number, 0) for number, each in enumerate(sentences)]
    heapify(waiting)
    chosen: list[_Sentence] = []
    while waiting:
        value, number, seen = heappop(waiting)
        each = sentences[number]
        cost = len(each.text) + len(each.speaker) + 5 + (0 if each.beat in named else _NAMED)
        if value >= 0 or cost > room:
            continue
        if seen < len(chosen):
            heappush(waiting, (gain(each), number, len(chosen)))
            continue
        chosen.append(each)
        said |= each.terms
        named.add(each.beat)
        room -= cost
    return chosen


def _evidence(beat: BeatInShort, sentences: Sequence[_Sentence]) -> Evidence:
    """The line of a beat: its chosen sentences in order, grouped by speaker."""
    lines = [
        f"{speaker}: {' … '.join(sentence.text for sentence in some)}"
        for speaker, some in groupby(sentences, key=lambda sentence: sentence.speaker)
    ]
    return Evidence(
        session=beat.session,
        seq=beat.low,
        at=beat.at,
        speaker=named_range(beat.low, beat.high, beat.turns),
        text=" | ".join(lines),
        rendering=beat.kind,
    )


def _item(beat: BeatInShort, shown: Evidence, counter: Counter) -> ContextItem:
    ends = tuple(dict.fromkeys((turn_id(beat.session, beat.low), turn_id(beat.session, beat.high))))
    return unranked_item(shown, ends, counter, node_id=beat.node)

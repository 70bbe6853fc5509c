"""Builds the Context of a ranking: reads the texts that may fit, packs, renders, and lists what was left out."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from functools import partial
from itertools import repeat
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.assemble.candidate_renderings import LONG, beginning, renderings, renderings_of_result
from clew.assemble.confirmations import asks_for_output, asks_what_was_done, confirms_only, is_silent, may_confirm
from clew.assemble.details import BlockDetails
from clew.assemble.first_lines import NO_LINES, FirstLines, lines_that_fit, with_lines
from clew.assemble.fit import Demands, Packed, fit
from clew.assemble.headlines import Headline, kept_for_headlines, with_headlines
from clew.assemble.overview import BeatInShort, kept_for_overview, with_overview
from clew.assemble.receipt import left_out
from clew.assemble.render import Evidence, item_lines, label, render
from clew.assemble.replies import answered_by, asked_in, by_place, says_little
from clew.assemble.stored_words import (
    StoredWords,
    marked,
    says_again,
    with_thinking,
    within,
    without_notes,
    without_thinking,
)
from clew.index.incremental_cache import CacheKey
from clew.index.view import IndexView, Mask
from clew.rank.dampening import DAY
from clew.rank.frame import Frame
from clew.rank.intent import Intent
from clew.rank.participants import TOOL
from clew.rank.search import Ranking
from clew.rank.sigma import SNIPPET
from clew.rank.signals.agent import calls_of
from clew.rank.signals.cost import RESULT
from clew.store.rows import from_us
from clew.text.counters import Counter
from clew.text.pieces import piece_spans
from clew.text.shown_names import said_by
from clew.text.small_talk import LONGEST, asks_for_small_talk, is_bare, is_small_talk
from clew.text.terms import terms
from clew.types.context import Context, ContextItem
from clew.types.ids import turn_id
from clew.types.record import bulk_maker
from clew.types.turn import ROLES, Turn

STEEPNESS: Final = 2.0
"""How fast utility falls with the score: by e per 1 / STEEPNESS of the weight of cost. docs/packing.md."""

UNWEIGHED: Final = 2.0
"""Replaces the weight of cost where that is 0."""

LEAST: Final = 1e-12
"""Least utility of a token, above 0."""

_SPEAKERS_WORDS: Final = CacheKey[frozenset[str]]("words of speakers' names")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

_evidence: Final = bulk_maker(Evidence)

ReadWords = Callable[[Sequence[tuple[str, int]], NDArray[np.int64]], Sequence[StoredWords | None]]
"""Maps (session, seq) pairs, and the turns' positions, to what is shown; None for a turn forgotten meanwhile."""


def worth(ranking: Ranking) -> list[float]:
    """Utility per token of each candidate's whole rendering: 1 for the best, falling with the score.

    The score already contains the cost of a turn, as -weight * ln(tokens): divided by that weight it is the logarithm
    of a token's utility, so that packing whole turns by density takes them in rank order. Reciprocal ranks have no such
    scale and are used as utilities directly.
    """
    scores = ranking.scores
    if not len(scores):
        return []
    config = ranking.frame.config
    if config.fusion == "rrf":
        falling = scores / scores[0] if scores[0] > 0 else np.ones(len(scores))
    else:
        weight = config.cost_assistant if ranking.frame.with_assistant else config.cost
        falling = np.exp((scores - scores[0]) * STEEPNESS / (weight or UNWEIGHED))
    least: list[float] = np.minimum.accumulate(np.maximum(falling, LEAST)).tolist()
    return least


OfferBy = Callable[[Evidence, str, Sequence[tuple[int, int]], Sequence[float]], list[Evidence]]
"""Maps (whole turn, text, spans of pieces, scores of pieces) to the renderings of a long turn, the whole first."""


@dataclass(frozen=True, slots=True)
class PackingPolicy:
    """How candidates are packed.

    Attributes:
        worth: utility per token of each candidate.
        offer, offer_result: renderings of a long turn, and of a tool's result of more than `RESULT` characters.
        long: characters above which a turn is long.
        beats: beats that may be shown in short beside the turns, where the question asks for an overview.
        joins: whether what a short reply answers is shown beside it.
        allowed: turns that may be shown so; None for all.
        first: lines that go before all turns.
        called: headlines of sessions, for which some of the budget is kept where there are any.
    """

    worth: Callable[[Ranking], list[float]] = worth
    offer: OfferBy = renderings
    offer_result: OfferBy = renderings_of_result
    long: int = LONG
    beats: Sequence[BeatInShort] = ()
    joins: bool = True
    allowed: Mask | None = None
    first: FirstLines = NO_LINES
    called: Mapping[str, Headline] = field(default_factory=dict)


UNUSED: Final = 0.1
"""Share of the tokens kept for beats in short from which those that they leave go to turns."""

POLICY: Final = PackingPolicy()


def _beginning(whole: Evidence, words: str, *_: object) -> list[Evidence]:
    return beginning(whole, words)


SIGMA: Final = PackingPolicy(offer=_beginning, offer_result=_beginning, long=SNIPPET, joins=False)
"""SIGMA's injection: the first 500 characters of a turn at most."""


def build_context(
    ranking: Ranking,
    fetch: ReadWords,
    *,
    budget: int,
    counter: Counter,
    receipt_id: str,
    must: Mapping[int, str] | None = None,
    policy: PackingPolicy = POLICY,
) -> Context:
    """Builds the block of a ranking within a token budget, with its items and omissions.

    Args:
        must: positions of the turns that are packed before all others, ranked or not, most important first, each with
            the reason.
        policy: utilities and renderings of the candidates.
    """
    reasons = must or {}
    ranking = ranking.including(reasons) if reasons else ranking
    why = _by_place(ranking, reasons) if reasons else {}
    ranked = len(ranking)
    pairs = answered_by(ranking.frame.view, ranking.positions, policy.allowed) if policy.joins else {}
    if pairs:
        ranking = ranking.including(set(pairs.values()))
        pairs = by_place(ranking.positions, pairs)
    lengths = ranking.frame.view.turns.chars[ranking.positions]
    source = _RenderingSource(ranking, fetch, policy, why)
    room = budget - (kept_for_headlines(budget) if policy.called else 0)
    lines, kept = lines_that_fit(policy.first, room, counter)
    pack = partial(
        fit,
        np.minimum(lengths[:ranked], policy.long).tolist(),
        source.fetch,
        source.renderings,
        counter=counter,
        worth=policy.worth(ranking),
        demands=Demands(tuple(why), pairs.keys(), partial(source.beside, pairs)),
    )
    packed, whole, in_short = _with_beats(pack, policy.beats, ranking.frame.intent, room - kept, counter)
    if policy.first.lines:
        whole, in_short = with_lines(whole, in_short, replace(policy.first, lines=lines), room, counter)
    left = left_out(ranked, packed, why)
    rows = ranking.rows([*packed.places, *left])
    details = BlockDetails(
        packed=packed,
        in_short=in_short,
        rows=rows,
        must=why,
        replies=_replies(ranking, packed),
        sizes=lengths[left].tolist(),
        spare=room - whole.tokens,
        unshown=source.unshown,
    )
    text, tokens = with_headlines(whole, details.lines(), policy.called, budget, counter)
    items, omitted = details.deferred()
    return Context(text=text, tokens=tokens, budget=budget, items=items, omitted=omitted, receipt_id=receipt_id)


def _with_beats(
    pack: Callable[[int], Packed], beats: Sequence[BeatInShort], intent: Intent, budget: int, counter: Counter
) -> tuple[Packed, Packed, list[tuple[Evidence, ContextItem]]]:
    """The packed turns, the whole block with the beats in short, and the lines and items of these beats.

    Args:
        pack: packs turns into a number of tokens.
    """
    if not beats:
        packed = pack(budget)
        return packed, packed, []
    reserved = kept_for_overview(budget, of_all=intent.wants.overview)
    packed = pack(budget - reserved)
    whole, in_short = with_overview(packed, beats, intent.terms, budget, counter)
    if intent.wants.overview and (unused := budget - whole.tokens) > reserved * UNUSED:
        packed = pack(budget - max(0, reserved - unused))
        whole, in_short = with_overview(packed, beats, intent.terms, budget, counter)
    return packed, whole, in_short


def least_budget(turns: Iterable[Turn], count: Counter) -> int:
    """Tokens of the smallest block that shows one of these turns in full, with its heading and the opening."""
    return min(count(render([Evidence.of(turn, turn.text, "full")])) for turn in turns)


def _by_place(ranking: Ranking, reasons: Mapping[int, str]) -> dict[int, str]:
    """The reasons keyed by index in the ranking, which contains all of these turns."""
    places = {position: place for place, position in enumerate(ranking.positions.tolist())}
    return {places[position]: reason for position, reason in reasons.items()}


def _replies(ranking: Ranking, packed: Packed) -> dict[int, str]:
    """For each turn that is shown because a short reply answers it, the id of the reply."""
    if not packed.joined:
        return {}
    view, positions = ranking.frame.view, ranking.positions[list(packed.joined.values())]
    places = zip(view.turns.session[positions].tolist(), view.turns.seq[positions].tolist(), strict=True)
    names = (turn_id(view.sessions[code], seq) for code, seq in places)
    return dict(zip(packed.joined, names, strict=True))


class _RenderingSource:
    """Reads the texts of candidates, several at a time, and makes their renderings.

    Attributes:
        unshown: indexes of candidates that are never shown, with the reason.
    """

    def __init__(self, ranking: Ranking, fetch: ReadWords, policy: PackingPolicy, required: Collection[int]) -> None:
        self._ranking, self._fetch, self._policy = ranking, fetch, policy
        self._required = required
        self._leaves_out = ranking.frame.config.thinking == "new"
        self._names = _names_unless_asked_for(ranking.frame) if policy.joins else None
        self._renderings: dict[int, Sequence[Evidence]] = {}
        self._words: dict[int, StoredWords] = {}
        self._little: dict[int, bool] = {}
        self.unshown: dict[int, str] = {}

    def fetch(self, places: Sequence[int]) -> None:
        """Reads the texts of these candidates and makes their whole renderings together, in a third of the time."""
        view = self._ranking.frame.view
        positions = self._ranking.positions[np.asarray(places, dtype=np.int64)]
        turns = view.turns
        codes, at, seqs = turns.session[positions].tolist(), turns.at[positions], turns.seq[positions].tolist()
        names = list(map(view.sessions.__getitem__, codes))
        words = self._fetch(list(zip(names, seqs, strict=True)), positions)
        texts = ["" if words_of_turn is None else words_of_turn.text.strip() for words_of_turn in words]
        roles = turns.role[positions]
        speakers, written = _speakers(view, turns.speaker[positions], roles)
        moments = _moments(at)
        whole = _evidence(
            len(texts),
            names,
            seqs,
            moments,
            speakers,
            texts,
            repeat("full"),
            repeat(()),
            repeat(1.0),
            repeat(""),
            item_lines(seqs, written, texts),
            _headings(names, codes, moments, (at // DAY).tolist()),
            repeat(""),
        )
        self._renderings.update(zip(places, zip(whole), strict=True))
        # What is to be done with single turns: none of it in most blocks, and little in the others.
        is_tools = roles == TOOL
        special = (is_tools | (turns.chars[positions] > self._policy.long)).tolist()
        for number, stored in enumerate(words):
            if special[number] or stored is None or stored.mark or stored.speaker or stored.thinking:
                self._finish(places[number], stored, int(positions[number]))
        if self._names is not None:
            self._leave_small_talk(places, texts, self._names)
            if is_tools.any():
                self._leave_confirmations(places, texts, positions, is_tools.tolist())

    def _leave_confirmations(
        self, places: Sequence[int], texts: Sequence[str], positions: NDArray[np.int64], is_tools: Sequence[bool]
    ) -> None:
        """Leaves out tools' results that only confirm their calls, unless they are asked for or required.

        So does it with those that say that nothing was printed.
        """
        frame = self._ranking.frame
        results = [
            (place, text, position)
            for place, text, position, is_tool in zip(places, texts, positions.tolist(), is_tools, strict=True)
            if is_tool and place not in self._required
        ]
        if not asks_for_output(frame.intent.terms):
            for place, text, _ in results:
                if is_silent(text):
                    self._leave(place, "says that nothing was printed")
        candidates = [result for result in results if may_confirm(result[1])]
        if not candidates or asks_what_was_done(frame.intent.terms):
            return
        calls = calls_of(frame.view, np.array([position for *_, position in candidates]))
        read = np.array(sorted({call for own in calls.values() for call in own}), dtype=np.int64)
        turns, sessions = frame.view.turns, frame.view.sessions
        keys = [
            (sessions[code], seq)
            for code, seq in zip(turns.session[read].tolist(), turns.seq[read].tolist(), strict=True)
        ]
        said = {
            call: "" if words is None else words.text
            for call, words in zip(read.tolist(), self._fetch(keys, read), strict=True)
        }
        for place, text, position in candidates:
            if confirms_only(text, [said[call] for call in calls.get(position, ())]):
                self._leave(place, "confirms its call, and says no more")

    def _leave(self, place: int, why: str) -> None:
        self._renderings[place] = ()
        self.unshown[place] = why

    def _leave_small_talk(self, places: Sequence[int], texts: Sequence[str], names: Collection[str]) -> None:
        """Leaves out greetings, thanks and bare words that say nothing else, unless they are required."""
        short = [(place, text) for place, text in zip(places, texts, strict=True) if len(text) <= LONGEST]
        for place, text in short:
            if place in self._required:
                continue
            if is_small_talk(text, names):
                self._leave(place, "a greeting or thanks")
            elif is_bare(text) and self._is_apart(place, text):
                self._leave(place, "says nothing alone")

    def _is_apart(self, place: int, text: str) -> bool:
        """Whether a turn has no word of the question, and answers neither a question nor a turn that has such words."""
        frame, position = self._ranking.frame, self._ranking.positions[place : place + 1]
        turns = frame.view.turns
        if turns.role[position[0]] == TOOL or not frozenset(terms(text)).isdisjoint(frame.intent.terms):
            return False
        answered = np.array([*answered_by(frame.view, position).values()], dtype=np.int64)
        lexical = self._ranking.opinions.get("lexical")
        return not turns.asks[answered].any() and (lexical is None or not (lexical.shares(answered) > 0).any())

    def _finish(self, place: int, stored: StoredWords | None, position: int) -> None:
        """Handles what only some turns need: marks, cutting a tool's result, keeping the text of a long turn."""
        if stored is None:
            self._renderings[place] = ()
            return
        turns = self._ranking.frame.view.turns
        if stored.is_marked:
            self._renderings[place] = self._marked(place, self._renderings[place][0], stored)
        if turns.role[position] == TOOL and (said := without_notes(stored.text)) != stored.text:
            self._renderings[place] = (replace(self._renderings[place][0], text=said.strip(), rendering=RESULT_ALONE),)
        if turns.chars[position] > self._policy.long and self._renderings[place]:
            self._words[place] = stored

    def renderings(self, place: int) -> Sequence[Evidence]:
        """The renderings of a candidate, the whole turn first; empty if the turn was forgotten meanwhile."""
        if place not in self._words:
            return self._renderings[place]
        words, position = self._words[place], int(self._ranking.positions[place])
        scores = self._ranking.frame.scores_of_pieces(position)
        spans: Sequence[tuple[int, int]] = self._ranking.frame.spans_of_pieces(position)
        whole = self._renderings[place][0]
        if whole.rendering == RESULT_ALONE:
            words, spans = _cut(words, spans)
        is_result = len(words.text) > RESULT and self._ranking.frame.view.turns.role[position] == TOOL
        offer = self._policy.offer_result if is_result else self._policy.offer
        if not words.thinking or words.is_thinking:
            return offer(whole, words.text, spans, scores)
        thinks = [within(words, *span) for span in spans]
        if whole.rendering != ANSWER:
            offered = offer(whole, words.text, spans, scores)
            return [_marked_passage(rendering, words.mark, thinks) for rendering in offered]
        scores = [0.0 if is_thinking else score for is_thinking, score in zip(thinks, scores, strict=True)]
        if max(scores, default=0.0) <= 0:
            spans = piece_spans(whole.text)
            return offer(whole, whole.text, spans, [0.0] * len(spans))
        offered = offer(whole, words.text, spans, scores)
        return [
            rendering
            for rendering in offered
            if rendering.rendering != "title" and not any(thinks[piece] for piece in rendering.pieces)
        ]

    def beside(self, pairs: Mapping[int, int], place: int) -> tuple[int, Evidence] | None:
        """The turn that a short reply answers, with what is shown of it; None if the reply is clear without it.

        Args:
            pairs: indexes of short replies -> those of the turns that they follow.
        """
        other = pairs.get(place)
        if other is None or not self._renderings.get(place):
            return None
        if not self._says_little(place, other):
            return None
        if other not in self._renderings:  # all at once, since every read is a query
            rendered = [pair for pair in pairs.items() if self._renderings.get(pair[0])]
            wanted = {asked for reply, asked in rendered if self._says_little(reply, asked)}
            self.fetch(sorted(wanted - self._renderings.keys()))
        return (other, asked_in(self._renderings[other][0])) if self._renderings[other] else None

    def _says_little(self, place: int, other: int) -> bool:
        """Whether a reply cannot be understood without the turn that it follows."""
        little = self._little.get(place)
        if little is None:
            asks = bool(self._ranking.frame.view.turns.asks[self._ranking.positions[other]])
            little = self._little[place] = says_little(self._renderings[place][0].text, asked=asks)
        return little

    def _marked(self, place: int, whole: Evidence, words: StoredWords) -> tuple[Evidence, ...]:
        """The whole turn with its mark, without thinking that its answer repeats; empty if nothing is left."""
        text, rendering = marked(words), whole.rendering
        may_leave = bool(words.thinking) and self._leaves_out and place not in self._required
        if may_leave and says_again(words, self._ranking.frame.intent.terms):
            if words.is_thinking:
                self.unshown[place] = "thinking, and its answer says the same"
                return ()
            text, rendering = without_thinking(words), ANSWER
        speaker = words.speaker or whole.speaker
        return (replace(whole, speaker=speaker, text=text.strip(), rendering=rendering, mark=words.mark),)


def _names_unless_asked_for(frame: Frame) -> frozenset[str] | None:
    """The words of the speakers' names; None for a question that greetings and thanks may answer.

    Such a question asks for a place in the conversation, where a greeting may be what was said first or last.
    """
    intent = frame.intent
    is_placed = bool(intent.positions) or intent.end is not None
    if is_placed or intent.quotes or frame.region or frame.titled or asks_for_small_talk(intent.text):
        return None
    return words_of_speakers(frame.view)


def words_of_speakers(view: IndexView) -> frozenset[str]:
    """The words of the names of all speakers, case-folded; cached with the view."""
    return view.derived(_SPEAKERS_WORDS, lambda: frozenset(" ".join(view.speakers).casefold().split()))


ANSWER: Final = "answer"
"""The rendering of a turn without its thinking."""

RESULT_ALONE: Final = "result"
"""The rendering of a tool's result without the notes that a client put behind it."""


def _cut(words: StoredWords, spans: Sequence[tuple[int, int]]) -> tuple[StoredWords, list[tuple[int, int]]]:
    """A tool's result without the notes that a client appended, and the spans of its pieces."""
    said = without_notes(words.text)
    return words._replace(text=said), [(start, min(end, len(said))) for start, end in spans if start < len(said)]


def _marked_passage(offered: Evidence, mark: str, thinks: Sequence[bool]) -> Evidence:
    """The rendering, marked if it shows a passage that contains thinking.

    Args:
        thinks: of each piece of the turn whether it has thinking in it.
    """
    if any(thinks[piece] for piece in offered.pieces):
        return replace(offered, mark=with_thinking(mark))
    return offered


def _moments(at: NDArray[np.int64]) -> list[datetime | None]:
    """Event times as datetimes; None where a time is unknown."""
    if (at == IndexView.NO_TIME).any():
        return [None if moment == IndexView.NO_TIME else from_us(moment) for moment in at.tolist()]
    return list(map(_EPOCH.__add__, at.view("timedelta64[us]").tolist()))  # a tenth of the time of `from_us`


def _speakers(view: IndexView, speakers: NDArray[np.int32], roles: NDArray[np.uint8]) -> tuple[list[str], list[str]]:
    """The name of each turn's speaker, or else the role; and the same as it is written on a line."""
    codes = ((speakers + np.int64(1)) * len(ROLES) + roles).tolist()
    names, written = {}, {}
    for code in set(codes):
        speaker, role = divmod(code, len(ROLES))
        names[code] = name = said_by(view.speakers[speaker - 1] if speaker else "", ROLES[role])
        written[code] = label(name)
    return list(map(names.__getitem__, codes)), list(map(written.__getitem__, codes))


def _headings(
    names: Sequence[str], codes: Sequence[int], moments: Sequence[datetime | None], days: Sequence[int]
) -> list[tuple[str, date | None]]:
    """The heading of each turn: one tuple for all turns of a session and day.

    Args:
        days: a number for each calendar day.
    """
    keys = list(zip(codes, days, strict=True))
    numbered = dict(zip(keys, range(len(keys)), strict=True))
    headings = {key: (names[place], at.date() if (at := moments[place]) else None) for key, place in numbered.items()}
    return list(map(headings.__getitem__, keys))

"""Prepares a turn, and derives everything that one transaction writes about it. Pure.

The order matters: the text is made encodable, what Clew injected is told apart, then secrets are masked, then large
parts move to blobs. Only the result is hashed, indexed and weighed, so that a resent turn gets the same hash and no
secret reaches the disk. Nine tenths of the cost are in `derive`, which a turn that is stored already is spared.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Final

from clew.config import IngestConfig
from clew.errors import TurnRejected
from clew.index.entry import DATED, STANDING, PieceTerms, TurnEntry, date_marks, name_mark
from clew.ingest.echo import told_apart
from clew.ingest.encoding import checked_name, depth, escape_turn
from clew.ingest.exclude import exclusion
from clew.ingest.identity import content_hash
from clew.ingest.media import offload
from clew.ingest.secrets.masking import mask_turn
from clew.rows.annotations import WEIGHING, weighing_tried
from clew.store.rows import check_json, to_us
from clew.text.dates import date_text, date_words, resolve
from clew.text.names import greeting_aliases
from clew.text.pieces import piece_spans
from clew.text.printable import without_styles
from clew.text.style import Style, says_standing_wish, style
from clew.text.terms import terms
from clew.types.turn import MAX_TURN_CHARS, Part, Turn

DEEPEST: Final = 97
"""Levels of a turn's metadata, and of what its parts have beside their text: in an export three more stand around them,
and a record of 100 is imported.
"""

_BATCH_SIZE: Final = 4_000_000
"""Size of turns after which a batch ends: what is derived of a text takes ten times its memory until it is written."""

_TOGETHER: Final = 100
"""Sessions in one transaction: each pays little of the commit then, and others who write wait about 20 ms at most."""

_CALLING: Final = frozenset(
    terms(
        "hey hi hello hiya heya yo dear morning afternoon evening night thanks thank thx cheers congrats "
        "congratulations welcome goodbye bye birthday name call"
    )
)
"""Words of greetings. A text without any of them greets nobody, and this test is a thousand times faster than
`greeting_aliases`.
"""


@dataclass(frozen=True, slots=True)
class Prepared:
    """One turn as it will be stored, before anything is derived from it: enough to see whether it is stored already.

    Attributes:
        turn: the turn, masked and with its large parts moved out; it has no seq yet.
        digest: content hash of that turn.
        blobs: original bytes by SHA-256, stored next to the turn.
        masked: the number of masked secrets, by kind.
        excluded: the pattern of `ingest.exclude` that matches the turn; None if it may be stored.
    """

    turn: Turn
    digest: bytes
    blobs: Mapping[str, bytes] = field(default_factory=dict)
    masked: Mapping[str, int] = field(default_factory=dict)
    excluded: str | None = None

    @property
    def size(self) -> int:
        """How much is held in memory until it is stored: characters of text, and bytes of blobs."""
        return len(self.turn.text) + sum(map(len, self.blobs.values()))


@dataclass(frozen=True, slots=True)
class Derived:
    """What is written about a turn besides itself.

    Attributes:
        annotations: annotations computed by rules, encoded as one row per table.
    """

    turn: Turn
    pieces: tuple[PieceTerms, ...]
    style: Style
    annotations: Mapping[str, str] = field(default_factory=dict)

    def entry(self, *, seq: int, ordinal: int) -> TurnEntry:
        """The index entry, once seq and ordinal are known.

        Words of a tool count as the tool's, even if the wire format puts them into a user message. Injected text has no
        characters and no terms in the index: it is stored, and never becomes a memory of its own.
        """
        turn = self.turn
        injected = turn.origin == "injected"
        return TurnEntry(
            ordinal=ordinal,
            session=turn.session,
            seq=seq,
            branch=turn.branch,
            speaker=turn.speaker,
            role="tool" if turn.origin == "tool" else turn.role,
            at=to_us(turn.at),
            chars=0 if injected else len(turn.text),
            first_person=self.style.first_person,
            asks=self.style.asks,
            stated=self.style.stated,
            pieces=() if injected else self.pieces,
        )


def admit(turn: object) -> Turn:
    """Makes a caller's turn storable in every store; turns from importers are so already.

    Raises:
        TurnRejected: the value is not a turn, or it contains something that JSON cannot represent.
    """
    if not isinstance(turn, Turn):
        raise TurnRejected(f"{type(turn).__name__} is not a turn; expected clew.Turn(role=..., content=...)")
    for name, value in (("metadata", turn.metadata), *(("extra", part.extra) for part in turn.parts)):
        try:
            if value:
                check_json(value)
        except (TypeError, ValueError, RecursionError) as error:
            why = "it holds a number that JSON does not take, or a circle" if isinstance(error, ValueError) else error
            raise TurnRejected(
                f"{name} cannot be written as JSON: {why}; expected text, numbers, lists and dicts"
            ) from error
    checked_name(turn.session, "session")
    try:
        return escape_turn(turn)
    except RecursionError as error:  # it takes more of the stack than writing the JSON does
        raise TurnRejected(
            "metadata or extra is nested too deeply to be stored; give fewer lists and dicts inside each other"
        ) from error


def prepare(turn: Turn, config: IngestConfig) -> Prepared:
    """Prepares a turn whose text can be encoded, as `admit` and the importers ensure.

    Raises:
        TurnRejected: the turn is empty or too long; the message names the rule.
    """
    _check(turn)
    excluded = exclusion(config.exclude).match(turn)  # before masking: a pattern may name what a mask would hide
    turn = told_apart(turn)
    masked: Mapping[str, int] = {}
    if config.secrets == "mask":
        turn, masked = mask_turn(turn)
    turn, blobs = offload(turn, config.blob_bytes)
    return Prepared(turn, content_hash(turn), blobs, masked, excluded)


def batches(items: Sequence[Prepared], most: int) -> Iterator[tuple[int, int]]:
    """The start and end of each batch of a sequence: at most `most` turns each, fewer if they are large."""
    start = size = 0
    for end, item in enumerate(items, 1):
        size += item.size
        if end - start == most or size >= _BATCH_SIZE or end == len(items):
            yield start, end
            start, size = end, 0


def runs(sessions: Mapping[str, Sequence[Prepared]], most: int) -> Iterator[list[str]]:
    """Names of sessions in their order, as many at a time as one batch holds whole; a longer one is by itself."""
    run: list[str] = []
    count = size = 0
    for session, items in sessions.items():
        added = sum(item.size for item in items)
        if run and (len(run) == _TOGETHER or count + len(items) > most or size + added >= _BATCH_SIZE):
            yield run
            run, count, size = [], 0, 0
        run.append(session)
        count, size = count + len(items), size + added
    if run:
        yield run


def derive(turn: Turn, *, weighed: bool = False) -> Derived:
    """Everything that is computed from a stored turn without a model. Computing it again gives the same result.

    Args:
        weighed: with what rules weigh of the words, four fifths of the time; else the analysis adds it, but to injected
            text, which it passes over. Nothing where they fail on them.
    """
    weighing = weighing_tried(turn.text) if weighed or turn.origin == "injected" else None
    annotations = {} if weighing is None else {WEIGHING: weighing}
    return Derived(turn=turn, pieces=index_pieces(turn), style=style(turn.text), annotations=annotations)


def entry_of(turn: Turn, *, seq: int, ordinal: int) -> TurnEntry:
    """Makes the index entry of a stored turn again."""
    return Derived(turn=turn, pieces=index_pieces(turn), style=style(turn.text)).entry(seq=seq, ordinal=ordinal)


def index_pieces(turn: Turn) -> tuple[PieceTerms, ...]:
    """The turn's pieces as term counts: the words, and apart from them its date, speaker, named dates and names."""
    about = _about("" if turn.at is None else date_text(turn.at), turn.speaker or "")
    return tuple(_piece(turn.text[start:end], about, turn.at) for start, end in piece_spans(turn.text))


@lru_cache(maxsize=1024)
def _about(day: str, speaker: str) -> tuple[str, ...]:
    """The terms of a date and a speaker, which neighbouring turns share."""
    return tuple(terms(f"{day} {speaker}"))


def _piece(words: str, about: Sequence[str], at: datetime | None) -> PieceTerms:
    stored, words = words, without_styles(words)
    extra = Counter(about)
    if says_standing_wish(words):
        extra[STANDING] = 1
    for date_span in resolve(words, at):
        extra.update(terms(date_words(date_span)))
        extra[DATED] = 1
        first, after = _midnight(date_span.start), _midnight(date_span.end) + timedelta(days=1)
        extra.update(date_marks(first, after, date_span.grain))
    body = Counter(terms(words))
    if not _CALLING.isdisjoint(body) or "his is " in words:  # "This is Ann": nothing but stop words and the name
        names = (name_mark(alias.name, alias.of) for alias in greeting_aliases(words))
        extra.update(dict.fromkeys(names, 1))  # not a set, whose order differs from process to process
    return PieceTerms(body=body, extra=extra, chars=len(stored))


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _has_content(part: Part) -> bool:
    """Whether a part without text has content: an attachment, or a tool's empty answer to a call."""
    return part.data is not None or part.blob is not None or part.type == "tool_result"


def _check(turn: Turn) -> None:
    if not turn.text.strip() and not any(map(_has_content, turn.parts)):
        raise TurnRejected("the turn is empty: it has no text but white space, and no image or file")
    size = sum(len(part.text) for part in turn.parts)
    if size > MAX_TURN_CHARS:
        raise TurnRejected(f"the turn has {size:,} characters; at most {MAX_TURN_CHARS:,} are taken, so split it")
    for name, value in (("metadata", turn.metadata), *(("extra", part.extra) for part in turn.parts)):
        if value and depth(value) > DEEPEST:
            raise TurnRejected(
                f"{name} is nested deeper than {DEEPEST} levels; give fewer lists and dicts inside each other"
            )

"""Feedback on recalled turns, as rows of FEEDBACK: marked as used, restored, or quoted or echoed in an answer.

Echoes are found when tuning asks for them, from receipts and the turns that were stored after each: neither recall nor
adding turns waits for that. Feedback is deleted with its receipt.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from clew.errors import InputError
from clew.index.view import IndexView
from clew.rows.pause import paused_since, refuse_while_paused
from clew.rows.receipts import receipt_of
from clew.rows.turn_log import stored_rows
from clew.store.protocol import Reader, Store, Transaction
from clew.store.row_types import FeedbackRow
from clew.store.rows import to_us, turn_from_row
from clew.store.selections import RECEIPTS
from clew.store.tables import FEEDBACK, RECEIPT, TURN
from clew.text.counted import counted
from clew.text.normalise import fold
from clew.text.stopwords import STOPWORDS
from clew.text.terms import terms
from clew.types.context import Receipt
from clew.types.ids import parse_turn_id
from clew.types.turn import Turn

USED: Final = "used"
QUOTED: Final = "quoted"
RESTORED: Final = "restored"

RUN: Final = 4
"""Words in a row that an answer shares with a recalled turn, and with nothing else in sight, to echo it."""

RARE: Final = 2
"""A term is rare when so many turns, at most, held it before the recall."""

RARE_TERMS: Final = 2
"""Rare terms that an answer shares with a recalled turn, and not with the question, to echo it without a run."""

AFTER: Final = 12
"""Turns stored after a recall in which its answer is looked for."""

ANSWERS: Final = 2
"""The assistant's turns after a recall that may answer it."""

RECENT: Final = 8
"""Newest recalls for which a turn that is restored may count."""

_CHARACTERS: Final = 20_000


def mark_used(store: Store, space: str, receipt: Receipt, turn_ids: Sequence[str], now: datetime) -> int:
    """Records durably that turns of a receipt were used; returns how many were not marked before.

    Raises:
        InputError: no turn is named, one is not in the receipt, or the space is paused.
    """
    if isinstance(turn_ids, str) or not turn_ids:
        raise InputError(f"turn_ids is {turn_ids!r}; name the turns that were used, as a list of their ids")
    known = named(receipt)
    strange = [name for name in turn_ids if name not in known]
    if strange:
        raise InputError(
            f"{strange[0]!r} is not a turn of receipt {receipt.id!r}, which shows or names "
            f"{counted(len(known), 'turn')}; `clew explain {receipt.id}` lists them"
        )
    with store.snapshot() as reader:
        refuse_while_paused(reader, space)
    return _write(store, space, [(receipt.name, name, USED) for name in dict.fromkeys(turn_ids)], now)


def note_restored(store: Store, space: str, receipts: Iterable[Receipt], name: str, now: datetime) -> bool:
    """Records that a turn was restored, for the first of these receipts that names it; returns whether one did."""
    receipt = next((each for each in receipts if name in named(each)), None)
    if receipt is None:
        return False
    with store.snapshot() as reader:
        if paused_since(reader, space) is not None:
            return False
    _write(store, space, [(receipt.name, name, RESTORED)], now, durable=False)
    return True


def named(receipt: Receipt) -> set[str]:
    """The ids of the turns that a receipt shows, or names as left out."""
    return {name for row in (*receipt.chosen, *receipt.omitted) for name in row["turn_ids"]}


def shown(receipt: Receipt) -> list[str]:
    """The ids of the turns that a receipt shows, each once, in its order; an outline shows none of its turns."""
    rows = (row for row in receipt.chosen if "node_id" not in row)
    return list(dict.fromkeys(name for row in rows for name in row["turn_ids"]))


def read_feedback(reader: Reader, space: str) -> dict[str, dict[str, set[str]]]:
    """Receipt -> turn -> kinds of evidence."""
    by_receipt: dict[str, dict[str, set[str]]] = {}
    for row in FEEDBACK.scan(reader, (space,), (space,)):
        by_receipt.setdefault(row.receipt, {}).setdefault(row.owner, set()).add(row.kind)
    return by_receipt


def receipts_of(reader: Reader, space: str) -> list[Receipt]:
    """The receipts that are kept, oldest first."""
    rows = RECEIPTS.scan(reader, (space,), (space,))
    return [receipt_of(row.data) for row in sorted(rows, key=lambda row: (row.created_at, row.receipt))]


def write_quoted(store: Store, space: str, receipts: Mapping[str, Iterable[str]], now: datetime) -> int:
    """Records echoes, receipt -> turns; returns how many were not known."""
    return _write(
        store,
        space,
        [(receipt, name, QUOTED) for receipt in receipts for name in receipts[receipt]],
        now,
        durable=False,
    )


def _write(
    store: Store, space: str, marks: Sequence[tuple[str, str, str]], now: datetime, *, durable: bool = True
) -> int:
    """Puts rows that are not there; those of receipts that are gone, or of turns that are, are left out."""

    def write(tx: Transaction) -> int:
        new: list[FeedbackRow] = []
        for receipt, name, kind in marks:
            living = RECEIPT.get(tx, (space, receipt)) and TURN.get(tx, (space, *parse_turn_id(name)))
            if living and FEEDBACK.get(tx, (space, receipt, name, kind)) is None:
                new.append(FeedbackRow(space, receipt, name, kind, to_us(now)))
        FEEDBACK.put(tx, new)
        return len(new)

    return store.transaction(write, durable=durable)


@dataclass(frozen=True, slots=True, eq=False)
class _Wording:
    """The words and terms of a turn, for the search for echoes."""

    words: tuple[str, ...]
    terms: frozenset[str]

    def runs(self) -> set[tuple[str, ...]]:
        """Every run of `RUN` words with at least one that is not a stop word."""
        every = (self.words[low : low + RUN] for low in range(len(self.words) - RUN + 1))
        return {run for run in every if not STOPWORDS.issuperset(run)}


def echoes(store: Store, space: str, view: IndexView, receipts: Sequence[Receipt]) -> dict[str, list[str]]:
    """Receipt -> shown turns that an answer to it echoes; receipts without any are absent.

    The answers are the assistant's first turns stored after the recall, in the session that says the question; where
    none does, in the session of the first turn after it. An answer echoes a turn when it shares a run of words with it
    that neither the question nor another shown turn has, or rare terms that the question has not.
    """
    by_receipt: dict[str, list[str]] = {}
    with store.snapshot():
        for receipt in receipts:
            names = shown(receipt)
            answers = _answers(store, space, view, receipt) if names else []
            if not answers:
                continue
            with store.snapshot() as reader:
                keys = [(space, *parse_turn_id(name)) for name in names]
                rows = TURN.get_many(reader, keys)
            turns = {name: turn_from_row(row) for name, row in zip(names, rows, strict=True) if row is not None}
            told = _echoed(receipt, turns, answers, view)
            if told:
                by_receipt[receipt.name] = told
    return by_receipt


def _answers(store: Store, space: str, view: IndexView, receipt: Receipt) -> list[Turn]:
    """`considered` turns were there when it was asked: what comes after them in the order of arrival came later."""
    later = view.turns.ordinal[receipt.considered : receipt.considered + AFTER].tolist()
    if not later:
        return []
    turns = [turn_from_row(row) for rows in stored_rows(store, space, later[0], later[-1]) for row in rows]
    question = fold(receipt.query)
    asking = [turn for turn in turns if turn.role == "user" and question and question in fold(turn.text)]
    if not turns:  # they were forgotten since
        return []
    session = (asking or turns)[0].session
    told = [turn for turn in turns if turn.session == session and turn.role == "assistant"]
    return [turn for turn in told if turn.origin != "injected"][:ANSWERS]


def _echoed(receipt: Receipt, turns: Mapping[str, Turn], answers: Sequence[Turn], view: IndexView) -> list[str]:
    question = _read(receipt.query)
    wordings = {name: _read(turn.text) for name, turn in turns.items()}
    runs = {name: said.runs() for name, said in wordings.items()}
    spread: dict[tuple[str, ...], int] = {}
    for every in runs.values():
        for run in every:
            spread[run] = spread.get(run, 0) + 1
    heard = [_read(turn.text) for turn in answers]
    heard_runs = {run for said in heard for run in said.runs()} - question.runs()
    heard_terms = frozenset().union(*(said.terms for said in heard)) - question.terms
    rare = set(_rare(heard_terms, view, receipt.considered))
    return [
        name
        for name in wordings
        if any(spread[run] == 1 for run in runs[name] & heard_runs) or len(wordings[name].terms & rare) >= RARE_TERMS
    ]


def _rare(words: Iterable[str], view: IndexView, considered: int) -> Iterator[str]:
    """Terms that 1 to `RARE` of the turns before the recall held."""
    for word in sorted(words):
        owners = view.pieces.turn[view.postings(word)[0]]
        if 1 <= len(set(owners[owners < considered].tolist())) <= RARE:
            yield word


def _read(text: str) -> _Wording:
    text = text[:_CHARACTERS]
    return _Wording(tuple(re.split(" +", fold(text))), frozenset(terms(text)))

"""Finds turns by question, expression, phrase or id, without a budget."""

from collections.abc import Sequence
from itertools import islice

from clew.errors import NotFoundError
from clew.ingest.media import inline
from clew.rank.end_turns import only_meant
from clew.rank.filter import Filter
from clew.rank.quotes import find_quote
from clew.rank.ranker import RankingOptions
from clew.recall.read_path import ReadPath
from clew.recall.session_names import session_shown_as
from clew.store.row_types import TurnRow
from clew.store.rows import turn_from_row, turns_from_rows
from clew.store.tables import TURN
from clew.types import Hit, Turn, parse_turn_id, turn_id
from clew.types.ids import spelled_out


def search(path: ReadPath, query: str, limit: int, chosen: Filter, *, priced: bool) -> list[Hit]:
    """The best turns for a question, best first, each with what every signal added to its score.

    Args:
        priced: what a turn costs counts, as in a recall.
    """
    asked_at = chosen.as_of or path.clock()
    scope = path.selector.scope(chosen, asked_at)
    frame = path.ranker.frame(query, asked_at, RankingOptions(scope=scope, priced=priced))
    mask = only_meant(frame, scope.mask(frame.view))
    matches = list(path.ranker.rank(frame, limit, mask))
    with path.store.snapshot() as reader:
        rows = TURN.get_many(reader, [(path.space, match.session, match.seq) for match in matches])
    stored = [row for row in rows if row is not None]  # the others were forgotten since they were ranked
    matches = [match for row, match in zip(rows, matches, strict=True) if row is not None]
    return [
        Hit(turn=turn, score=match.score, signals=match.shares)
        for turn, match in zip(turns_from_rows(stored), matches, strict=True)
    ]


def matching(path: ReadPath, chosen: Filter, limit: int | None) -> list[Turn]:
    """The turns that pass a filter, in the order in which they were stored, without injected text."""
    turns = path.selector.turns(path.live.view(), chosen, chosen.as_of or path.clock())
    return list(islice((turn for turn in turns if turn.origin != "injected"), limit))


def quoting(path: ReadPath, phrase: str, limit: int) -> list[Turn]:
    """The turns that contain a phrase word for word, newest first."""
    view = path.live.view()  # not inside the snapshot, whose older state it would take for the newest
    with path.store.snapshot() as reader:

        def fetch(names: Sequence[tuple[str, int]]) -> list[Turn | None]:
            return [_stored(row) for row in TURN.get_many(reader, [(path.space, *name) for name in names])]

        return find_quote(view, fetch, phrase, limit)


def stored_turn(path: ReadPath, ref: str) -> Turn:
    """The turn with this id; large parts are pointers to blobs.

    Args:
        ref: its id, or the session and the number by which a block names it, such as `f7633853:38`.

    Raises:
        InputError: that is not a turn id, or a block names several sessions so.
        NotFoundError: no such turn.
    """
    session, seq = parse_turn_id(spelled_out(ref))
    with path.store.snapshot() as reader:
        turn = _stored(TURN.get(reader, (path.space, session, seq)))
        if turn is None and (meant := session_shown_as(path, session)):
            turn = _stored(TURN.get(reader, (path.space, meant, seq)))
    if turn is None:
        name = turn_id(session, seq)
        raise NotFoundError(f"no turn {name!r} in space {path.space!r}; it may have been forgotten")
    return turn


def with_originals(path: ReadPath, turn: Turn) -> Turn:
    """The turn with each pointer replaced by its blob.

    Raises:
        NotFoundError: a blob is missing.
    """
    with path.store.snapshot() as reader:
        return inline(turn, lambda sha: _blob(reader.get_blob(path.space, sha), sha))


def _stored(row: TurnRow | None) -> Turn | None:
    return None if row is None else turn_from_row(row)


def _blob(data: bytes | None, sha: str) -> bytes:
    if data is None:
        raise NotFoundError(f"blob {sha[:12]} is missing; `clew verify` says what else is")
    return data

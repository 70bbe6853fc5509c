"""Every endpoint of the API: its path, what it takes, what it gives, which scope it needs, and what it does.

Borders: decides nothing about memory; each function calls one method of `Memory`. They may take a while and run in
threads.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from clew.condense.recap import Recap
from clew.errors import InputError
from clew.memory import Memory
from clew.memory.arguments import given_name
from clew.rank.strategies import AUTO, STRATEGIES
from clew.recall.recap import STYLES
from clew.recall.timeline import with_moments
from clew.rows.turn_log import turn_page
from clew.serve.access import AccessScope
from clew.serve.proxy.economy.ledger import CostLedger, read_ledger
from clew.serve.rest.cursors import cursor, page, paging, read_cursor
from clew.serve.rest.fields import Field, FieldKind, FieldLocation
from clew.serve.rest.told import told
from clew.text.counters import NAMES as COUNTER_NAMES
from clew.types import Context, ForgetReport, Hit, IngestReport, Receipt, Stats, Turn
from clew.types.facts import Fact, FactStatus
from clew.types.record import Record
from clew.types.session import SessionInfo
from clew.types.turn import ORIGINS, PART_TYPES, ROLES, Part, aware

Given = Mapping[str, Any]

NAME: Final = 1_000
"""Characters of a name or id."""
MOST_TURNS: Final = 1_000
"""Turns in one request."""
MOST_BUDGET: Final = 1_000_000
"""Tokens of a block."""
DEEPEST: Final = 10_000
"""Elements of a query or list of conversations that are paged through: each page reads all that is before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One method of one path.

    Attributes:
        path: below /clew/api/v1, with names of fields in braces.
        name: the operation's id.
        gives: the dataclass of the answer, or of the elements of a page.
        paged: whether the answer is a page of such elements.
    """

    method: str
    path: str
    name: str
    about: str
    scope: AccessScope
    call: Callable[[Memory, dict[str, Any]], dict[str, Any]]
    gives: type[Record]
    fields: tuple[Field, ...] = ()
    paged: bool = False

    def located_in(self, location: FieldLocation) -> tuple[Field, ...]:
        """The fields in one place."""
        return tuple(field for field in self.fields if field.location is location)


def _named(name: str, about: str, **more: Any) -> Field:
    return Field(name=name, about=about, high=NAME, **more)


def _id(name: str, about: str) -> Field:
    return Field(name=name, about=about, location=FieldLocation.PATH, required=True, low=1, high=NAME)


_QUERY: Final = FieldLocation.QUERY
_FILTERS: Final = (
    _named("session", "Only turns of this conversation."),
    _named("since", "Only turns at or after this moment, or since words such as `last week`."),
    _named("until", "Only turns before this moment, or up to the end of such words."),
    Field(name="role", about="Only turns of this role.", choices=ROLES),
    _named("speaker", "Only turns of this speaker."),
    Field(name="where", about="An expression over scores, labels and words: docs/query.md.", low=1, high=4_000),
    Field(name="as_of", about="Only turns with an event time up to here.", moment=True),
    Field(name="known_at", about="Only turns that were stored by then.", moment=True),
    _named("project", "Only conversations of this project folder."),
    _named("branch", "Only conversations on this git branch."),
)
_POSITION: Final = Field(
    name="position",
    about="The beat whose turns come first; negative: so many beats ago.",
    kind=FieldKind.INTEGER,
    low=-1_000_000,
    high=1_000_000,
)
_QUESTION: Final = Field(name="query", about="A question or topic, in full words.", required=True, not_blank=True)
_PART: Final = Field(
    name="part",
    about="A part of a turn.",
    kind=FieldKind.OBJECT,
    fields=(
        Field(name="type", about="What it is.", required=True, choices=PART_TYPES),
        Field(name="text", about="Its text; of a call the arguments as JSON text.", default="", high=8_000_000),
        _named("name", "The tool's name."),
        _named("call_id", "Connects a call with its result."),
        _named("media_type", "MIME type of an image."),
    ),
)
_TURN: Final = Field(
    name="turn",
    about="One message; it has `text` (or `content`, which is the same) or `parts`.",
    kind=FieldKind.OBJECT,
    fields=(
        Field(name="role", about="Whose words they are.", required=True, choices=ROLES),
        Field(name="text", about="The words.", high=8_000_000),
        Field(name="content", about="The words, by the name that they have in the library.", high=8_000_000),
        Field(name="parts", about="The parts, in order.", kind=FieldKind.ARRAY, of=_PART, low=1, high=1_000),
        Field(name="session", about="The conversation.", low=1, high=NAME, default="default"),
        _named("speaker", "Who speaks, where that is known."),
        Field(name="at", about="When it was said.", moment=True),
        _named("external_id", "Its id in the program that it comes from; the same again has no effect."),
        Field(name="origin", about="Who wrote the words; by default as the role says.", choices=ORIGINS),
    ),
)


def _kept(given: Given) -> dict[str, Any]:
    """What was given, without what was not."""
    return {name: value for name, value in given.items() if value is not None}


def _add(memory: Memory, given: Given) -> dict[str, Any]:
    return memory.add_many([_turn(record) for record in given["turns"]]).to_dict()


def _turn(given: Given) -> Turn:
    fields = _kept(given)
    words, parts = fields.pop("content", None), fields.pop("parts", None)
    text = fields.pop("text", words)
    content = text if parts is None else tuple(Part(**_kept(part)) for part in parts)
    return Turn(content="" if content is None else content, source="rest", **fields)


def _turns(memory: Memory, given: Given) -> dict[str, Any]:
    after = read_cursor(given["cursor"], int)
    limit = given["limit"]
    session = None if given["session"] is None else given_name(given["session"], "session")
    with memory.reads.store.snapshot() as reader:
        rows = turn_page(reader, memory.space, session, -1 if after is None else after[0], limit + 1)
    column = "ordinal" if session is None else "seq"
    return page(rows[:limit], cursor(getattr(rows[limit - 1], column)) if len(rows) > limit else None)


def _recall(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    return memory.recall(given.pop("query"), **_kept(given)).to_dict()


def _search(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    return page(memory.search(given.pop("query"), limit=given.pop("limit"), **_kept(given)), None)


def _query(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    limit, after, expression = (given.pop(name) for name in ("limit", "cursor", "expression"))
    return _page_of(lambda most: memory.query(expression, limit=most, **_kept(given)), limit, after)


def _facts(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    limit, after = given.pop("limit"), given.pop("cursor")
    return _page_of(lambda most: memory.facts(limit=most, **_kept(given)), limit, after)


def _receipt(memory: Memory, given: Given) -> dict[str, Any]:
    return memory.explain(given["id"]).to_dict()


def _sessions(memory: Memory, given: Given) -> dict[str, Any]:
    filters = {name: given[name] for name in ("project", "branch", "since")}
    return _page_of(lambda most: memory.sessions(limit=most, **filters), given["limit"], given["cursor"])


def _page_of(first: Callable[[int], Sequence[Any]], limit: int, after: str | None) -> dict[str, Any]:
    """A page of a list that is always read from its beginning, by what gives its first elements."""
    skipped = (read_cursor(after, int) or [0])[0]
    if skipped > DEEPEST:
        raise InputError(
            f"the list is read in pages up to {DEEPEST:,} elements, and this is number {skipped:,}; narrow it by a "
            "filter, such as since"
        )
    rows = first(skipped + limit + 1)[skipped:]
    return page(rows[:limit], cursor(skipped + limit) if len(rows) > limit else None)


def _recap(memory: Memory, given: Given) -> dict[str, Any]:
    chosen = {name: given[name] for name in ("budget", "style", "until_now")}
    return memory.recap(given["id"], **chosen).to_dict()


def _condense(memory: Memory, given: Given) -> dict[str, Any]:
    return memory.condense(given["id"], force=given["force"], dry_run=given["dry_run"]).to_dict()


def _restore(memory: Memory, given: Given) -> dict[str, Any]:
    return told(memory.restore(given["ref"]))


def _forget(memory: Memory, given: dict[str, Any]) -> dict[str, Any]:
    dry_run = given.pop("dry_run")
    return memory.forget(dry_run=dry_run, **_kept(given)).to_dict()


def _stats(memory: Memory, _given: Given) -> dict[str, Any]:
    return memory.stats().to_dict()


def _ledger(memory: Memory, given: Given) -> dict[str, Any]:
    session = None if given["session"] is None else given_name(given["session"], "session")
    only = with_moments(memory.reads.live.view(), memory.reads.clock(), {"session": session, "since": given["since"]})
    with memory.reads.store.snapshot() as reader:
        return read_ledger(reader, memory.space, session=session, since=aware(only["since"], "since")).to_dict()


_TRY: Final = Field(name="dry_run", about="Only say what would be done.", kind=FieldKind.BOOLEAN, default=False)
_READ, _WRITE, _FORGET = AccessScope.READ, AccessScope.WRITE, AccessScope.FORGET

ENDPOINTS: Final = (
    Endpoint(
        method="POST",
        path="/turns",
        name="add_turns",
        about="Store turns; durable when the answer is there.",
        scope=_WRITE,
        call=_add,
        gives=IngestReport,
        fields=(
            Field(
                name="turns",
                about="The turns, in order.",
                kind=FieldKind.ARRAY,
                of=_TURN,
                required=True,
                low=1,
                high=MOST_TURNS,
            ),
        ),
    ),
    Endpoint(
        method="GET",
        path="/turns",
        name="list_turns",
        about="Turns in the order in which they came.",
        scope=_READ,
        call=_turns,
        gives=Turn,
        paged=True,
        fields=(
            _named("session", "Only turns of this conversation, in its own order.", location=_QUERY),
            *paging(_QUERY),
        ),
    ),
    Endpoint(
        method="POST",
        path="/recall",
        name="recall",
        about="The block of remembered turns for a question, within a budget.",
        scope=_READ,
        call=_recall,
        gives=Context,
        fields=(
            _QUESTION,
            Field(name="budget", about="Most tokens of the block.", kind=FieldKind.INTEGER, high=MOST_BUDGET),
            Field(name="counter", about="How tokens are counted.", choices=COUNTER_NAMES),
            _POSITION,
            replace(_POSITION, name="context_position", about="Another name of `position`."),
            Field(name="strategy", about="How to choose; `auto` goes by the question.", choices=(AUTO, *STRATEGIES)),
            Field(name="window", about="Tokens of the model's window.", kind=FieldKind.INTEGER, high=10**9),
            Field(
                name="in_window",
                about="How many of the newest turns the prompt has already; they are left out.",
                kind=FieldKind.INTEGER,
                high=10**9,
            ),
            *_FILTERS,
        ),
    ),
    Endpoint(
        method="POST",
        path="/search",
        name="search",
        about="The best turns for a query, best first, with what every signal added.",
        scope=_READ,
        call=_search,
        gives=Hit,
        paged=True,
        fields=(_QUESTION, paging(FieldLocation.BODY, 10)[0], *_FILTERS),
    ),
    Endpoint(
        method="POST",
        path="/query",
        name="query",
        about="The turns for which an expression holds: docs/query.md.",
        scope=_READ,
        call=_query,
        gives=Turn,
        paged=True,
        fields=(
            Field(name="expression", about="Such as `(O1 > 7) AND tag:auth >= 0.3`.", required=True, low=1, high=4_000),
            *paging(FieldLocation.BODY),
            *(field for field in _FILTERS if field.name != "where"),
        ),
    ),
    Endpoint(
        method="GET",
        path="/facts",
        name="list_facts",
        about="Facts that turns state, the newest first, with standing and links: docs/facts.md.",
        scope=_READ,
        call=_facts,
        gives=Fact,
        paged=True,
        fields=(
            _named("subject", "Only facts about this person or thing.", location=_QUERY, low=1),
            _named("verb", "Only facts with this verb, in any form.", location=_QUERY, low=1),
            _named("object", "Only facts whose object has these words.", location=_QUERY, low=1),
            Field(
                name="status",
                about="Only facts with this status.",
                location=_QUERY,
                choices=tuple(map(str, FactStatus)),
            ),
            Field(name="as_of", about="What held then.", location=_QUERY, moment=True),
            Field(
                name="known_at", about="What followed from what had been said by then.", location=_QUERY, moment=True
            ),
            *paging(_QUERY),
        ),
    ),
    Endpoint(
        method="GET",
        path="/receipts/{id}",
        name="receipt",
        about="What a recall or a compaction considered, chose and left out, and why.",
        scope=_READ,
        call=_receipt,
        gives=Receipt,
        fields=(_id("id", "The receipt's name, as a recall gives it."),),
    ),
    Endpoint(
        method="GET",
        path="/sessions",
        name="list_sessions",
        about="Conversations, the latest first.",
        scope=_READ,
        call=_sessions,
        gives=SessionInfo,
        paged=True,
        fields=(
            _named("project", "Only of this project folder.", location=_QUERY),
            _named("branch", "Only on this git branch.", location=_QUERY),
            _named("since", "Only with a turn since then: a moment, or words such as `last week`.", location=_QUERY),
            *paging(_QUERY, 20),
        ),
    ),
    Endpoint(
        method="GET",
        path="/sessions/{id}/recap",
        name="recap",
        about="A conversation on a page: goal, state, decisions, open tasks, values.",
        scope=_READ,
        call=_recap,
        gives=Recap,
        fields=(
            _id("id", "The conversation."),
            Field(
                name="budget",
                about="Most tokens.",
                kind=FieldKind.INTEGER,
                location=_QUERY,
                default=4_000,
                high=MOST_BUDGET,
            ),
            Field(name="style", about="For work or for talk.", location=_QUERY, default="auto", choices=STYLES),
            Field(
                name="until_now",
                about="Tell of the turns after the last compaction too; else the recap is the same until the next one.",
                kind=FieldKind.BOOLEAN,
                location=_QUERY,
                default=False,
            ),
        ),
    ),
    Endpoint(
        method="POST",
        path="/sessions/{id}/condense",
        name="condense",
        about="Make the recap that stays until the next compaction.",
        scope=_WRITE,
        call=_condense,
        gives=Receipt,
        fields=(
            _id("id", "The conversation."),
            Field(name="force", about="Also when it is not due.", kind=FieldKind.BOOLEAN, default=False),
            _TRY,
        ),
    ),
    Endpoint(
        method="GET",
        path="/restore/{ref}",
        name="restore",
        about="What a reference stands for, in full.",
        scope=_READ,
        call=_restore,
        gives=Turn,
        fields=(_id("ref", "The id of a turn, or the reference in a stub."),),
    ),
    Endpoint(
        method="POST",
        path="/forget",
        name="forget",
        about="Delete turns and everything derived from them; every condition that is given must hold.",
        scope=_FORGET,
        call=_forget,
        gives=ForgetReport,
        fields=(
            Field(
                name="turn_ids",
                about="These turns.",
                kind=FieldKind.ARRAY,
                of=Field(name="turn id", about="The id of a turn.", low=1, high=NAME),
                low=1,
                high=MOST_TURNS,
            ),
            *(field for field in _FILTERS if field.name in ("session", "speaker", "since", "until", "where")),
            Field(name="match", about="Words that the turn's text has.", low=1, high=NAME),
            _TRY,
        ),
    ),
    Endpoint(
        method="GET",
        path="/stats",
        name="stats",
        about="What the space holds, in numbers.",
        scope=_READ,
        call=_stats,
        gives=Stats,
    ),
    Endpoint(
        method="GET",
        path="/ledger",
        name="ledger",
        about="What requests through the proxy cost and saved, in all and by session, day and model.",
        scope=_READ,
        call=_ledger,
        gives=CostLedger,
        fields=(
            _named("session", "Only requests of this conversation.", location=_QUERY),
            _named("since", "Only requests since then: a moment, or words such as `last week`.", location=_QUERY),
        ),
    ),
)

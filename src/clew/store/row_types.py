"""The rows of the tables: one NamedTuple per table, whose fields are the columns in order.

A field's type is the kind of its column; `None` is allowed where the type says so. See `clew.store.tables` for keys and
indexes.
"""

from typing import NamedTuple


class SpaceRow(NamedTuple):
    """One space. `generation` rises whenever packed segments change; `salt` keys the hashes of tombstones."""

    space: str
    next_ordinal: int
    generation: int
    salt: bytes
    created_at: int


class SessionRow(NamedTuple):
    """One conversation of a space, and the place that its next turn gets."""

    space: str
    session: str
    next_seq: int
    title: str | None
    details: str  # JSON: aliases, provider sessions with reason, watermarks
    created_at: int


class TurnRow(NamedTuple):
    """One stored turn."""

    space: str
    session: str
    seq: int
    ordinal: int
    hash: bytes
    at: int | None  # microseconds since 1970 UTC
    external_id: str | None
    branch: str
    parent: str | None
    role: str
    speaker: str | None
    origin: str
    source: str | None
    ingested_at: int
    metadata: str | None  # JSON; None when empty
    parts: str | None  # JSON; None when the turn is one text part
    text: str


class BlobRow(NamedTuple):
    """One attachment, under the SHA-256 of its bytes."""

    space: str
    sha: str
    media_type: str | None
    data: bytes


class AnnotationRow(NamedTuple):
    """What a model or a person says of a turn, or data of a label's name."""

    space: str
    owner: str
    kind: str
    value: str
    provenance: str
    version: int


class WeighingRow(NamedTuple):
    """Scores that rules give a turn by itself (layers 1 to 3), written together with the turn."""

    space: str
    ordinal: int
    value: str
    version: int


class AnalysisRow(NamedTuple):
    """Scores that a turn gets in the light of the turns before it (layer 4)."""

    space: str
    ordinal: int
    value: str
    maker: int  # place of its provenance in the space's list of makers
    version: int


class VectorRow(NamedTuple):
    """A vector not yet packed; the packer moves it into a segment of kind `vector:<model>`."""

    space: str
    model: str
    ordinal: int
    scale: float
    codes: bytes


class TailRow(NamedTuple):
    """The index entry of each turn that is in no segment yet."""

    space: str
    ordinal: int
    entry: bytes


class SegmentRow(NamedTuple):
    """A packed part of an index, as immutable bytes."""

    space: str
    kind: str  # "terms" or "vector:<model>"
    low: int  # first ordinal covered
    high: int  # last ordinal covered
    level: int
    version: int
    data: bytes


class JobRow(NamedTuple):
    """Work that waits, or that was given up after it failed."""

    space: str
    job: str
    kind: str
    state: str  # pending, done, deferred
    payload: str  # JSON
    attempts: int
    reason: str | None
    holder: str | None
    not_before: int | None


class LeaseRow(NamedTuple):
    """Who may do a task at present; `fence` rises with every new holder."""

    space: str
    name: str
    holder: str | None
    fence: int
    expires: int


class ReceiptRow(NamedTuple):
    """What one block was made of."""

    space: str
    receipt: str
    created_at: int
    data: bytes


class TombstoneRow(NamedTuple):
    """The place of a forgotten turn, and nothing of its text."""

    space: str
    session: bytes  # its name, hashed with the space's salt, as are the other values of bytes
    seq: int
    digest: bytes  # of the content hash
    moment: bytes | None  # of event time and content hash; None when the time is unknown
    external_id: bytes | None
    branch: bytes
    parent: int | None  # place of the turn that it answered, when that is not simply the one before
    forgotten_at: int


class NodeRow(NamedTuple):
    """A closed beat or chapter. A reference that is handed out names turns, never a node."""

    space: str
    node: str  # <session>:beat:<n>, <session>:chapter:<n>
    session: str
    level: int  # 1 beat, 2 chapter and above
    place: int  # among the session's nodes of this level
    low: int  # seq of the first turn covered
    high: int  # seq of the last
    epoch: int
    parent: str | None
    title: str | None
    data: str  # JSON: pieces with their weights, domains, whether it was forced
    version: int


class LabelRow(NamedTuple):
    """A label of a turn or of a node, with its weight."""

    space: str
    owner: str  # a turn or a node
    namespace: str
    name: str
    weight: float
    provenance: str
    version: int


class LabelAliasRow(NamedTuple):
    """An old name of a label and the name that replaced it; never in a circle."""

    space: str
    namespace: str
    name: str
    target: str


class EntityRow(NamedTuple):
    """An entity that turns name. `turns` is a count: forgetting a turn takes the turn off again."""

    space: str
    entity: str  # what all spellings of its name have in common
    type: str  # what a mention says it is, as a letter
    name: str  # what a mention's spelling has more than the key
    turns: int  # how many turns have such a mention
    version: int


class EdgeRow(NamedTuple):
    """A link between two entities, one row a pair: in the order of names, or from speaker to what is spoken of."""

    space: str
    source: str
    target: str
    type: str
    turns: int
    version: int


class SpeakerRow(NamedTuple):
    """A speaker of a session, or a name that speakers call each other or themselves."""

    space: str
    session: str
    speaker: str
    kind: str  # speaks; listener: calls the other by the name; speaker: goes by it
    name: str  # empty for speaks
    turns: int
    version: int


class CompletionRow(NamedTuple):
    """An answer of a language model, kept so that the model is asked once."""

    space: str
    model: str
    digest: bytes  # of the request
    owner: str  # what the request was about: forgetting it takes the answer along
    answer: str
    created_at: int


class LedgerRow(NamedTuple):
    """What a language model cost on one day."""

    space: str
    day: int  # days since 1970 UTC
    model: str
    purpose: str
    calls: int
    failures: int
    tokens_in: int
    tokens_out: int
    micros: int  # millionths of the currency in which prices are given
    reserved_tokens: int  # of calls under way
    reserved_micros: int


class ParameterRow(NamedTuple):
    """A tuned value; the highest version holds, older ones are its history."""

    space: str
    name: str
    version: int
    value: str  # JSON
    adopted_at: int
    reason: str  # JSON: what it was measured on


class FeedbackRow(NamedTuple):
    """What became of a recalled turn."""

    space: str
    receipt: str
    owner: str  # a turn that was recalled
    kind: str  # used, quoted, restored
    at: int


class PinRow(NamedTuple):
    """A turn or an expression whose turns the owner wants in every block."""

    space: str
    kind: str  # turn, where
    name: str  # the turn's id, or the expression
    most: int  # turns that it brings at most
    note: str | None
    pinned_at: int


class OriginalRow(NamedTuple):
    """What a stub or a smaller image stands for in a message list: messages as JSON, or the bytes of an image."""

    space: str
    ref: str
    kind: str  # chain, image
    media_type: str
    tokens: int
    kept_at: int
    text: str  # of a chain; empty for an image
    data: bytes | None  # of an image


class CompactionRow(NamedTuple):
    """One compaction of a session: its recap and its receipt."""

    space: str
    session: str
    number: int  # from 1
    last: int  # seq of the last turn that it covers: the watermark
    made_at: int
    reason: str  # tokens, window, limit, task, asked
    tokens_before: int
    tokens_after: int
    receipt: str
    data: bytes  # compressed JSON of recap and receipt


class RecapStateRow(NamedTuple):
    """What the recaps of a session are made of, folded up to a turn, so that a compaction reads only new turns."""

    space: str
    session: str
    revision: int  # rises with each change
    folded: int  # seq of the last turn folded
    mark: int  # seq of the last turn that a compaction covers; -1 before the first
    shown: int  # tokens of what stands for these turns
    data: bytes  # compressed JSON


class MaterialRow(NamedTuple):
    """What a stretch of turns gives the next compaction, which deletes it."""

    space: str
    session: str
    low: int  # seq of its first turn
    high: int
    data: bytes  # compressed JSON


class StandInRow(NamedTuple):
    """What is shown instead of turns that a compaction covers; each of them has one."""

    space: str
    session: str
    low: int  # seq of its first turn
    rendering: str  # full, summary, digest, title, recap
    tokens: int  # as it is shown
    data: bytes  # compressed JSON


class RenderingRow(NamedTuple):
    """The ways to show a node of the hierarchy or a label, shorter than its turns."""

    space: str
    node: str
    source: bytes  # head of the SHA-256 of what they were made from
    summary: str | None  # how the summary was made; None while there is none
    data: bytes  # compressed JSON


class ConversationRow(NamedTuple):
    """A conversation that passes through the proxy."""

    space: str
    conversation: bytes  # the session's name, hashed with the space's salt
    session: str
    client: str  # the program that sends it; empty when unknown
    own_id: str | None  # the client's own id of it
    next_seq: int  # place of the session's next turn when the proxy last stored one
    details: str  # JSON: last turn of each branch, what became of the last request
    began_at: int
    seen_at: int


class MessageRow(NamedTuple):
    """A message of a conversation as clients send it: hashes under the space's salt, and the turns it was stored as.

    Consecutive messages of the assistant count as one.
    """

    space: str
    conversation: bytes
    depth: int  # place in the history that it was sent in
    chain: bytes  # hash of the history up to and including it
    digest: bytes  # hash of the message alone
    span: int  # how many messages the row speaks for, the last of which is this one
    relayed: int  # how many answers up to here the proxy relayed itself
    turns: str  # places in the session, for each message


class InjectionRow(NamedTuple):
    """A block that was put into a message, to be put there again with the same bytes in every later request."""

    space: str
    session: str
    injection: str
    chain: bytes  # of the message, see MessageRow
    digest: bytes
    block: str
    receipt: str | None
    turns: str  # JSON: ids of the turns that it quotes
    at: int
    retired: int | None  # when it stopped being put back


class RequestLogRow(NamedTuple):
    """One request that passed through the proxy: what was decided, and what it cost."""

    space: str
    at: int
    request: str
    session: str | None
    client: str
    wire: str
    model: str
    decision: str
    reason: str
    tokens: int | None  # of the request as it came
    block_tokens: int  # of what was put into it
    predicted_cached: int | None
    predicted_written: int | None
    input: int | None  # as the provider reports, as are the next three
    cached: int | None
    written: int | None
    output: int | None
    cost_with: int | None  # millionths of the currency in which prices are given
    cost_without: int | None  # likewise, had the request been passed through
    receipt: str | None
    failed: str | None  # type of the error for which it went on unchanged, or why it was not answered


class MetaRow(NamedTuple):
    """A named value, such as a version or a progress mark; the installation's own rows have the empty space."""

    space: str
    name: str
    value: str

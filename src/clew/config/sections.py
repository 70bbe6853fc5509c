"""The sections of the settings, with name, default, range and description of each setting."""

from dataclasses import dataclass, field

from clew.config.declare import NO_FLOOR, setting
from clew.config.serve import ServeConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestConfig:
    """How turns are prepared before they are written."""

    secrets: str = setting(
        "mask", "Mask keys, tokens and passwords before they reach the disk, or keep them.", choices=("mask", "keep")
    )
    blob_bytes: int = setting(
        65_536, "Images and tool outputs larger than this many bytes are stored as blobs.", low=256, high=1 << 30
    )
    max_line_bytes: int = setting(
        64 << 20, "Longest line of an imported file, in bytes; longer lines are rejected.", low=1024, high=1 << 31
    )
    batch: int = setting(500, "Turns per transaction when many are added at once.", low=1, high=10_000)
    gather_turns: int = setting(
        5_000, "Turns held in memory while an import sorts them by session.", low=1, high=1_000_000
    )
    gather_chars: int = setting(
        4_000_000,
        "Characters of text, and bytes of blobs, held in memory while an import sorts turns by session.",
        low=1,
        high=1 << 32,
    )
    exclude: tuple[str, ...] = setting(
        (),
        "Patterns of what is never stored: session:<glob> for conversations, project:<glob> for folders, "
        "text:<regular expression> for turns.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexConfig:
    """When new turns are packed into index segments, and when segments are merged."""

    pack_minimum: int = setting(512, "Unpacked turns of which the packer makes a segment.", low=1, high=1_000_000)
    fan_out: int = setting(16, "Segments of one level that are merged into one of the next level.", low=2, high=64)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreConfig:
    """How the home is stored on disk."""

    key: str = setting(
        "none",
        "Where the encryption key is: env:NAME (environment variable), keyring:NAME (keyring entry), or none.",
        form=r"none|env:[A-Za-z_]\w*|keyring:.*\S.*",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallConfig:
    """How turns are ranked and selected. The weights were measured on development conversations: docs/benchmarks.md."""

    fusion: str = setting(
        "score", "Combine the signals as z-scores, or by reciprocal rank (RRF).", choices=("score", "rrf")
    )
    rrf_k: int = setting(60, "The constant k of reciprocal rank fusion.", low=1, high=1000)
    lexical: float = setting(
        1.3, "Weight of BM25F, in which each piece is scored together with its neighbours.", low=0, high=20
    )
    hop: float = setting(
        0.4,
        "Weight of a second look-up by terms of the first turns found, for questions that need two steps.",
        low=0,
        high=20,
    )
    dense: float = setting(0.6, "Weight of the cosine between the question and a turn.", low=0, high=20)
    dense_rewritten: float = setting(
        1.3, "Weight of that cosine when names, or request words, are removed from the question.", low=0, high=20
    )
    window: float = setting(
        0.5, "Weight of the mean cosine over three turns, in conversations between people.", low=0, high=20
    )
    burst: float = setting(0.4, "Share of a burst's best match that its other messages get.", low=0, high=1)
    stretch: float = setting(2.0, "Weight of the match of the turns around a turn, in a meeting.", low=0, high=20)
    answer: float = setting(
        0.5,
        "Weight of the previous turn's cosine if that turn asks something, in conversations between people.",
        low=0,
        high=20,
    )
    speaker: float = setting(3.5, "Added when the question names the turn's speaker.", low=0, high=20)
    speaker_first_person: float = setting(1.8, "Added as well when that turn says I or we.", low=0, high=20)
    first_person: float = setting(0.6, "Added when a turn says I or we.", low=0, high=20)
    question: float = setting(-0.8, "Added when a turn is itself a question.", low=-20, high=20)
    statement: float = setting(
        0.4, "Weight of how much a turn states outside of questions, in conversations between people.", low=-20, high=20
    )
    time: float = setting(7.0, "Weight of a turn's time matching the time that the question names.", low=0, high=20)
    dated: float = setting(
        2.0, "Added when the question asks when something was and the turn names a time.", low=0, high=20
    )
    position: float = setting(
        3.0, "Weight of a turn being in the beat that the question or the caller points at.", low=0, high=20
    )
    label: float = setting(
        0.0, "Weight of the labels that a turn and the question share; rare labels count more.", low=0, high=20
    )
    fact: float = setting(0.0, "Weight of the facts of a turn that answer a part of the question.", low=0, high=20)
    graph: float = setting(
        0.0, "Weight of a turn naming entities near the question's entities in the graph.", low=0, high=20
    )
    beat: float = setting(0.0, "Weight of BM25 over the whole beat that a turn belongs to.", low=0, high=20)
    importance: float = setting(0.0, "Weight of a turn's importance.", low=-20, high=20)
    tree: float = setting(
        0.0, "Weight of a turn's cosine combined with those of its beat and chapters.", low=0, high=20
    )
    coverage: float = setting(4.0, "Added to an agent's turn that contains all terms of the question.", low=0, high=20)
    exact: float = setting(
        20.0, "Added to the few turns that contain every word of a search made of words alone.", low=0, high=50
    )
    rare: float = setting(
        3.0, "Weight of terms of the question that are in very few turns of a large space.", low=0, high=20
    )
    unembedded: float = setting(
        0.4, "Share of the cosines' weight that the match by words gets in turns without a vector.", low=0, high=2
    )
    quote: float = setting(4.0, "Added when a turn contains a phrase that the question quotes.", low=0, high=20)
    user: float = setting(6.0, "Added to the user's turns in conversations with an assistant.", low=0, high=20)
    terse: float = setting(
        6.0, "Subtracted from the user's short turns in sessions in which tools are used.", low=0, high=20
    )
    agent: float = setting(
        4.8,
        "Added to turns of assistant and tools, by how little of a session the user says or how far it uses tools.",
        low=0,
        high=20,
    )
    users_words: float = setting(
        4.8, "Subtracted likewise when the question asks what the user wanted or asked for.", low=0, high=20
    )
    brief: float = setting(
        3.0, "Subtracted from very short turns of sessions in which the user says little.", low=0, high=20
    )
    call: float = setting(
        0.3, "Share of the match of a calling turn that the tool's result gets as well.", low=0, high=1
    )
    session: float = setting(
        2.0, "Weight, beside an assistant, of the best match by words in a turn's session among many.", low=0, high=20
    )
    failure: float = setting(
        2.0, "Added to turns that report a failure when an assistant is asked why something failed.", low=0, high=20
    )
    decision: float = setting(
        6.0, "Added to turns that say what was decided, when the question asks for decisions alone.", low=0, high=20
    )
    cause: float = setting(
        2.0, "Added to turns in which an agent explains something, when the question asks why.", low=0, high=20
    )
    closing: float = setting(
        4.0,
        "Weight of a late position in an agent's session, when the question asks how something ended.",
        low=0,
        high=20,
    )
    sequel: float = setting(
        4.0,
        "Weight of a position after the best turn in an agent's session, for a question in two parts.",
        low=0,
        high=20,
    )
    standing: float = setting(
        4.0, "Added to the user's standing wishes and preferences when an assistant is asked for help.", low=0, high=20
    )
    assistant: float = setting(
        4.0, "Added to the assistant's turns when the question asks for the assistant's words.", low=0, high=20
    )
    opening: float = setting(
        6.0, "Weight of an early position in the session, for a summary or an order of events.", low=0, high=20
    )
    cost: float = setting(2.0, "Subtracted for each unit of the natural logarithm of a turn's tokens.", low=0, high=20)
    cost_assistant: float = setting(3.0, "`recall.cost` in conversations with an assistant.", low=0, high=20)
    lengthy: float = setting(
        1.0,
        "Share of what long turns cost beyond a passage that is given back where an agent works.",
        low=0,
        high=1,
    )
    thinking: str = setting("new", "Thinking in blocks: what its answer leaves out, or all.", choices=("new", "all"))
    announcement: float = setting(
        1.0,
        "Share of what the announcement of a tool call scores above the call's result that is subtracted after fusion.",
        low=0,
        high=1,
    )
    gravity: float = setting(
        0.0,
        "Subtracted after fusion for a turn's distance, in hierarchy and time, from the other relevant turns.",
        low=0,
        high=20,
    )
    hub: float = setting(
        0.0, "Subtracted after fusion for labels so general that they fit any question.", low=0, high=20
    )
    floor: float = setting(
        NO_FLOOR,
        "Turns that score no more than this by the question's own signals are left out; the default keeps all.",
        low=NO_FLOOR,
        high=100,
    )
    limit: int = setting(400, "Best-ranked turns that are considered for the block.", low=1, high=100_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class LLMConfig:
    """Which language model is asked in the background, and what it may cost: docs/llm.md."""

    model: str = setting("none", "Language model: none, or one of the names that docs/llm.md lists.")
    key_variable: str = setting(
        "CLEW_LLM_KEY", "Environment variable that holds the API key of the model's server.", form=r"[A-Za-z_]\w*"
    )
    calls: str = setting(
        "live",
        "live asks the model where no answer is recorded; recorded uses recorded answers only.",
        choices=("live", "recorded"),
    )
    daily_tokens: int = setting(
        1_000_000, "Tokens (input and output) that a space may use per day (UTC); 0 makes no calls.", low=0, high=10**12
    )
    daily_cost: float = setting(
        1.0, "What a space may spend per day (UTC), in the currency of the prices.", low=0, high=1e6
    )
    price_in: float = setting(0.0, "Price of a million input tokens.", low=0, high=1e5)
    price_out: float = setting(0.0, "Price of a million output tokens.", low=0, high=1e5)
    facts: bool = setting(True, "Have the model read each turn for facts; off: rules alone do.")
    answer_tokens: int = setting(
        0,
        "Most tokens of one answer, for small models; fewer facts or entities are asked for. 0: what a question needs.",
        low=0,
        high=1_000_000,
    )
    timeout: float = setting(60.0, "Timeout of one request, in seconds.", low=0.1, high=240)
    deadline: float = setting(
        120.0, "Timeout of one answer in seconds, including retries while the server is busy.", low=0.1, high=240
    )
    close_seconds: float = setting(
        10.0, "Seconds that closing waits for an answer under way; a later one is lost, but charged.", low=0, high=240
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalyzeConfig:
    """How novelty, overlays and importance are scored. Turns that are already analysed keep their scores."""

    importance_profile: str = setting(
        "calibrated",
        "Importance relative to the session's usual level (calibrated), or the plain sum of the SIGMA document.",
        choices=("calibrated", "sigma"),
    )
    overlay_threshold: float = setting(5.0, "Score at which an overlay counts as active.", low=0, high=10)
    paradigm_shift_threshold: float = setting(
        0.7, "Novelty above which an important turn counts as a paradigm shift.", low=0, high=1
    )
    preserve_threshold: float = setting(
        7.0, "Importance at which a turn is preserved in full when a session is compacted.", low=1, high=10
    )
    routine_threshold: float = setting(3.0, "Importance below which a turn is routine.", low=1, high=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectConfig:
    """What of a folder belongs to a project, and how its elements are scored: docs/project.md."""

    max_file_bytes: int = setting(
        2_000_000, "Larger files of a project are skipped; in bytes.", low=1_000, high=1 << 30
    )
    exclude: tuple[str, ...] = setting(
        (), "Patterns, as in a .gitignore, of what is left out of every project beside its own .gitignore files."
    )

    overlays: tuple[str, ...] = setting(
        (),
        "Changes of the lists by which a project's elements belong to overlays, such as 'O2 path:vault/* 0.9', "
        "'O6 word:eigenvalue' or '-O5 path:bin'.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class EntitiesConfig:
    """How people, places and things are recognised in turns."""

    ner: str = setting(
        "auto", "Named-entity model used besides the rules: auto, none, or spacy:<pipeline or folder> (docs/graph.md)."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CondenseConfig:
    """When a session is condensed in the background, how large its recap is, and what stands for its turns."""

    session_tokens: int = setting(
        120_000,
        "Tokens since its last compaction above which a session is condensed by itself; 0: not for this reason.",
        low=0,
        high=1_000_000_000,
    )
    window: int = setting(0, "Tokens of the model's context window; 0: unknown.", low=0, high=1_000_000_000)
    soft_threshold: float = setting(0.70, "Share of `window` from which turns are summarised.", low=0.05, high=1.0)
    hard_threshold: float = setting(0.85, "Share of `window` from which summaries are digests.", low=0.05, high=1.0)
    recap_tokens: int = setting(4_000, "Most tokens of a recap.", low=0, high=1_000_000)
    ratio: float = setting(
        30.0, "How many times smaller a prompt gets: its recap and last turns together.", low=1.0, high=1_000.0
    )
    target_size: int = setting(40_000, "Most tokens that stand for condensed turns.", low=0, high=1_000_000_000)
    min_summary_tokens: int = setting(
        100, "Fewest tokens of a model's summary of a beat; the extract stands for a shorter one.", low=0, high=100_000
    )
    max_summary_tokens: int = setting(500, "Most tokens of the summary of a beat.", low=1, high=100_000)
    protected_turns: int = setting(6, "Last turns of a session that are not condensed.", low=0, high=100_000)
    minimum_turns: int = setting(5, "Analysed turns that a compaction needs at least.", low=1, high=100_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractConfig:
    """How the three vectors of a session are extracted by a language model: docs/extraction.md."""

    safe_limit_tokens: int = setting(
        6_000,
        "Tokens of a prompt that the model processes safely; a longer session is read in chunks. 0: always in one.",
        low=0,
        high=1_000_000_000,
    )
    concurrency: int = setting(4, "Chunks that the model is asked about at the same time.", low=1, high=64)
    oversized: str = setting(
        "fail",
        "What becomes of a turn above the limit: fail records it as a failure, rules extract it without the model.",
        choices=("fail", "rules"),
    )
    semantic_calls: int = setting(
        0, "Most calls of the reduce that decides aliases, reversals and contradictions; 0: none.", low=0, high=100
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """All settings of one `Memory`."""

    embedder: str = setting("auto", "Embedder: auto, none, minilm, or one of the names that docs/embedders.md lists.")
    embedder_previous: str = setting(
        "none", "Embedder whose vectors recall uses until `embedder` has embedded every turn."
    )
    embed_threads: int = setting(1, "Processor threads for the local embedder.", low=1, high=256)
    counter: str = setting(
        "estimate",
        "How tokens are counted: estimate, openai, words, anthropic, anthropic-3 (up to Claude Opus 4.6), or tiktoken "
        "(openai if it is installed, else estimate).",
        choices=("estimate", "openai", "words", "anthropic", "anthropic-3", "tiktoken"),
    )
    budget: int = setting(2000, "Token budget of a recalled block when the caller gives none.", low=0, high=10_000_000)
    keep_days: int = setting(
        0,
        "Days after which turns are forgotten, by event time or else by arrival; 0 keeps them.",
        low=0,
        high=36_500,
    )
    receipts: int = setting(1000, "Receipts kept per space; older ones are deleted.", low=0, high=1_000_000)
    gather_seconds: float = setting(
        0.1, "Seconds that background work waits for more turns after one was added.", low=0, high=3600
    )
    ingest: IngestConfig = field(default_factory=IngestConfig)
    index: IndexConfig = field(default_factory=IndexConfig)
    store: StoreConfig = field(default_factory=StoreConfig)
    analyze: AnalyzeConfig = field(default_factory=AnalyzeConfig)
    condense: CondenseConfig = field(default_factory=CondenseConfig)
    project: ProjectConfig = field(default_factory=ProjectConfig)
    entities: EntitiesConfig = field(default_factory=EntitiesConfig)
    extract: ExtractConfig = field(default_factory=ExtractConfig)
    recall: RecallConfig = field(default_factory=RecallConfig)
    llm: LLMConfig = field(default_factory=LLMConfig)
    serve: ServeConfig = field(default_factory=ServeConfig)

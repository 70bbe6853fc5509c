-- What is derived from turns (the hierarchy, labels), what language models answered and cost, and what was tuned.

CREATE TABLE node (
    space TEXT NOT NULL,
    node TEXT NOT NULL,
    session TEXT,
    level INTEGER,
    place INTEGER,
    low INTEGER,
    high INTEGER,
    epoch INTEGER,
    parent TEXT,
    title TEXT,
    data TEXT,
    version INTEGER,
    PRIMARY KEY (space, node)
) STRICT;

CREATE INDEX node_level ON node (space, session, level, place, node)
    WHERE session IS NOT NULL AND level IS NOT NULL AND place IS NOT NULL;

CREATE TABLE label (
    space TEXT NOT NULL,
    owner TEXT NOT NULL,
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    weight REAL,
    provenance TEXT,
    version INTEGER,
    PRIMARY KEY (space, owner, namespace, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX label_name ON label (space, namespace, name, weight, owner) WHERE weight IS NOT NULL;

CREATE TABLE label_alias (
    space TEXT NOT NULL,
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    target TEXT,
    PRIMARY KEY (space, namespace, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE completion (
    space TEXT NOT NULL,
    model TEXT NOT NULL,
    digest BLOB NOT NULL,
    owner TEXT,
    answer TEXT,
    created_at INTEGER,
    PRIMARY KEY (space, model, digest)
) STRICT;

CREATE INDEX completion_owner ON completion (space, owner, model, digest) WHERE owner IS NOT NULL;

CREATE TABLE ledger (
    space TEXT NOT NULL,
    day INTEGER NOT NULL,
    model TEXT NOT NULL,
    purpose TEXT NOT NULL,
    calls INTEGER,
    failures INTEGER,
    tokens_in INTEGER,
    tokens_out INTEGER,
    micros INTEGER,
    reserved_tokens INTEGER,
    reserved_micros INTEGER,
    PRIMARY KEY (space, day, model, purpose)
) STRICT, WITHOUT ROWID;

CREATE TABLE parameter (
    space TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    value TEXT,
    adopted_at INTEGER,
    reason TEXT,
    PRIMARY KEY (space, name, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE feedback (
    space TEXT NOT NULL,
    receipt TEXT NOT NULL,
    owner TEXT NOT NULL,
    kind TEXT NOT NULL,
    at INTEGER,
    PRIMARY KEY (space, receipt, owner, kind)
) STRICT, WITHOUT ROWID;

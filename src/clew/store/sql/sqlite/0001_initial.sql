-- The tables of clew.store.tables. Where rows are small they live in the primary key's own tree (WITHOUT ROWID: less disk, one
-- look-up); where they hold long text or bytes that tree would be deep and half empty, so they are kept by row number, with the
-- primary key beside them (measured: docs/storage.md). An index ends with the rest of the key, so that ties are in key order.

CREATE TABLE space (
    space TEXT NOT NULL,
    next_ordinal INTEGER,
    generation INTEGER,
    salt BLOB,
    created_at INTEGER,
    PRIMARY KEY (space)
) STRICT, WITHOUT ROWID;

CREATE TABLE session (
    space TEXT NOT NULL,
    session TEXT NOT NULL,
    next_seq INTEGER,
    title TEXT,
    details TEXT,
    created_at INTEGER,
    PRIMARY KEY (space, session)
) STRICT, WITHOUT ROWID;

CREATE TABLE turn (
    space TEXT NOT NULL,
    session TEXT NOT NULL,
    seq INTEGER NOT NULL,
    ordinal INTEGER,
    hash BLOB,
    at INTEGER,
    external_id TEXT,
    branch TEXT,
    parent TEXT,
    role TEXT,
    speaker TEXT,
    origin TEXT,
    source TEXT,
    ingested_at INTEGER,
    metadata TEXT,
    parts TEXT,
    text TEXT,
    PRIMARY KEY (space, session, seq)
) STRICT;

CREATE INDEX turn_ordinal ON turn (space, ordinal, session, seq) WHERE ordinal IS NOT NULL;

CREATE INDEX turn_external ON turn (space, session, external_id, seq) WHERE external_id IS NOT NULL;

CREATE TABLE blob (
    space TEXT NOT NULL,
    sha TEXT NOT NULL,
    media_type TEXT,
    data BLOB,
    PRIMARY KEY (space, sha)
) STRICT;

CREATE TABLE annotation (
    space TEXT NOT NULL,
    owner TEXT NOT NULL,
    kind TEXT NOT NULL,
    value TEXT,
    provenance TEXT,
    version INTEGER,
    PRIMARY KEY (space, owner, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE vector (
    space TEXT NOT NULL,
    model TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    scale REAL,
    codes BLOB,
    PRIMARY KEY (space, model, ordinal)
) STRICT;

CREATE TABLE tail (
    space TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    entry BLOB,
    PRIMARY KEY (space, ordinal)
) STRICT;

CREATE TABLE segment (
    space TEXT NOT NULL,
    kind TEXT NOT NULL,
    low INTEGER NOT NULL,
    high INTEGER,
    level INTEGER,
    version INTEGER,
    data BLOB,
    PRIMARY KEY (space, kind, low)
) STRICT;

CREATE TABLE job (
    space TEXT NOT NULL,
    job TEXT NOT NULL,
    kind TEXT,
    state TEXT,
    payload TEXT,
    attempts INTEGER,
    reason TEXT,
    holder TEXT,
    not_before INTEGER,
    PRIMARY KEY (space, job)
) STRICT;

CREATE INDEX job_state ON job (space, state, kind, job) WHERE state IS NOT NULL AND kind IS NOT NULL;

CREATE TABLE lease (
    space TEXT NOT NULL,
    name TEXT NOT NULL,
    holder TEXT,
    fence INTEGER,
    expires INTEGER,
    PRIMARY KEY (space, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE receipt (
    space TEXT NOT NULL,
    receipt TEXT NOT NULL,
    created_at INTEGER,
    data TEXT,
    PRIMARY KEY (space, receipt)
) STRICT;

CREATE TABLE tombstone (
    space TEXT NOT NULL,
    session BLOB NOT NULL,
    seq INTEGER NOT NULL,
    digest BLOB,
    moment BLOB,
    external_id BLOB,
    branch BLOB,
    parent INTEGER,
    forgotten_at INTEGER,
    PRIMARY KEY (space, session, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX tombstone_moment ON tombstone (space, moment, session, seq) WHERE moment IS NOT NULL;

CREATE TABLE meta (
    space TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT,
    PRIMARY KEY (space, name)
) STRICT, WITHOUT ROWID;

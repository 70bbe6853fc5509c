-- What turns state, the facts made of it, how both are found and hang together; and extractions of whole sessions.

CREATE TABLE statement (
    space TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    provenance TEXT NOT NULL,
    data BLOB,
    PRIMARY KEY (space, ordinal, provenance)
) STRICT, WITHOUT ROWID;

CREATE TABLE fact (
    space TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    place INTEGER NOT NULL,
    data BLOB,
    PRIMARY KEY (space, ordinal, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE fact_key (
    space TEXT NOT NULL,
    digest INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    place INTEGER NOT NULL,
    PRIMARY KEY (space, digest, ordinal, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE fact_link (
    space TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    place INTEGER NOT NULL,
    kind TEXT NOT NULL,
    target INTEGER NOT NULL,
    target_place INTEGER NOT NULL,
    rests INTEGER,
    PRIMARY KEY (space, ordinal, place, kind, target, target_place)
) STRICT, WITHOUT ROWID;
CREATE INDEX fact_link_target ON fact_link (space, target, target_place, ordinal, place, kind);

CREATE TABLE extraction_run (
    space TEXT NOT NULL,
    session TEXT NOT NULL,
    run INTEGER,
    state TEXT,
    mode TEXT,
    extractor TEXT,
    source BLOB,
    last INTEGER,
    attempts INTEGER,
    reason TEXT,
    holder TEXT,
    until INTEGER,
    started_at INTEGER,
    finished_at INTEGER,
    telemetry TEXT,
    data BLOB,
    PRIMARY KEY (space, session)
) STRICT;
CREATE INDEX extraction_run_state ON extraction_run (space, state, session) WHERE state IS NOT NULL;

CREATE TABLE extraction_chunk (
    space TEXT NOT NULL,
    session TEXT NOT NULL,
    digest BLOB NOT NULL,
    chunk INTEGER,
    low INTEGER,
    high INTEGER,
    tokens INTEGER,
    state TEXT,
    attempts INTEGER,
    reason TEXT,
    not_before INTEGER,
    data BLOB,
    PRIMARY KEY (space, session, digest)
) STRICT;

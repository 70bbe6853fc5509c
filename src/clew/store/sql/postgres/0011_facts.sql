-- What turns state, the facts made of it, how both are found and hang together; and extractions of whole sessions.

CREATE TABLE statement (
    space text COLLATE "C" NOT NULL,
    ordinal bigint NOT NULL,
    provenance text COLLATE "C" NOT NULL,
    data bytea,
    PRIMARY KEY (space, ordinal, provenance)
);

CREATE TABLE fact (
    space text COLLATE "C" NOT NULL,
    ordinal bigint NOT NULL,
    place bigint NOT NULL,
    data bytea,
    PRIMARY KEY (space, ordinal, place)
);

CREATE TABLE fact_key (
    space text COLLATE "C" NOT NULL,
    digest bigint NOT NULL,
    ordinal bigint NOT NULL,
    place bigint NOT NULL,
    PRIMARY KEY (space, digest, ordinal, place)
);

CREATE TABLE fact_link (
    space text COLLATE "C" NOT NULL,
    ordinal bigint NOT NULL,
    place bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    target bigint NOT NULL,
    target_place bigint NOT NULL,
    rests bigint,
    PRIMARY KEY (space, ordinal, place, kind, target, target_place)
);
CREATE INDEX fact_link_target ON fact_link (space, target, target_place, ordinal, place, kind);

CREATE TABLE extraction_run (
    space text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    run bigint,
    state text COLLATE "C",
    mode text COLLATE "C",
    extractor text COLLATE "C",
    source bytea,
    last bigint,
    attempts bigint,
    reason text COLLATE "C",
    holder text COLLATE "C",
    until bigint,
    started_at bigint,
    finished_at bigint,
    telemetry text COLLATE "C",
    data bytea,
    PRIMARY KEY (space, session)
);
CREATE INDEX extraction_run_state ON extraction_run (space, state, session) WHERE state IS NOT NULL;

CREATE TABLE extraction_chunk (
    space text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    digest bytea NOT NULL,
    chunk bigint,
    low bigint,
    high bigint,
    tokens bigint,
    state text COLLATE "C",
    attempts bigint,
    reason text COLLATE "C",
    not_before bigint,
    data bytea,
    PRIMARY KEY (space, session, digest)
);

ALTER TABLE statement
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN provenance SET STATISTICS 0,
    ALTER COLUMN data SET STATISTICS 0;

ALTER TABLE fact
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN data SET STATISTICS 0;

ALTER TABLE fact_key
    ALTER COLUMN space SET STATISTICS 0;

ALTER TABLE fact_link
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN kind SET STATISTICS 0;

ALTER TABLE extraction_run
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN session SET STATISTICS 0,
    ALTER COLUMN state SET STATISTICS 0,
    ALTER COLUMN mode SET STATISTICS 0,
    ALTER COLUMN extractor SET STATISTICS 0,
    ALTER COLUMN source SET STATISTICS 0,
    ALTER COLUMN reason SET STATISTICS 0,
    ALTER COLUMN holder SET STATISTICS 0,
    ALTER COLUMN telemetry SET STATISTICS 0,
    ALTER COLUMN data SET STATISTICS 0;

ALTER TABLE extraction_chunk
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN session SET STATISTICS 0,
    ALTER COLUMN digest SET STATISTICS 0,
    ALTER COLUMN state SET STATISTICS 0,
    ALTER COLUMN reason SET STATISTICS 0,
    ALTER COLUMN data SET STATISTICS 0;

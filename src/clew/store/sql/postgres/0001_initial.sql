-- The tables of clew.store.tables, and three of this engine's own. Text is compared byte by byte, which for UTF-8 is the order of
-- code points on every engine. An index ends with the rest of the key, so that ties are in key order.
--
-- Statistics are switched off for text and bytes: the planner needs none here (see `connect` in postgres.sql), and it would
-- keep samples of what people said where forgetting does not reach.

CREATE TABLE installation (
    schema_number bigint NOT NULL PRIMARY KEY
);

-- Writers of a space take turns by locking its lane; `changes` counts commits, so that others see that there was one.
CREATE TABLE lane (
    lane bigint NOT NULL PRIMARY KEY,
    changes bigint NOT NULL
) WITH (fillfactor = 25);

-- The number of each writer's last commit, by which it knows afterwards whether one was made that it got no answer to.
CREATE TABLE writer (
    writer text COLLATE "C" NOT NULL PRIMARY KEY,
    number bigint NOT NULL,
    seen timestamptz NOT NULL
) WITH (fillfactor = 50);

INSERT INTO lane SELECT number, 0 FROM generate_series(0, 255) AS number;

CREATE TABLE space (
    space text COLLATE "C" NOT NULL,
    next_ordinal bigint,
    generation bigint,
    salt bytea,
    created_at bigint,
    PRIMARY KEY (space)
) WITH (fillfactor = 50);

ALTER TABLE space
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN salt SET STATISTICS 0;

CREATE TABLE session (
    space text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    next_seq bigint,
    title text COLLATE "C",
    details text COLLATE "C",
    created_at bigint,
    PRIMARY KEY (space, session)
) WITH (fillfactor = 80);

ALTER TABLE session
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN session SET STATISTICS 0,
    ALTER COLUMN title SET STATISTICS 0,
    ALTER COLUMN details SET STATISTICS 0;

CREATE TABLE turn (
    space text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    ordinal bigint,
    hash bytea,
    at bigint,
    external_id text COLLATE "C",
    branch text COLLATE "C",
    parent text COLLATE "C",
    role text COLLATE "C",
    speaker text COLLATE "C",
    origin text COLLATE "C",
    source text COLLATE "C",
    ingested_at bigint,
    metadata text COLLATE "C",
    parts text COLLATE "C",
    text text COLLATE "C",
    PRIMARY KEY (space, session, seq)
);

CREATE INDEX turn_ordinal ON turn (space, ordinal, session, seq) WHERE ordinal IS NOT NULL;

CREATE INDEX turn_external ON turn (space, session, external_id, seq) WHERE external_id IS NOT NULL;

ALTER TABLE turn
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN session SET STATISTICS 0,
    ALTER COLUMN hash SET STATISTICS 0,
    ALTER COLUMN external_id SET STATISTICS 0,
    ALTER COLUMN branch SET STATISTICS 0,
    ALTER COLUMN parent SET STATISTICS 0,
    ALTER COLUMN role SET STATISTICS 0,
    ALTER COLUMN speaker SET STATISTICS 0,
    ALTER COLUMN origin SET STATISTICS 0,
    ALTER COLUMN source SET STATISTICS 0,
    ALTER COLUMN metadata SET STATISTICS 0,
    ALTER COLUMN parts SET STATISTICS 0,
    ALTER COLUMN text SET STATISTICS 0;

CREATE TABLE blob (
    space text COLLATE "C" NOT NULL,
    sha text COLLATE "C" NOT NULL,
    media_type text COLLATE "C",
    data bytea,
    PRIMARY KEY (space, sha)
);

ALTER TABLE blob
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN sha SET STATISTICS 0,
    ALTER COLUMN media_type SET STATISTICS 0,
    ALTER COLUMN data SET STATISTICS 0;

CREATE TABLE annotation (
    space text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    value text COLLATE "C",
    provenance text COLLATE "C",
    version bigint,
    PRIMARY KEY (space, owner, kind)
);

ALTER TABLE annotation
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN owner SET STATISTICS 0,
    ALTER COLUMN kind SET STATISTICS 0,
    ALTER COLUMN value SET STATISTICS 0,
    ALTER COLUMN provenance SET STATISTICS 0;

CREATE TABLE vector (
    space text COLLATE "C" NOT NULL,
    model text COLLATE "C" NOT NULL,
    ordinal bigint NOT NULL,
    scale double precision,
    codes bytea,
    PRIMARY KEY (space, model, ordinal)
);

ALTER TABLE vector
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN model SET STATISTICS 0,
    ALTER COLUMN codes SET STATISTICS 0;

CREATE TABLE tail (
    space text COLLATE "C" NOT NULL,
    ordinal bigint NOT NULL,
    entry bytea,
    PRIMARY KEY (space, ordinal)
);

ALTER TABLE tail
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN entry SET STATISTICS 0;

CREATE TABLE segment (
    space text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    low bigint NOT NULL,
    high bigint,
    level bigint,
    version bigint,
    data bytea,
    PRIMARY KEY (space, kind, low)
);

ALTER TABLE segment
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN kind SET STATISTICS 0,
    ALTER COLUMN data SET STATISTICS 0;

CREATE TABLE job (
    space text COLLATE "C" NOT NULL,
    job text COLLATE "C" NOT NULL,
    kind text COLLATE "C",
    state text COLLATE "C",
    payload text COLLATE "C",
    attempts bigint,
    reason text COLLATE "C",
    holder text COLLATE "C",
    not_before bigint,
    PRIMARY KEY (space, job)
);

CREATE INDEX job_state ON job (space, state, kind, job) WHERE state IS NOT NULL AND kind IS NOT NULL;

ALTER TABLE job
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN job SET STATISTICS 0,
    ALTER COLUMN kind SET STATISTICS 0,
    ALTER COLUMN state SET STATISTICS 0,
    ALTER COLUMN payload SET STATISTICS 0,
    ALTER COLUMN reason SET STATISTICS 0,
    ALTER COLUMN holder SET STATISTICS 0;

CREATE TABLE lease (
    space text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    holder text COLLATE "C",
    fence bigint,
    expires bigint,
    PRIMARY KEY (space, name)
) WITH (fillfactor = 50);

ALTER TABLE lease
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN name SET STATISTICS 0,
    ALTER COLUMN holder SET STATISTICS 0;

CREATE TABLE receipt (
    space text COLLATE "C" NOT NULL,
    receipt text COLLATE "C" NOT NULL,
    created_at bigint,
    data text COLLATE "C",
    PRIMARY KEY (space, receipt)
);

ALTER TABLE receipt
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN receipt SET STATISTICS 0,
    ALTER COLUMN data SET STATISTICS 0;

CREATE TABLE tombstone (
    space text COLLATE "C" NOT NULL,
    session bytea NOT NULL,
    seq bigint NOT NULL,
    digest bytea,
    moment bytea,
    external_id bytea,
    branch bytea,
    parent bigint,
    forgotten_at bigint,
    PRIMARY KEY (space, session, seq)
);

CREATE INDEX tombstone_moment ON tombstone (space, moment, session, seq) WHERE moment IS NOT NULL;

ALTER TABLE tombstone
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN session SET STATISTICS 0,
    ALTER COLUMN digest SET STATISTICS 0,
    ALTER COLUMN moment SET STATISTICS 0,
    ALTER COLUMN external_id SET STATISTICS 0,
    ALTER COLUMN branch SET STATISTICS 0;

CREATE TABLE meta (
    space text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    value text COLLATE "C",
    PRIMARY KEY (space, name)
);

ALTER TABLE meta
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN name SET STATISTICS 0,
    ALTER COLUMN value SET STATISTICS 0;

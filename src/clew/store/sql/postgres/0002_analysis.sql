-- What is derived from turns (the hierarchy, labels), what language models answered and cost, and what was tuned.

CREATE TABLE node (
    space text COLLATE "C" NOT NULL,
    node text COLLATE "C" NOT NULL,
    session text COLLATE "C",
    level bigint,
    place bigint,
    low bigint,
    high bigint,
    epoch bigint,
    parent text COLLATE "C",
    title text COLLATE "C",
    data text COLLATE "C",
    version bigint,
    PRIMARY KEY (space, node)
);

CREATE INDEX node_level ON node (space, session, level, place, node)
    WHERE session IS NOT NULL AND level IS NOT NULL AND place IS NOT NULL;

ALTER TABLE node
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN node SET STATISTICS 0,
    ALTER COLUMN session SET STATISTICS 0,
    ALTER COLUMN parent SET STATISTICS 0,
    ALTER COLUMN title SET STATISTICS 0,
    ALTER COLUMN data SET STATISTICS 0;

CREATE TABLE label (
    space text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    namespace text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    weight double precision,
    provenance text COLLATE "C",
    version bigint,
    PRIMARY KEY (space, owner, namespace, name)
);

CREATE INDEX label_name ON label (space, namespace, name, weight, owner) WHERE weight IS NOT NULL;

ALTER TABLE label
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN owner SET STATISTICS 0,
    ALTER COLUMN namespace SET STATISTICS 0,
    ALTER COLUMN name SET STATISTICS 0,
    ALTER COLUMN provenance SET STATISTICS 0;

CREATE TABLE label_alias (
    space text COLLATE "C" NOT NULL,
    namespace text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    target text COLLATE "C",
    PRIMARY KEY (space, namespace, name)
);

ALTER TABLE label_alias
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN namespace SET STATISTICS 0,
    ALTER COLUMN name SET STATISTICS 0,
    ALTER COLUMN target SET STATISTICS 0;

CREATE TABLE completion (
    space text COLLATE "C" NOT NULL,
    model text COLLATE "C" NOT NULL,
    digest bytea NOT NULL,
    owner text COLLATE "C",
    answer text COLLATE "C",
    created_at bigint,
    PRIMARY KEY (space, model, digest)
);

CREATE INDEX completion_owner ON completion (space, owner, model, digest) WHERE owner IS NOT NULL;

ALTER TABLE completion
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN model SET STATISTICS 0,
    ALTER COLUMN digest SET STATISTICS 0,
    ALTER COLUMN owner SET STATISTICS 0,
    ALTER COLUMN answer SET STATISTICS 0;

CREATE TABLE ledger (
    space text COLLATE "C" NOT NULL,
    day bigint NOT NULL,
    model text COLLATE "C" NOT NULL,
    purpose text COLLATE "C" NOT NULL,
    calls bigint,
    failures bigint,
    tokens_in bigint,
    tokens_out bigint,
    micros bigint,
    reserved_tokens bigint,
    reserved_micros bigint,
    PRIMARY KEY (space, day, model, purpose)
);

ALTER TABLE ledger
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN model SET STATISTICS 0,
    ALTER COLUMN purpose SET STATISTICS 0;

CREATE TABLE parameter (
    space text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    value text COLLATE "C",
    adopted_at bigint,
    reason text COLLATE "C",
    PRIMARY KEY (space, name, version)
);

ALTER TABLE parameter
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN name SET STATISTICS 0,
    ALTER COLUMN value SET STATISTICS 0,
    ALTER COLUMN reason SET STATISTICS 0;

CREATE TABLE feedback (
    space text COLLATE "C" NOT NULL,
    receipt text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    at bigint,
    PRIMARY KEY (space, receipt, owner, kind)
);

ALTER TABLE feedback
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN receipt SET STATISTICS 0,
    ALTER COLUMN owner SET STATISTICS 0,
    ALTER COLUMN kind SET STATISTICS 0;

-- What turns name, and how it hangs together: counts over turns, so that a turn that goes is taken off again.

CREATE TABLE entity (
    space text COLLATE "C" NOT NULL,
    entity text COLLATE "C" NOT NULL,
    type text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    turns bigint,
    version bigint,
    PRIMARY KEY (space, entity, type, name)
);

ALTER TABLE entity
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN entity SET STATISTICS 0,
    ALTER COLUMN type SET STATISTICS 0,
    ALTER COLUMN name SET STATISTICS 0;

CREATE TABLE edge (
    space text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL,
    target text COLLATE "C" NOT NULL,
    type text COLLATE "C" NOT NULL,
    turns bigint,
    version bigint,
    PRIMARY KEY (space, source, target, type)
);

CREATE INDEX edge_target ON edge (space, target, source, type);

ALTER TABLE edge
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN source SET STATISTICS 0,
    ALTER COLUMN target SET STATISTICS 0,
    ALTER COLUMN type SET STATISTICS 0;

CREATE TABLE speaker (
    space text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    speaker text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    turns bigint,
    version bigint,
    PRIMARY KEY (space, session, speaker, kind, name)
);

CREATE INDEX speaker_name ON speaker (space, name, session, speaker, kind);

ALTER TABLE speaker
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN session SET STATISTICS 0,
    ALTER COLUMN speaker SET STATISTICS 0,
    ALTER COLUMN kind SET STATISTICS 0,
    ALTER COLUMN name SET STATISTICS 0;

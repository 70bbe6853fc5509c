-- What makes the next compaction of a session cheap, and what stands for the turns that were compacted.

CREATE TABLE recap_state (
    space text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    revision bigint,
    folded bigint,
    mark bigint,
    shown bigint,
    data bytea,
    PRIMARY KEY (space, session)
);

CREATE TABLE material (
    space text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    low bigint NOT NULL,
    high bigint,
    data bytea,
    PRIMARY KEY (space, session, low)
);

CREATE TABLE stand_in (
    space text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    low bigint NOT NULL,
    rendering text COLLATE "C",
    tokens bigint,
    data bytea,
    PRIMARY KEY (space, session, low)
);

ALTER TABLE recap_state
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN session SET STATISTICS 0,
    ALTER COLUMN data SET STATISTICS 0;

ALTER TABLE material
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN session SET STATISTICS 0,
    ALTER COLUMN data SET STATISTICS 0;

ALTER TABLE stand_in
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN session SET STATISTICS 0,
    ALTER COLUMN rendering SET STATISTICS 0,
    ALTER COLUMN data SET STATISTICS 0;

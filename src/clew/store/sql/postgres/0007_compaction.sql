-- Compactions: the recap of a session up to a turn, with its receipt.

CREATE TABLE compaction (
    space text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    last bigint,
    made_at bigint,
    reason text COLLATE "C",
    tokens_before bigint,
    tokens_after bigint,
    receipt text COLLATE "C",
    data bytea,
    PRIMARY KEY (space, session, number)
);

ALTER TABLE compaction
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN session SET STATISTICS 0,
    ALTER COLUMN reason SET STATISTICS 0,
    ALTER COLUMN receipt SET STATISTICS 0,
    ALTER COLUMN data SET STATISTICS 0;

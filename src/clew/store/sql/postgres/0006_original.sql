-- What stands behind the stubs and smaller images of message lists.

CREATE TABLE original (
    space text COLLATE "C" NOT NULL,
    ref text COLLATE "C" NOT NULL,
    kind text COLLATE "C",
    media_type text COLLATE "C",
    tokens bigint,
    kept_at bigint,
    text text COLLATE "C",
    data bytea,
    PRIMARY KEY (space, ref)
);

ALTER TABLE original
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN ref SET STATISTICS 0,
    ALTER COLUMN kind SET STATISTICS 0,
    ALTER COLUMN media_type SET STATISTICS 0,
    ALTER COLUMN text SET STATISTICS 0,
    ALTER COLUMN data SET STATISTICS 0;

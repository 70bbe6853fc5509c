-- What turns say of files, and what is kept of quests.

CREATE TABLE mention (
    space text COLLATE "C" NOT NULL,
    ordinal bigint NOT NULL,
    data text COLLATE "C",
    PRIMARY KEY (space, ordinal)
);

CREATE TABLE quest (
    space text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    session text COLLATE "C",
    first bigint,
    last bigint,
    at bigint,
    data text COLLATE "C",
    PRIMARY KEY (space, kind, name)
);

ALTER TABLE mention
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN data SET STATISTICS 0;

ALTER TABLE quest
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN kind SET STATISTICS 0,
    ALTER COLUMN name SET STATISTICS 0,
    ALTER COLUMN session SET STATISTICS 0,
    ALTER COLUMN data SET STATISTICS 0;

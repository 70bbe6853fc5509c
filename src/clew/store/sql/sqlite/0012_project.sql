-- What turns say of files, and what is kept of quests.

CREATE TABLE mention (
    space TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    data TEXT,
    PRIMARY KEY (space, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE quest (
    space TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    session TEXT,
    first INTEGER,
    last INTEGER,
    at INTEGER,
    data TEXT,
    PRIMARY KEY (space, kind, name)
) STRICT, WITHOUT ROWID;

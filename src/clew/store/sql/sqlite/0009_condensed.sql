-- What makes the next compaction of a session cheap, and what stands for the turns that were compacted.

CREATE TABLE recap_state (
    space TEXT NOT NULL,
    session TEXT NOT NULL,
    revision INTEGER,
    folded INTEGER,
    mark INTEGER,
    shown INTEGER,
    data BLOB,
    PRIMARY KEY (space, session)
) STRICT;

CREATE TABLE material (
    space TEXT NOT NULL,
    session TEXT NOT NULL,
    low INTEGER NOT NULL,
    high INTEGER,
    data BLOB,
    PRIMARY KEY (space, session, low)
) STRICT;

CREATE TABLE stand_in (
    space TEXT NOT NULL,
    session TEXT NOT NULL,
    low INTEGER NOT NULL,
    rendering TEXT,
    tokens INTEGER,
    data BLOB,
    PRIMARY KEY (space, session, low)
) STRICT;

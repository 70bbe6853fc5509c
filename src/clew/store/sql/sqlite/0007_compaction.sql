-- Compactions: the recap of a session up to a turn, with its receipt.

CREATE TABLE compaction (
    space TEXT NOT NULL,
    session TEXT NOT NULL,
    number INTEGER NOT NULL,
    last INTEGER,
    made_at INTEGER,
    reason TEXT,
    tokens_before INTEGER,
    tokens_after INTEGER,
    receipt TEXT,
    data BLOB,
    PRIMARY KEY (space, session, number)
) STRICT;

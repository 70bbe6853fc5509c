-- What stands behind the stubs and smaller images of message lists.

CREATE TABLE original (
    space TEXT NOT NULL,
    ref TEXT NOT NULL,
    kind TEXT,
    media_type TEXT,
    tokens INTEGER,
    kept_at INTEGER,
    text TEXT,
    data BLOB,
    PRIMARY KEY (space, ref)
) STRICT;

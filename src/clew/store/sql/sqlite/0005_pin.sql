-- What every block must hold: turns that were pinned, and rules.

CREATE TABLE pin (
    space TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    most INTEGER,
    note TEXT,
    pinned_at INTEGER,
    PRIMARY KEY (space, kind, name)
) STRICT, WITHOUT ROWID;

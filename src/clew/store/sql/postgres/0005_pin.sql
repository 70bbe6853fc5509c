-- What every block must hold: turns that were pinned, and rules.

CREATE TABLE pin (
    space text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    most bigint,
    note text COLLATE "C",
    pinned_at bigint,
    PRIMARY KEY (space, kind, name)
);

ALTER TABLE pin
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN kind SET STATISTICS 0,
    ALTER COLUMN name SET STATISTICS 0,
    ALTER COLUMN note SET STATISTICS 0;

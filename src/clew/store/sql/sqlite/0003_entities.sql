-- What turns name, and how it hangs together: counts over turns, so that a turn that goes is taken off again.

CREATE TABLE entity (
    space TEXT NOT NULL,
    entity TEXT NOT NULL,
    type TEXT NOT NULL,
    name TEXT NOT NULL,
    turns INTEGER,
    version INTEGER,
    PRIMARY KEY (space, entity, type, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE edge (
    space TEXT NOT NULL,
    source TEXT NOT NULL,
    target TEXT NOT NULL,
    type TEXT NOT NULL,
    turns INTEGER,
    version INTEGER,
    PRIMARY KEY (space, source, target, type)
) STRICT, WITHOUT ROWID;

CREATE INDEX edge_target ON edge (space, target, source, type);

CREATE TABLE speaker (
    space TEXT NOT NULL,
    session TEXT NOT NULL,
    speaker TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    turns INTEGER,
    version INTEGER,
    PRIMARY KEY (space, session, speaker, kind, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX speaker_name ON speaker (space, name, session, speaker, kind);

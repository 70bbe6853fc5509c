-- Renderings: shorter ways to show the nodes of the hierarchy. Sessions that have nodes already are marked as work.

CREATE TABLE rendering (
    space TEXT NOT NULL,
    node TEXT NOT NULL,
    kind TEXT NOT NULL,
    text TEXT,
    tokens INTEGER,
    source BLOB,
    method TEXT,
    coverage REAL,
    version INTEGER,
    PRIMARY KEY (space, node, kind)
) STRICT, WITHOUT ROWID;

INSERT INTO meta (space, name, value) SELECT DISTINCT space, 'render:session:' || session, '' FROM node;

-- Renderings: shorter ways to show the nodes of the hierarchy. Sessions that have nodes already are marked as work.

CREATE TABLE rendering (
    space TEXT NOT NULL,
    node TEXT NOT NULL,
    source BLOB,
    summary TEXT,
    data BLOB,
    PRIMARY KEY (space, node)
) STRICT, WITHOUT ROWID;

INSERT INTO meta (space, name, value) SELECT DISTINCT space, 'render:session:' || session, '' FROM node;

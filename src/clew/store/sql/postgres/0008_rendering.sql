-- Renderings: shorter ways to show the nodes of the hierarchy. Sessions that have nodes already are marked as work.

CREATE TABLE rendering (
    space text COLLATE "C" NOT NULL,
    node text COLLATE "C" NOT NULL,
    source bytea,
    summary text COLLATE "C",
    data bytea,
    PRIMARY KEY (space, node)
);

ALTER TABLE rendering
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN node SET STATISTICS 0,
    ALTER COLUMN summary SET STATISTICS 0,
    ALTER COLUMN data SET STATISTICS 0;

INSERT INTO meta (space, name, value) SELECT DISTINCT space, 'render:session:' || session, '' FROM node;

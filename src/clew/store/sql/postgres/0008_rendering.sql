-- Renderings: shorter ways to show the nodes of the hierarchy. Sessions that have nodes already are marked as work.

CREATE TABLE rendering (
    space text COLLATE "C" NOT NULL,
    node text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    text text COLLATE "C",
    tokens bigint,
    source bytea,
    method text COLLATE "C",
    coverage double precision,
    version bigint,
    PRIMARY KEY (space, node, kind)
);

ALTER TABLE rendering
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN node SET STATISTICS 0,
    ALTER COLUMN kind SET STATISTICS 0,
    ALTER COLUMN text SET STATISTICS 0,
    ALTER COLUMN method SET STATISTICS 0;

INSERT INTO meta (space, name, value) SELECT DISTINCT space, 'render:session:' || session, '' FROM node;

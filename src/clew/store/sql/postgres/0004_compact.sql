-- What is said of turns by their number, in two tables of rows without names (docs/decisions/0010), and receipts as bytes.

CREATE TABLE weighing (
    space text COLLATE "C" NOT NULL,
    ordinal bigint NOT NULL,
    value text COLLATE "C",
    version bigint,
    PRIMARY KEY (space, ordinal)
);

ALTER TABLE weighing
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN value SET STATISTICS 0;

CREATE TABLE analysis (
    space text COLLATE "C" NOT NULL,
    ordinal bigint NOT NULL,
    value text COLLATE "C",
    maker bigint,
    version bigint,
    PRIMARY KEY (space, ordinal)
);

ALTER TABLE analysis
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN value SET STATISTICS 0;

-- Rows are moved as they are. Those of sessions whose names are encoded in ids are left out, and the next analysis makes them
-- again.
INSERT INTO weighing
SELECT turn.space, turn.ordinal, annotation.value, annotation.version FROM turn JOIN annotation
    ON annotation.space = turn.space AND annotation.owner = turn.session || ':turn:' || turn.seq AND annotation.kind = 'weighing'
WHERE turn.ordinal IS NOT NULL;

INSERT INTO analysis
SELECT turn.space, turn.ordinal, annotation.value, (annotation.provenance <> 'rule')::integer, annotation.version FROM turn JOIN annotation
    ON annotation.space = turn.space AND annotation.owner = turn.session || ':turn:' || turn.seq AND annotation.kind = 'analysis'
WHERE turn.ordinal IS NOT NULL;

INSERT INTO meta
SELECT space, 'makers', json_build_array('rule', max(provenance))::text FROM annotation
WHERE kind = 'analysis' AND provenance <> 'rule' GROUP BY space;

DELETE FROM annotation WHERE kind IN ('weighing', 'analysis');

ALTER TABLE receipt ALTER COLUMN data TYPE bytea USING convert_to(data, 'UTF8');

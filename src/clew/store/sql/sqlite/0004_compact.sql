-- What is said of turns by their number, in two tables of rows without names (docs/decisions/0010), and receipts as bytes.

CREATE TABLE weighing (
    space TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    value TEXT,
    version INTEGER,
    PRIMARY KEY (space, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE analysis (
    space TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    value TEXT,
    maker INTEGER,
    version INTEGER,
    PRIMARY KEY (space, ordinal)
) STRICT, WITHOUT ROWID;

-- Rows are moved as they are, each found by its key: CROSS JOIN says which side is gone through. Those of sessions whose names
-- are encoded in ids are left out, and the next analysis makes them again.
INSERT INTO weighing
SELECT turn.space, turn.ordinal, annotation.value, annotation.version FROM turn CROSS JOIN annotation
    ON annotation.space = turn.space AND annotation.owner = turn.session || ':turn:' || turn.seq AND annotation.kind = 'weighing'
WHERE turn.ordinal IS NOT NULL ORDER BY turn.space, turn.ordinal;

INSERT INTO analysis
SELECT turn.space, turn.ordinal, annotation.value, annotation.provenance <> 'rule', annotation.version FROM turn CROSS JOIN annotation
    ON annotation.space = turn.space AND annotation.owner = turn.session || ':turn:' || turn.seq AND annotation.kind = 'analysis'
WHERE turn.ordinal IS NOT NULL ORDER BY turn.space, turn.ordinal;

INSERT INTO meta
SELECT space, 'makers', json_array('rule', max(provenance)) FROM annotation
WHERE kind = 'analysis' AND provenance <> 'rule' GROUP BY space;

DELETE FROM annotation WHERE kind IN ('weighing', 'analysis');

CREATE TABLE receipt_as_text (
    space TEXT NOT NULL,
    receipt TEXT NOT NULL,
    created_at INTEGER,
    data TEXT
) STRICT;

INSERT INTO receipt_as_text SELECT space, receipt, created_at, data FROM receipt;

DROP TABLE receipt;

CREATE TABLE receipt (
    space TEXT NOT NULL,
    receipt TEXT NOT NULL,
    created_at INTEGER,
    data BLOB,
    PRIMARY KEY (space, receipt)
) STRICT;

INSERT INTO receipt SELECT space, receipt, created_at, CAST(data AS BLOB) FROM receipt_as_text ORDER BY space, receipt;

DROP TABLE receipt_as_text;

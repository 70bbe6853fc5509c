-- What every engine of SQL is asked, in the dialect they share. Names in braces are filled in from the declared tables.

-- name: get
-- One row by its whole primary key.
SELECT {columns} FROM {table} WHERE {where}

-- name: scan
-- Rows between two bounds, in the order of an index.
SELECT {columns} FROM {table} {hint} WHERE {where} ORDER BY {order} {limit}

-- name: count
-- How many rows lie between two bounds.
SELECT count(*) FROM {table} {hint} WHERE {where}

-- name: put
-- Inserts a row; a row whose primary key exists is replaced.
INSERT INTO {table} ({columns}) VALUES ({values}) ON CONFLICT ({key}) DO UPDATE SET {replaced}

-- name: keep
-- Inserts a row unless its primary key exists.
INSERT INTO {table} ({columns}) VALUES ({values}) ON CONFLICT ({key}) DO NOTHING

-- name: delete
-- Deletes the rows between two bounds of the primary key.
DELETE FROM {table} WHERE {where}

-- name: set
-- Sets one column if it holds what is expected, which may be unknown.
UPDATE {table} SET {column} = {value} WHERE {where} AND {column} IS NOT DISTINCT FROM {value}

-- name: spaces
-- The spaces of one table, each found by one step into the primary key.
SELECT space FROM (
    WITH RECURSIVE found (space) AS (
        SELECT min(space) FROM {table}
        UNION ALL
        SELECT (SELECT min(space) FROM {table} WHERE space > found.space) FROM found WHERE found.space IS NOT NULL
    )
    SELECT space FROM found WHERE space IS NOT NULL
) AS each_space

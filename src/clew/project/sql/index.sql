-- The index of a project (project/index.py). Statements by name; columns in the order of the dataclasses.

-- name: tables
-- STRICT and CHECK say what SQLite's own check (`is_sound`) finds.
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL,
    CHECK (key NOT IN ('generation', 'embedded') OR CAST(CAST(value AS INTEGER) AS TEXT) = value),
    CHECK (key <> 'limits' OR iif(json_valid(value), json_type(value) = 'array', 0))) WITHOUT ROWID, STRICT;
CREATE TABLE file (path TEXT PRIMARY KEY, content TEXT NOT NULL, object TEXT NOT NULL CHECK (length(object) = 64),
    transform TEXT NOT NULL, size INTEGER NOT NULL, language TEXT NOT NULL, lines INTEGER NOT NULL, package TEXT NOT NULL,
    syntax_errors INTEGER NOT NULL, modified INTEGER NOT NULL, seen INTEGER NOT NULL) WITHOUT ROWID, STRICT;
CREATE TABLE binary (path TEXT PRIMARY KEY, size INTEGER NOT NULL, modified INTEGER NOT NULL, seen INTEGER NOT NULL)
    WITHOUT ROWID, STRICT;
CREATE TABLE node (key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, path TEXT NOT NULL,
    name TEXT NOT NULL, qualified TEXT NOT NULL, language TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,
    signature TEXT NOT NULL, text TEXT NOT NULL, hash TEXT NOT NULL, generation INTEGER NOT NULL) STRICT;
CREATE INDEX node_path ON node (path, start);
CREATE INDEX node_name ON node (name);
CREATE INDEX node_generation ON node (generation);
CREATE TABLE import (path TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (path, name)) WITHOUT ROWID, STRICT;
CREATE TABLE dependency (source TEXT NOT NULL, target TEXT NOT NULL, PRIMARY KEY (source, target)) WITHOUT ROWID, STRICT;
CREATE INDEX dependency_target ON dependency (target, source);
CREATE TABLE reference (path TEXT NOT NULL, node TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
    member INTEGER NOT NULL, PRIMARY KEY (path, node, kind, name, member)) WITHOUT ROWID, STRICT;
CREATE INDEX reference_name ON reference (name);
CREATE TABLE removed (id TEXT PRIMARY KEY, generation INTEGER NOT NULL) WITHOUT ROWID, STRICT;
CREATE TABLE vector (model TEXT NOT NULL, text TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY (model, text))
    WITHOUT ROWID, STRICT;
CREATE TABLE transform (id TEXT PRIMARY KEY CHECK (length(id) = 64), generation INTEGER NOT NULL,
    record BLOB NOT NULL) WITHOUT ROWID, STRICT;
CREATE VIRTUAL TABLE words USING fts5(body, content='', contentless_delete=1, tokenize='unicode61');

-- name: files
SELECT path, content, object, transform, size, language, lines FROM file ORDER BY path

-- name: file
SELECT path, content, object, transform, size, language, lines FROM file WHERE path = ?

-- name: paths_ending
SELECT path FROM file WHERE substr(path, -length(?1)) = ?1 OR path = substr(?1, 2) ORDER BY path

-- name: syntax_errors
SELECT path FROM file WHERE syntax_errors ORDER BY path

-- name: times
SELECT path, size, modified, seen, object FROM file
UNION ALL SELECT path, size, modified, seen, '' FROM binary

-- name: nodes
SELECT id, kind, path, name, qualified, language, start, end, signature, text, hash
FROM node WHERE true ORDER BY path, start, id

-- name: nodes_of_path
SELECT id, kind, path, name, qualified, language, start, end, signature, text, hash
FROM node WHERE path = ? ORDER BY path, start, id

-- name: nodes_of_kind
SELECT id, kind, path, name, qualified, language, start, end, signature, text, hash
FROM node WHERE kind = ? ORDER BY path, start, id

-- name: nodes_of_name
SELECT id, kind, path, name, qualified, language, start, end, signature, text, hash
FROM node WHERE name = ? ORDER BY path, start, id

-- name: nodes_since
SELECT id, kind, path, name, qualified, language, start, end, signature, text, hash
FROM node WHERE generation > ? ORDER BY path, start, id

-- name: node
SELECT id, kind, path, name, qualified, language, start, end, signature, text, hash
FROM node WHERE id = ? ORDER BY path, start, id

-- name: keyed_nodes
SELECT key, id, kind, path, name, qualified, language, start, end, signature, text, hash FROM node WHERE path = ?

-- name: search
SELECT node.id, node.kind, node.path, node.name, node.qualified, node.language, node.start, node.end, node.signature, node.text, node.hash, -bm25(words) AS score
FROM words JOIN node ON node.key = words.rowid WHERE words MATCH ? ORDER BY round(score, 6) DESC, id LIMIT ?

-- name: counts
SELECT kind, count(*) FROM node GROUP BY kind ORDER BY kind

-- name: dependencies
SELECT source, target FROM dependency ORDER BY source, target

-- name: dependents
SELECT source FROM dependency WHERE target = ? ORDER BY source

-- name: targets
SELECT target FROM dependency WHERE source = ? ORDER BY target

-- name: references
SELECT path, node, kind, name, member FROM reference ORDER BY path, node, kind, name, member

-- name: references_of_path
SELECT path, node, kind, name, member FROM reference WHERE path = ? ORDER BY node, kind, name, member

-- name: references_of_kind
SELECT path, node, kind, name, member FROM reference WHERE kind = ? ORDER BY path, node, kind, name, member

-- name: references_to
SELECT path, node, kind, name, member FROM reference WHERE name = ? ORDER BY path, node, kind, member

-- name: removed
SELECT id FROM removed WHERE generation > ? ORDER BY id

-- name: transforms
SELECT id, record FROM transform ORDER BY generation, id

-- name: transform_ids
SELECT id FROM transform

-- name: vector_keys
SELECT model, text FROM vector ORDER BY model, text

-- name: vectors
SELECT text, data FROM vector WHERE model = ?

-- name: meta
SELECT value FROM meta WHERE key = ?

-- name: set_meta
INSERT OR REPLACE INTO meta VALUES (?, ?)

-- name: put_file
INSERT OR REPLACE INTO file (path, content, object, transform, size, language, lines,
    package, syntax_errors, modified, seen)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: put_node
INSERT OR REPLACE INTO node (key, id, kind, path, name, qualified, language, start, end, signature, text, hash, generation)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: node_key
SELECT key FROM node WHERE id = ?

-- name: put_words
INSERT INTO words (rowid, body) VALUES (?, ?)

-- name: drop_words
DELETE FROM words WHERE rowid = ?

-- name: drop_node
DELETE FROM node WHERE key = ?

-- name: put_removed
INSERT OR REPLACE INTO removed VALUES (?, ?)

-- name: drop_removed
DELETE FROM removed WHERE id = ?

-- name: put_import
INSERT OR IGNORE INTO import VALUES (?, ?)

-- name: put_reference
INSERT OR IGNORE INTO reference VALUES (?, ?, ?, ?, ?)

-- name: drop_file
DELETE FROM file WHERE path = ?

-- name: drop_imports
DELETE FROM import WHERE path = ?

-- name: drop_references
DELETE FROM reference WHERE path = ?

-- name: put_binary
INSERT OR REPLACE INTO binary VALUES (?, ?, ?, ?)

-- name: drop_binary
DELETE FROM binary WHERE path = ?

-- name: binary
SELECT path FROM binary

-- name: set_times
UPDATE file SET size = ?, modified = ?, seen = ? WHERE path = ?

-- name: known
SELECT path, language, package FROM file

-- name: imports
SELECT path, name FROM import ORDER BY path, name

-- name: imports_of_path
SELECT path, name FROM import WHERE path = ?

-- name: put_dependency
INSERT OR IGNORE INTO dependency VALUES (?, ?)

-- name: drop_dependency
DELETE FROM dependency WHERE source = ? AND target = ?

-- name: put_transform
INSERT OR IGNORE INTO transform VALUES (?, ?, ?)

-- name: drop_transform
DELETE FROM transform WHERE id = ?

-- name: drop_vector
DELETE FROM vector WHERE model = ? AND text = ?

-- name: put_vector
INSERT OR REPLACE INTO vector VALUES (?, ?, ?)

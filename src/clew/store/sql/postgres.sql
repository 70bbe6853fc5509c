-- What PostgreSQL is asked beside the rows of the tables. {schema} is the installation's schema, in quotes.

-- name: connect
-- Every statement walks one index, as the keys mean it: with no other plan to choose from, none depends on statistics.
-- Commits wait for the disk, whatever the role's own default is.
SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off; SET jit = off;
SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off;
SET lock_timeout = {patience_ms};
SELECT set_config(
    'synchronous_commit',
    CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END,
    false
), pg_backend_pid()

-- name: backend
-- Which process of the server answers.
SELECT pg_backend_pid()

-- name: get_many
-- Rows by their whole primary keys, or by what they begin with, which come as one array for each column: a list of values would make a statement of
-- its own for each length. The join is an outer one since no planner can begin that at the table.
SELECT {columns} FROM unnest({arrays}) AS wanted ({key}) LEFT JOIN {table} AS kept ON {where}

-- name: facts
-- What has to be known of a server before it is used.
SELECT current_setting('server_version_num')::bigint, current_setting('server_encoding'), current_setting('fsync')

-- name: begin
-- A transaction whose commit waits for the disk. One whose client stands still is ended, so that others get their turn.
BEGIN; SET LOCAL idle_in_transaction_session_timeout = {stalled_ms}

-- name: begin_loosely
-- A transaction whose commit does not wait for the disk.
BEGIN; SET LOCAL idle_in_transaction_session_timeout = {stalled_ms}; SET LOCAL synchronous_commit = off

-- name: look
-- A state of the database to read from; BEGIN alone chooses none yet.
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1

-- name: wait_for_lane
-- The turn to write, when it is free.
SELECT lane FROM {schema}.lane WHERE lane = %s FOR UPDATE

-- name: try_lane
-- The turn to write, if it is free.
SELECT lane FROM {schema}.lane WHERE lane = %s FOR UPDATE SKIP LOCKED

-- name: mark_lane
-- Says to others that something was committed.
UPDATE {schema}.lane SET changes = changes + 1 WHERE lane = %s

-- name: mark_writer
-- Says to the writer itself that this commit was made.
INSERT INTO {schema}.writer (writer, number, seen) VALUES (%s, %s, now())
ON CONFLICT (writer) DO UPDATE SET number = excluded.number, seen = excluded.seen

-- name: changes
-- Differs after every commit.
SELECT sum(changes) FROM {schema}.lane

-- name: last_commit
-- The number of a writer's last commit. Writes the row, so that it waits for a commit that is still under way.
INSERT INTO {schema}.writer (writer, number, seen) VALUES ('{writer}', -1, now())
ON CONFLICT (writer) DO UPDATE SET seen = excluded.seen RETURNING number

-- name: drop_writers
-- Forgets the writers of a store that closes, and those of processes that were killed.
DELETE FROM {schema}.writer WHERE writer IN (
    SELECT writer FROM {schema}.writer
    WHERE starts_with(writer, '{store}') OR seen < now() - interval '1 day' FOR UPDATE SKIP LOCKED
)

-- name: size
-- Bytes of the installation's tables, indexes and long values.
SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint
FROM pg_class WHERE relnamespace = {schema_name}::regnamespace AND relkind = 'r'

-- name: schema_state
-- Whether the schema is there, how many tables and the like it holds, and whether it says that it is an installation.
SELECT to_regnamespace({schema_name}) IS NOT NULL,
    (SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace({schema_name})),
    to_regclass({schema_name} || '.installation') IS NOT NULL

-- name: schema_number
-- The last step that was applied.
SELECT max(schema_number) FROM {schema}.installation

-- name: lock_schema
-- The right to change the schema; reading goes on.
LOCK TABLE {schema}.installation IN EXCLUSIVE MODE

-- name: schema_reached
-- A step that was applied.
INSERT INTO {schema}.installation (schema_number) VALUES ({number})

-- name: unsound_indexes
-- Indexes that the server itself does not trust.
SELECT relname FROM pg_class JOIN pg_index ON indexrelid = pg_class.oid
WHERE relnamespace = {schema_name}::regnamespace AND NOT (indisvalid AND indisready) ORDER BY relname

-- name: through_tables
-- From here on a count goes through the table itself.
SET LOCAL enable_seqscan = on; SET LOCAL enable_indexscan = off; SET LOCAL enable_indexonlyscan = off

-- name: through_indexes
-- From here on a count goes through the primary key.
SET LOCAL enable_seqscan = off; SET LOCAL enable_indexscan = on; SET LOCAL enable_indexonlyscan = on

-- name: count_all
-- How many rows; with digests, every value has to be read.
SELECT count(*){digests} FROM {schema}."{table}"

-- name: rewrite
-- Writes a table anew without what was deleted, and says what it had to leave.
VACUUM (FULL, VERBOSE) {schema}."{table}"

-- name: settle
-- Empties the old files for good; the log before this point can go.
CHECKPOINT

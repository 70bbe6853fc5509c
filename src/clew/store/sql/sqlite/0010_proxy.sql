-- What the proxy knows of the conversations that pass through it: whose they are, what was put into them, what it cost.

CREATE TABLE conversation (
    space TEXT NOT NULL,
    conversation BLOB NOT NULL,
    session TEXT,
    client TEXT,
    own_id TEXT,
    next_seq INTEGER,
    details TEXT,
    began_at INTEGER,
    seen_at INTEGER,
    PRIMARY KEY (space, conversation)
) STRICT, WITHOUT ROWID;

CREATE TABLE message (
    space TEXT NOT NULL,
    conversation BLOB NOT NULL,
    depth INTEGER NOT NULL,
    chain BLOB NOT NULL,
    digest BLOB,
    span INTEGER,
    relayed INTEGER,
    turns TEXT,
    PRIMARY KEY (space, conversation, depth, chain)
) STRICT, WITHOUT ROWID;
CREATE INDEX message_chain ON message (space, chain, conversation, depth);
CREATE INDEX message_digest ON message (space, digest, conversation, depth, chain) WHERE digest IS NOT NULL;

CREATE TABLE injection (
    space TEXT NOT NULL,
    session TEXT NOT NULL,
    injection TEXT NOT NULL,
    chain BLOB,
    digest BLOB,
    block TEXT,
    receipt TEXT,
    turns TEXT,
    at INTEGER,
    retired INTEGER,
    PRIMARY KEY (space, session, injection)
) STRICT;

CREATE TABLE request_log (
    space TEXT NOT NULL,
    at INTEGER NOT NULL,
    request TEXT NOT NULL,
    session TEXT,
    client TEXT,
    wire TEXT,
    model TEXT,
    decision TEXT,
    reason TEXT,
    tokens INTEGER,
    block_tokens INTEGER,
    predicted_cached INTEGER,
    predicted_written INTEGER,
    input INTEGER,
    cached INTEGER,
    written INTEGER,
    output INTEGER,
    cost_with INTEGER,
    cost_without INTEGER,
    receipt TEXT,
    failed TEXT,
    PRIMARY KEY (space, at, request)
) STRICT, WITHOUT ROWID;
CREATE INDEX request_log_session ON request_log (space, session, at, request) WHERE session IS NOT NULL;

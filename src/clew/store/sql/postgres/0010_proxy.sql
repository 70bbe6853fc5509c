-- What the proxy knows of the conversations that pass through it: whose they are, what was put into them, what it cost.

CREATE TABLE conversation (
    space text COLLATE "C" NOT NULL,
    conversation bytea NOT NULL,
    session text COLLATE "C",
    client text COLLATE "C",
    own_id text COLLATE "C",
    next_seq bigint,
    details text COLLATE "C",
    began_at bigint,
    seen_at bigint,
    PRIMARY KEY (space, conversation)
);

CREATE TABLE message (
    space text COLLATE "C" NOT NULL,
    conversation bytea NOT NULL,
    depth bigint NOT NULL,
    chain bytea NOT NULL,
    digest bytea,
    span bigint,
    relayed bigint,
    turns text COLLATE "C",
    PRIMARY KEY (space, conversation, depth, chain)
);
CREATE INDEX message_chain ON message (space, chain, conversation, depth);
CREATE INDEX message_digest ON message (space, digest, conversation, depth, chain) WHERE digest IS NOT NULL;

CREATE TABLE injection (
    space text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    injection text COLLATE "C" NOT NULL,
    chain bytea,
    digest bytea,
    block text COLLATE "C",
    receipt text COLLATE "C",
    turns text COLLATE "C",
    at bigint,
    retired bigint,
    PRIMARY KEY (space, session, injection)
);

CREATE TABLE request_log (
    space text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    request text COLLATE "C" NOT NULL,
    session text COLLATE "C",
    client text COLLATE "C",
    wire text COLLATE "C",
    model text COLLATE "C",
    decision text COLLATE "C",
    reason text COLLATE "C",
    tokens bigint,
    block_tokens bigint,
    predicted_cached bigint,
    predicted_written bigint,
    input bigint,
    cached bigint,
    written bigint,
    output bigint,
    cost_with bigint,
    cost_without bigint,
    receipt text COLLATE "C",
    failed text COLLATE "C",
    PRIMARY KEY (space, at, request)
);
CREATE INDEX request_log_session ON request_log (space, session, at, request) WHERE session IS NOT NULL;

ALTER TABLE conversation
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN conversation SET STATISTICS 0,
    ALTER COLUMN session SET STATISTICS 0,
    ALTER COLUMN client SET STATISTICS 0,
    ALTER COLUMN own_id SET STATISTICS 0,
    ALTER COLUMN details SET STATISTICS 0;

ALTER TABLE message
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN conversation SET STATISTICS 0,
    ALTER COLUMN chain SET STATISTICS 0,
    ALTER COLUMN digest SET STATISTICS 0,
    ALTER COLUMN turns SET STATISTICS 0;

ALTER TABLE injection
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN session SET STATISTICS 0,
    ALTER COLUMN injection SET STATISTICS 0,
    ALTER COLUMN chain SET STATISTICS 0,
    ALTER COLUMN digest SET STATISTICS 0,
    ALTER COLUMN block SET STATISTICS 0,
    ALTER COLUMN receipt SET STATISTICS 0,
    ALTER COLUMN turns SET STATISTICS 0;

ALTER TABLE request_log
    ALTER COLUMN space SET STATISTICS 0,
    ALTER COLUMN request SET STATISTICS 0,
    ALTER COLUMN session SET STATISTICS 0,
    ALTER COLUMN client SET STATISTICS 0,
    ALTER COLUMN wire SET STATISTICS 0,
    ALTER COLUMN model SET STATISTICS 0,
    ALTER COLUMN decision SET STATISTICS 0,
    ALTER COLUMN reason SET STATISTICS 0,
    ALTER COLUMN receipt SET STATISTICS 0,
    ALTER COLUMN failed SET STATISTICS 0;

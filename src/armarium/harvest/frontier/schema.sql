-- The frontier of one crawl. Explained for readers in docs/reference/frontier.md.

CREATE TABLE facts (name TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- Words that repeat: source tags, contexts, rules, media types.
CREATE TABLE names (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);

-- Every address of this process, in the order of discovery. Rows are never changed, so pages are full and
-- written once. `via` is the id of an address, or text if the address is not here.
CREATE TABLE urls (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL,
    hops TEXT NOT NULL,
    via,
    source INTEGER NOT NULL,
    context INTEGER NOT NULL,
    rule INTEGER NOT NULL
);

-- XXH3-128 of the canonical form; `url` is 0 for an address of another process.
CREATE TABLE seen (key BLOB PRIMARY KEY, url INTEGER NOT NULL) WITHOUT ROWID;

-- What is to be fetched, in order; those in flight are still here.
CREATE TABLE pending (
    queue INTEGER NOT NULL,
    class INTEGER NOT NULL,
    url INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    PRIMARY KEY (queue, class, url)
) WITHOUT ROWID;

-- What failed and is tried again when due.
CREATE TABLE waiting (
    due REAL NOT NULL,
    url INTEGER NOT NULL,
    queue INTEGER NOT NULL,
    class INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    PRIMARY KEY (due, url)
) WITHOUT ROWID;
CREATE INDEX waiting_of_queue ON waiting (queue);

CREATE TABLE finished (
    url INTEGER PRIMARY KEY,
    queue INTEGER NOT NULL,
    status INTEGER NOT NULL,
    size INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    time INTEGER NOT NULL, -- seconds since 1970
    mime INTEGER NOT NULL,
    digest TEXT
);

CREATE TABLE queues (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL,
    turn INTEGER NOT NULL DEFAULT 0, -- place among the inactive ones
    queued INTEGER NOT NULL DEFAULT 0, -- pending and waiting
    waiting INTEGER NOT NULL DEFAULT 0,
    added INTEGER NOT NULL DEFAULT 0,
    finished INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    objects INTEGER NOT NULL DEFAULT 0, -- spent
    bytes INTEGER NOT NULL DEFAULT 0,
    max_objects INTEGER,
    max_bytes INTEGER,
    wake REAL NOT NULL DEFAULT 0,
    address TEXT NOT NULL DEFAULT '',
    merged INTEGER -- the queue of the server's address that took this one's place
);
CREATE INDEX queues_in_turn ON queues (turn) WHERE state = 'inactive';

CREATE TABLE servers (
    address TEXT PRIMARY KEY,
    wake REAL NOT NULL,
    slow_downs INTEGER NOT NULL, -- 429 and 503 in a row
    refusals INTEGER NOT NULL, -- in a row
    last_status INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX servers_by_refusals ON servers (refusals) WHERE refusals > 0;

CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    shard INTEGER NOT NULL,
    url TEXT NOT NULL,
    hops TEXT NOT NULL,
    via TEXT NOT NULL,
    source TEXT NOT NULL,
    context TEXT NOT NULL
);

-- Queues that moved to another process, or came from one.
CREATE TABLE routes (queue TEXT PRIMARY KEY, shard INTEGER NOT NULL) WITHOUT ROWID;

-- The last ones only: a ring.
CREATE TABLE rejected (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL,
    url TEXT NOT NULL,
    hops TEXT NOT NULL,
    via TEXT NOT NULL,
    rule TEXT NOT NULL,
    status INTEGER NOT NULL
);
CREATE INDEX rejected_by_key ON rejected (key);

-- For people: an address with everything about it.
CREATE VIEW addresses AS
SELECT
    u.id, u.url, u.hops, coalesce(v.url, u.via) AS via, s.text AS source, c.text AS context, r.text AS rule,
    f.status, f.size, f.attempts, datetime(f.time, 'unixepoch') AS time, m.text AS mime, f.digest
FROM urls u
LEFT JOIN urls v ON v.id = u.via
JOIN names s ON s.id = u.source
JOIN names c ON c.id = u.context
JOIN names r ON r.id = u.rule
LEFT JOIN finished f ON f.url = u.id
LEFT JOIN names m ON m.id = f.mime;

-- What may be collected from the seeds of one tag, and what of it has to stay where it is.
-- Frontiers of earlier versions get these tables when they are opened.

CREATE TABLE IF NOT EXISTS sources (
    tag TEXT PRIMARY KEY,
    objects INTEGER NOT NULL, -- collected
    bytes INTEGER NOT NULL,
    max_objects INTEGER, -- empty: as the order says; -1: none
    max_bytes INTEGER
) WITHOUT ROWID;

-- Addresses of sources that have spent their budget, taken out of their queues.
CREATE TABLE IF NOT EXISTS shelf (
    source INTEGER NOT NULL,
    class INTEGER NOT NULL,
    url INTEGER NOT NULL,
    queue INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    PRIMARY KEY (source, class, url)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS shelf_by_url ON shelf (url);

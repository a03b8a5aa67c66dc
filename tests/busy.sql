-- Something happens in every room: rows as the rooms would have written them. Read by busy.py.

-- selection

INSERT INTO selection_collection (name, budgets, frequencies, depths, default_budget, default_frequency, default_depth,
                                  created_at)
    SELECT name, '{small,large}', '{monthly,annual}', '{page,host}', 'small', 'monthly', 'host', now()
    FROM (VALUES ('Press'), ('Theatre')) AS named (name);
INSERT INTO selection_theme (collection, name) SELECT id, 'General' FROM selection_collection;
INSERT INTO selection_record (collection, address, key, host, domain, title, theme, budget, frequency, depth, state,
                              state_reason, stated_at, active, origin, created_at, created_by, modified_at, modified_by)
    SELECT c.id, 'https://' || n || '.example/', 'example,' || n || ')/', n || '.example', n || '.example',
           'Site ' || n, t.id, 'small', 'monthly', 'host', (ARRAY['validated', 'proposed', 'refused'])[n % 3 + 1],
           CASE WHEN n % 3 = 2 THEN 'Only its news.' ELSE '' END,
           now() - n % :days * interval '1 day' - interval '1 minute', true, 'entry',
           now() - n % :days * interval '1 day', 'lia', now(), 'lia'
    FROM generate_series(1, :records) AS n
    JOIN selection_collection c ON c.name = CASE WHEN n % 2 = 0 THEN 'Press' ELSE 'Theatre' END
    JOIN selection_theme t ON t.collection = c.id;
INSERT INTO selection_nomination (at, collection, address, key, title, state)
    SELECT now(), id, 'https://new.example/', 'example,new)/', 'Proposed by a reader', 'waiting'
    FROM selection_collection;
INSERT INTO selection_finding (record, at, author, kind, text)
    SELECT id, now(), 'Armarium', 'nothing', '' FROM selection_record
    WHERE domain IN ('1.example', '2.example', '3.example', '4.example');
INSERT INTO selection_transfer (state, by, asked_at, ended_at, total, handled, conflict, failed)
    VALUES ('done', 'ada', now() - interval '1 hour', now(), 9, 9, 1, 1), ('running', 'ada', now(), NULL, 9, 4, 0, 0);
INSERT INTO selection_transfer_line (transfer, kind, record, domain)
    SELECT min(t.id), 'conflict', (SELECT min(id) FROM selection_record), '1.example'
    FROM selection_transfer t WHERE t.state = 'done';

-- planning

INSERT INTO harvest (name, kind, active, runs, trouble, created_at, next_at)
    VALUES ('Monthly press', 'selective', true, 3, '', now(), now() + interval '3 days'),
           ('Without a date', 'selective', true, 0, '', now(), NULL),
           ('A draft', 'selective', false, 0, '', now(), NULL),
           ('In trouble', 'selective', false, 1, 'None of its domains has a seed.', now(), NULL);
INSERT INTO harvest_run (harvest, number, state, due_at, jobs, error)
    SELECT id, number, state, now() - interval '2 hours', 5, error
    FROM harvest, (VALUES (1, 'generated', ''), (2, 'generating', ''), (3, 'failed', 'No profile fits.'))
        AS made (number, state, error)
    WHERE name = 'Monthly press';
INSERT INTO collector (name, active, failed_jobs, signing_key, sealing_key, enrolled_at, seen_at)
    VALUES ('crawler-1', true, '{}', '{}', '{}', now(), now()),
           ('crawler-2', true, '{}', '{}', '{}', now(), now() - interval '3 hours'),
           ('crawler-3', false, '{1,2,3,4,5}', '{}', '{}', now(), now());
INSERT INTO job (harvest, run, state, channel, profile_version, collector, created_at, ended_at, error, objects, bytes,
                 report)
    SELECT h.id, r.id, CASE WHEN n <= 7 THEN 'started' WHEN n % 10 = 0 THEN 'failed' ELSE 'done' END,
           (SELECT min(id) FROM channel), (SELECT min(id) FROM profile_version), (SELECT min(id) FROM collector),
           now() - interval '31 days', CASE WHEN n > 7 THEN now() - n % :days * interval '1 day' END,
           CASE WHEN n > 7 AND n % 10 = 0 THEN 'The disk of the collector is full.' ELSE '' END,
           n * 37 % 900, n % 900 * 1000000,
           '{"phase": "crawling", "report": {"state": "running", "finished": 30, "queued": 70}}'
    FROM generate_series(1, :jobs) AS n, harvest h JOIN harvest_run r ON r.harvest = h.id AND r.number = 1
    WHERE h.name = 'Monthly press';
INSERT INTO arrival (job, attempt, collector, name, kind, size, sha256, received, state, begun_at, refusal)
    SELECT j.id, 1, j.collector, sent.name, 'data', 1000, '', received, sent.state, now(), refusal
    FROM (SELECT * FROM job ORDER BY id LIMIT 1) AS j, (VALUES ('half.warc.gz', 400, 'receiving', ''), ('odd.warc.gz', 1000, 'spare', 'Its name is taken.'))
        AS sent (name, received, state, refusal);

-- storage

INSERT INTO stored_file (name, kind, size, sha256, state, origin, registered_at, stored_at, trouble)
    SELECT 'file-' || n || '.warc.gz', 'data', n % 1000 * 1000000, '', CASE WHEN n <= 2 THEN 'storing' ELSE 'stored' END,
           'collector', now() - interval '31 days', CASE WHEN n > 2 THEN now() - n % :days * interval '1 day' END,
           CASE WHEN n = 1 THEN 'The disk is full.' ELSE '' END
    FROM generate_series(1, :files) AS n;
INSERT INTO file_copy (file, replica, state, changed_at)
    SELECT f.id, r.id, CASE WHEN f.name IN ('file-5.warc.gz', 'file-6.warc.gz') THEN 'corrupt' ELSE 'accepted' END, now()
    FROM stored_file f, (SELECT min(id) AS id FROM replica) r;
INSERT INTO repair (file, replica, state, reason, votes, proposed_at)
    SELECT f.id, r.id, CASE f.name WHEN 'file-5.warc.gz' THEN 'undecided' ELSE 'proposed' END, 'corrupt',
           '{"register": "", "replicas": {}, "outcome": "tie", "winner": ""}', now()
    FROM stored_file f, (SELECT min(id) AS id FROM replica) r WHERE f.name IN ('file-5.warc.gz', 'file-6.warc.gz');
INSERT INTO audit_run (replica, kind, state, asked_at, ended_at, files, files_total, bytes, bytes_total, error)
    SELECT r.id, 'checksum', ran.state, now(), ended_at, 20, 80, 2000, 8000, error
    FROM (SELECT min(id) AS id FROM replica) AS r, (VALUES ('running', NULL, ''), ('failed', now(), 'The disk went away.'))
        AS ran (state, ended_at, error);
INSERT INTO batch (function, state, by, created_at, files_total, files) VALUES ('count', 'running', 'ada', now(), 80, 8);
INSERT INTO index_file (file, name, day, state, error, asked_at)
    SELECT id, name, now()::date, CASE WHEN name = 'file-9.warc.gz' THEN 'failed' ELSE 'waiting' END,
           CASE WHEN name = 'file-9.warc.gz' THEN 'It ends in the middle of a record.' ELSE '' END, now()
    FROM stored_file WHERE name IN ('file-9.warc.gz', 'file-8.warc.gz');
INSERT INTO index_step (step, state, started_at, heard_at, ended_at, done, total, error)
    VALUES ('daily', 'running', now(), now(), NULL, 3, 10, ''), ('big', 'failed', now(), now(), now(), 0, 0, 'No room.');
INSERT INTO access_use (day, collection, kind, outcome, times)
    SELECT now()::date - n, 'main', kind, 'shown', n + 1 FROM generate_series(0, 20) AS n, (VALUES ('visit'), ('page'))
        AS counted (kind);

-- house

INSERT INTO process (kind, name, machine, pid, version, state, interval, started, heartbeat)
    VALUES ('worker', 'worker-1', 'north', 7, '1', 'running', interval '5 seconds', now() - interval '1 hour',
            now() - interval '1 hour');
INSERT INTO notification (at, severity, key, audience, subject, text, deliveries)
    VALUES (now(), 'error', 'index runs lost', 'operators', '{"template": "Runs of the index are lost", "values": {}}',
            '{"template": "Make the index anew.", "values": {}}', '{}'),
           (now(), 'error', 'tasks.failed', 'operators', '{"template": "Tasks have failed", "values": {}}',
            '{"template": "Read why.", "values": {}}', '{}'),
           (now(), 'error', 'repairs-undecided:1', 'operators', '{"template": "A file waits for a decision", "values": {}}',
            '{"template": "Decide.", "values": {}}', '{}');
INSERT INTO procrastinate_jobs (queue_name, task_name, priority, args, status, attempts)
    SELECT 'default', CASE WHEN n = 1 THEN 'index.file' ELSE 'storage.store' END, 0, '{}', 'failed', 1
    FROM generate_series(0, :failed_tasks) AS n;
INSERT INTO task_failure (task_id, at, attempt, kind, error, traceback)
    SELECT id, now(), 1, 'error', 'It cannot be read.', '' FROM procrastinate_jobs WHERE status = 'failed';

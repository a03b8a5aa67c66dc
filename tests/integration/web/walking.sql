-- Further rows of what the busy house (tests/busy.sql) has none or one of.

INSERT INTO domain (name, created_at) SELECT n || '.fr', now() FROM generate_series(1, 5) n;
UPDATE domain SET alias_of = (SELECT max(id) FROM domain), alias_since = now() WHERE name <> '5.fr';
INSERT INTO configuration (domain, name, profile)
    SELECT d.id, n, (SELECT min(id) FROM profile) FROM domain d, (VALUES ('a'), ('b')) AS named (n);
INSERT INTO harvest_configuration (harvest, configuration) SELECT (SELECT min(id) FROM harvest), id FROM configuration;
INSERT INTO harvest_run (harvest, state, due_at) SELECT min(id), 'skipped', now() FROM harvest;
INSERT INTO harvest_run (harvest, state, due_at) SELECT min(id), 'skipped', now() FROM harvest;
INSERT INTO job_configuration (job, configuration, domain, estimate)
    SELECT j.id, c.id, (SELECT min(id) FROM domain), 1 FROM configuration c, (SELECT id FROM job ORDER BY id LIMIT 3) j;
INSERT INTO arrival (job, attempt, collector, name, kind, size, sha256, received, state, begun_at)
    SELECT job, 1, collector, 'third.warc.gz', 'data', 1, '', 1, 'receiving', now() FROM arrival LIMIT 1;
INSERT INTO trap_list (name, active) SELECT n, n < '3' FROM unnest('{1,2,3,4}'::text[]) n;
INSERT INTO profile_version (profile, version, document, created_at)
    SELECT 1, n, '{}', now() FROM generate_series(100, 103) n;
INSERT INTO selection_transfer (state, by, asked_at) VALUES ('done', 'ada', now());
UPDATE selection_transfer SET conflict = 4, failed = 0 WHERE id = (SELECT min(id) FROM selection_transfer);
INSERT INTO selection_transfer_line (transfer, kind, record, domain)
    SELECT t.transfer, t.kind, t.record, t.domain FROM selection_transfer_line t, generate_series(1, 3);
INSERT INTO selection_nomination (at, collection, address, key, title, state)
    SELECT at, collection, address, key, title, state FROM selection_nomination;
INSERT INTO selection_bulk (changes, made_at, state) SELECT '{}', now(), 'done' FROM generate_series(1, 3);
INSERT INTO selection_bulk_record (bulk, record, edition, verdict, before, after)
    SELECT (SELECT min(id) FROM selection_bulk), id, 1, 'change', '{}', '{}' FROM selection_record;
INSERT INTO selection_import (name, mode, state, created_at, editor)
    SELECT 'a.csv', 'trial', 'tried', now(), '{}' FROM generate_series(1, 3);
INSERT INTO selection_import_fault (import, place, line, text)
    SELECT (SELECT min(id) FROM selection_import), n, n, '{"template": "Bad.", "values": {}}' FROM generate_series(0, 4) n;
UPDATE selection_record SET harvested_at = now() - id % 3 * interval '1 day' WHERE id % 2 = 0;
INSERT INTO storage_event (at, file, kind, actor, details)
    SELECT now() - (9 - n) * interval '1 minute', (SELECT min(id) FROM stored_file), 'registered', 'ada', '{}'
    FROM generate_series(1, 3) n;
INSERT INTO audit_run (replica, kind, state, asked_at) SELECT min(id), 'presence', 'finished', now() FROM replica;
INSERT INTO file_check (file, replica, audit, kind, outcome, at)
    SELECT f.id, (SELECT min(id) FROM replica), (SELECT min(id) FROM audit_run), 'checksum', 'corrupt', now()
    FROM stored_file f ORDER BY f.id LIMIT 4;
INSERT INTO repair (file, replica, state, reason, votes, proposed_at)
    SELECT max(file), max(replica), 'void', reason, votes, now() FROM repair GROUP BY reason, votes;
INSERT INTO accession (name, created_at) SELECT 'taken ' || n, now() FROM generate_series(1, 3) n;
INSERT INTO accession_line (accession, path, outcome, at)
    SELECT (SELECT min(id) FROM accession), 'file ' || n, (ARRAY['taken', 'refused', 'known'])[n % 3 + 1], now()
    FROM generate_series(1, 5) n;
INSERT INTO batch (function, state, by, created_at) SELECT 'count', 'finished', 'ada', now() FROM generate_series(1, 2);
INSERT INTO batch_result (batch, file, state)
    SELECT (SELECT min(id) FROM batch), id, (ARRAY['done', 'failed', 'waiting'])[id % 3 + 1] FROM stored_file LIMIT 5;
INSERT INTO index_step (step, state, started_at, heard_at) VALUES ('day', 'running', now(), now());
INSERT INTO index_file (file, name, day, state, asked_at)
    SELECT id, name, now()::date, 'waiting', now() FROM stored_file WHERE name = 'file-7.warc.gz';
INSERT INTO index_collection (name, created_at) SELECT 'part-' || n, now() FROM generate_series(1, 3) n;
INSERT INTO access_rule (effect, match, created_at) SELECT 'hide', 'everything', now() FROM generate_series(1, 3);
INSERT INTO account (name, display_name, mail, language, roles, active, created_at)
    SELECT 'reader' || n, '', '', 'en', '{}', true, now() FROM generate_series(1, 3) n;
INSERT INTO access_accreditation (account, first_day, last_day, created_at)
    SELECT a.id, now()::date - 9, now()::date + (n - 2), now() FROM account a, generate_series(1, 2) n;
INSERT INTO access_viewing (account, title, created_at, ended_at)
    SELECT a.id, 'Viewing ' || n, now(), CASE WHEN n = 2 THEN now() END
    FROM (SELECT min(id) AS id FROM account) a, generate_series(1, 3) n;
INSERT INTO access_missing (viewing, url, kind, first_at, last_at)
    SELECT (SELECT min(id) FROM access_viewing), 'http://a.fr/' || n, 'page', now(), now() FROM generate_series(1, 4) n;
INSERT INTO audit (at, actor, via, action, object_kind, object_id, object_name, before, after)
    SELECT at, actor, via, action, object_kind, object_id, object_name, before, after FROM audit;

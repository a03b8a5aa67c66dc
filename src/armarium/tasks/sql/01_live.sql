-- Tell the pages that listen (channel of armarium.db.announce) that tasks changed.
-- Once per statement, and only if it touched a row: a worker that finds nothing to fetch stays silent.

CREATE FUNCTION armarium_announce_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM changed) THEN
        PERFORM pg_notify('armarium_live', 'tasks');
    END IF;
    RETURN NULL;
END;
$$;

CREATE TRIGGER armarium_tasks_deferred
    AFTER INSERT ON procrastinate_jobs REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION armarium_announce_tasks();

CREATE TRIGGER armarium_tasks_changed
    AFTER UPDATE ON procrastinate_jobs REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION armarium_announce_tasks();

CREATE TRIGGER armarium_tasks_removed
    AFTER DELETE ON procrastinate_jobs REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION armarium_announce_tasks();

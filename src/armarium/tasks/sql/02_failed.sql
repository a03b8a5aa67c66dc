-- Tasks that failed for good are few, and everybody who runs the house is told of them on the overview.

CREATE INDEX armarium_tasks_failed_index ON procrastinate_jobs (id) WHERE status = 'failed';

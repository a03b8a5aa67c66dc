"""Back-office tasks: work that happens later, in another process, and surely.

Comes in: the `TaskKind`s that rooms declare, and tasks deferred inside the transaction of the change that
makes them necessary.
Goes out: their work, done at least once and to its end; what waits, runs and failed, for the page; metrics.
It must never mark a task finished whose work was lost, run a task whose transaction was rolled back, or
know what any task does.
"""

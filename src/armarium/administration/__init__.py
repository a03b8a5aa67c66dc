"""Administration: accounts, roles, audit log, tasks, processes, settings; their pages, API and commands.

Comes in: decisions of administrators and engineers.
Goes out: accounts and roles that the guards obey; orders to the task queue.
It must never touch the work of another room: it looks after the house, not after the archive.
"""

"""The doors for machines: puts the rooms together into processes, starts them and keeps them running.

Comes in: settings, and the rooms' pages, tasks and checks.
Goes out: running processes.
It must never hold rules of a room.
"""

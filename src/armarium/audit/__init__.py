"""The audit log: who changed what, when, from what, to what.

Comes in: an actor, an action, the object, its values before and after, inside the transaction of the change.
Goes out: the history of an object or of a person, newest first.
It must never be rewritten: the database itself refuses updates and deletions of entries.
"""

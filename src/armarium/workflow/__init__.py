"""Which document leads to which task: the only place that sees several rooms.

Comes in: what a room hands over, in the transaction in which it happened. Goes out: the call of the next
room, in the same transaction.
It must never decide anything that belongs to a room.
"""

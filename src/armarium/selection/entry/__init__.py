"""Stage one of entry: an address is looked at as the crawler would see it, and only then made a record.

Comes in: addresses that somebody pastes for a collection.
Goes out: a check of each, kept with its picture, and records for those that the person takes.
It must never let an address be selected that does not answer, nor be a way into the library's own network.
"""

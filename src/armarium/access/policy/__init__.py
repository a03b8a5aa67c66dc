"""Who may see what: the rules of the reading room, and the one decision that every door asks for.

Comes in: what people write about addresses, dates, collections and readers; a capture, and who wants it.
Goes out: a `Decision`, and why. `rules.py` decides and knows no database; `live.py` keeps the rules of this
moment for it; `service.py` is how people change them.
It must never decide by how an address was asked for, forget a rule because the database is away, or delete
one: a rule that has ended is history.
"""

"""Who may see what: the rules of the reading room, and the one decision that every door asks for.

Comes in: what people write about addresses, dates, collections and readers; a capture, and who wants it.
Goes out: a `Decision`, and why. `decisions.py` decides and knows no database; `live.py` keeps the rules of
this moment for it; how people change them is in `access/rules`.
It must never decide by how an address was asked for, or forget a rule because the database is away.
"""

"""The database: one PostgreSQL, embedded in the data folder or reached by a URL.

Comes in: a URL or a data folder; the tables that each package attaches to the one schema.
Goes out: transactions, migrations applied once, announcements to the pages that listen.
It must never know what the tables mean: that is the business of the package that owns them.
"""

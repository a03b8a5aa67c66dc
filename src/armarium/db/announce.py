"""Tell the pages that listen that something changed.

An announcement belongs to the transaction of the change: PostgreSQL delivers it at commit, once, and
never after a rollback. It carries only a topic ("tasks", "processes"); who listens reads the tables anew.
"""

from sqlalchemy import Connection, func, select

CHANNEL = "armarium_live"


def announce(connection: Connection, topic: str) -> None:
    connection.execute(select(func.pg_notify(CHANNEL, topic)))

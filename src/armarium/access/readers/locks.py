"""Pages that only one reader at a time may have. Two processes may race for one: the database decides."""

import time
from datetime import datetime, timedelta
from threading import Lock

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from armarium.access.model import Reader
from armarium.access.settings import AccessSettings
from armarium.access.tables import lock
from armarium.core import clock
from armarium.db.database import Database

MOST_HELD = 20  # pages of one visit; a program could shut everybody out of everything
SURE = 2.0  # seconds for which a lock that was taken or renewed needs no second look, for the parts of a page
TICKET = "ticket "  # what a spent ticket is called; keys of pages have no blank


class LiveLocks:
    """Fulfils `requests.site.Locks`."""

    def __init__(self, database: Database, settings: AccessSettings) -> None:
        self._database = database
        self._time = timedelta(minutes=settings.lock_minutes)
        self._held: dict[tuple[str, str], float] = {}
        self._guard = Lock()

    def take(self, key: str, reader: Reader) -> bool:
        """Have the page, or go on having it. A reader without a visit could not be told from others."""
        if not reader.visit:
            return False
        mine = (key, reader.visit)
        with self._guard:
            if time.monotonic() - self._held.get(mine, float("-inf")) < SURE:
                return True
        now = clock.now()
        taken = insert(lock).values(key=key, holder=reader.visit, until=now + self._time)
        free = sa.or_(lock.c.holder == reader.visit, lock.c.until <= now)
        new = {"holder": reader.visit, "until": now + self._time}
        got = taken.on_conflict_do_update(index_elements=[lock.c.key], set_=new, where=free)
        with self._database.transaction() as connection:
            have = connection.execute(got.returning(lock.c.key)).first() is not None
            if have:
                connection.execute(_more_than_enough(reader.visit))
        if have:
            self._remember(mine)
        return have

    def renew(self, reader: Reader, key: str) -> bool:
        """The page is still open. False: it is not this reader's (any more)."""
        now = clock.now()
        mine = (lock.c.key == key, lock.c.holder == reader.visit, lock.c.until > now)
        with self._database.transaction() as connection:
            renewed = connection.execute(lock.update().where(*mine).values(until=now + self._time))
        return bool(reader.visit) and renewed.rowcount == 1

    def release(self, reader: Reader, key: str | None = None) -> None:
        if not reader.visit:
            return
        gone = lock.delete().where(lock.c.holder == reader.visit)
        if key is not None:
            gone = gone.where(lock.c.key == key)
        with self._database.transaction() as connection:
            connection.execute(gone)
        with self._guard:
            mine = [k for k in self._held if k[1] == reader.visit and key in (None, k[0])]
            for each in mine:
                del self._held[each]

    def spend(self, ticket: str, until: datetime) -> bool:
        """Whether a ticket is shown for the first time: a lock that nobody ever gets again."""
        spent = insert(lock).values(key=TICKET + ticket, holder="", until=until).on_conflict_do_nothing()
        with self._database.transaction() as connection:
            connection.execute(lock.delete().where(lock.c.until < clock.now()))
            return connection.execute(spent.returning(lock.c.key)).first() is not None

    def _remember(self, mine: tuple[str, str]) -> None:
        now = time.monotonic()
        with self._guard:
            if len(self._held) > 1000:
                self._held = {each: at for each, at in self._held.items() if now - at < SURE}
            self._held[mine] = now


def _more_than_enough(holder: str) -> sa.Delete:
    """The oldest fall."""
    mine = sa.select(lock.c.key).where(lock.c.holder == holder)
    kept = mine.order_by(lock.c.until.desc(), lock.c.key).limit(MOST_HELD)
    return lock.delete().where(lock.c.holder == holder, lock.c.key.not_in(kept))

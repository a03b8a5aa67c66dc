"""Settings of accounts and sessions."""

from armarium.settings import Section, key


class AccountSettings(Section, name="accounts"):
    """How people sign in and how long that lasts."""

    session_idle_hours: float = key(12.0, "Hours without a request after which a session ends.", gt=0, le=720)
    session_days: float = key(7.0, "Days after which a session ends in any case.", gt=0, le=90)
    link_hours: float = key(48.0, "Hours for which a one-time link to set a password is good.", gt=0, le=720)

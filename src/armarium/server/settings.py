"""Settings of `armarium up`."""

from armarium.settings import Section, key


class ServerSettings(Section, name="server"):
    """What `armarium up` starts on this machine."""

    workers: int = key(1, "Worker processes for background tasks.", ge=0, le=100)

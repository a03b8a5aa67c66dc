"""Settings of `armarium up`."""

from armarium.settings import Section, key


class ServerSettings(Section, name="server"):
    """What `armarium up` starts on this machine."""

    workers: int = key(1, "Worker processes for background tasks.", ge=0, le=100)
    collectors: int = key(
        1, "Collector processes, which crawl. 0: crawls run on other machines only.", ge=0, le=100
    )
    access: bool = key(True, "Whether the readers' site is started, too.")
    hung_after_seconds: float = key(
        60.0,
        "A process of which nothing was heard for this long hangs: it is killed and started again. 0: never.",
        ge=0,
        le=3600,
    )

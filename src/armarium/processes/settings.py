"""Settings of the heartbeats and of the monitoring endpoint."""

from armarium.settings import Section, key


class ProcessSettings(Section, name="processes"):
    """How the processes tell each other and the system page that they are alive."""

    heartbeat_seconds: float = key(
        5.0, "Seconds between two heartbeats; a process is silent after three without one.", ge=0.1, le=300
    )
    keep_days: int = key(
        7, "Days for which the system page still lists a process that has ended.", ge=0, le=3650
    )


class MonitoringSettings(Section, name="monitoring"):
    """Where a process that is no web server answers /healthz, /readyz and /metrics."""

    host: str = key(
        "127.0.0.1",
        "Address to listen on. The answers need no sign-in: open it to a monitoring network only.",
        min_length=1,
    )
    port: int = key(
        0,
        "Port to listen on. 0: any free one, shown on the system page. "
        "A fixed port suits one process on a machine, not several.",
        ge=0,
        le=65535,
    )

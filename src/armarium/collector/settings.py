"""Settings of a collector."""

import ipaddress
import re
import socket
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import SecretStr, field_validator, model_validator

from armarium.settings import Section, key

NAME = r"^[a-z0-9][a-z0-9._-]{0,62}$"


class CollectorSettings(Section, name="collector"):
    """The process that crawls. It needs no database, only the address of the server."""

    server: str | None = key(
        None, "Address of the server, such as https://archive.example.org. Empty: the site of this machine."
    )
    ca_file: Path | None = key(
        None, "Certificates (PEM) of the authority that vouches for the server. Empty: those of the system."
    )
    proxy: str | None = key(
        None, "Address of the proxy through which the server is reached. Crawls do not use it."
    )
    insecure: bool = key(
        False,
        "Allow a server at http:// on another machine. Whoever is on the way can then read and forge what "
        "the server answers, and make the collector delete files that nobody else has.",
    )
    name: str | None = key(
        None, "Name under which this collector is known. Empty: the name of the machine.", pattern=NAME
    )
    slots: int = key(
        2,
        "Jobs at the same time. With two or more, a collector that serves several channels keeps one for "
        "jobs of higher priority than its lowest.",
        ge=0,
        le=1000,
    )
    channels: list[str] = key([], "Channels wished for at enrolment. Afterwards the server decides.")
    min_free_bytes: int = key(2_000_000_000, "With less free disk, no further job is taken.", ge=0)
    work: Path | None = key(None, "Folder in which jobs are crawled. Empty: work in the data folder.")
    key_file: Path | None = key(
        None, "File with the collector's private keys. Empty: secrets/collector-key in the data folder."
    )
    enrolment: SecretStr | None = key(
        None, "One-time code by which a new collector enrols; not needed afterwards."
    )
    engine_processes: int = key(1, "Processes that share a crawl.", ge=1, le=64)
    hung_seconds: float = key(
        1800.0,
        "A crawl that does not answer for this long hangs: it is killed, and gone on with from its folder.",
        gt=0,
    )

    @field_validator("server", "proxy")
    @classmethod
    def _is_address(cls, value: str | None) -> str | None:
        parts = urlsplit(value or "http://localhost")
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.path.strip("/"):
            raise ValueError("must be http:// or https:// and a host name, without a path")
        return value

    @model_validator(mode="after")
    def _is_private(self) -> "CollectorSettings":
        if self.answers_can_be_forged and not self.insecure:
            raise ValueError(
                "server must be https://: over http:// anybody on the way could forge its answers, and files "
                "that nobody else has would be deleted. http:// is for this machine alone, without a proxy "
                "(insecure = true allows it nevertheless)"
            )
        return self

    @property
    def answers_can_be_forged(self) -> bool:
        """Whether they come over a net, and without TLS."""
        own_site = "http://localhost"
        parts = urlsplit(self.server or own_site)
        return parts.scheme == "http" and (self.proxy is not None or not _is_loopback(parts.hostname or ""))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def machine_name() -> str:
    """The name of this machine, as a collector may be called."""
    return re.sub(r"[^a-z0-9._-]", "-", socket.gethostname().lower()).strip("._-")[:63] or "collector"

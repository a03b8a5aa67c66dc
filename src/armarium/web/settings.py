"""Settings of the staff site."""

from ipaddress import ip_network
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import field_validator

from armarium.settings import Section, key


class WebSettings(Section, name="web"):
    """The staff site and its API."""

    library: str = key("", "Name of the institution, shown beside the name Armarium.", max_length=100)
    contact: str = key(
        "", "Mail address of the administrators, shown to people who cannot sign in.", max_length=200
    )
    host: str = key(
        "127.0.0.1",
        "Address on which the site listens. 0.0.0.0 means every address of the machine.",
        min_length=1,
    )
    port: int = key(8000, "Port on which the site listens.", ge=1, le=65535)
    public_url: str | None = key(
        None,
        "Address under which people reach the site, such as https://archive.example.org. "
        "With https, cookies are sent only over https. Empty: http, the host and the port.",
    )
    allowed_hosts: list[str] = key(
        [],
        "Further host names under which the site may be addressed, besides localhost and the host of "
        "public_url. Requests for other names are refused.",
    )
    trusted_proxies: list[str] = key(
        [],
        "Addresses of reverse proxies whose X-Forwarded-For and X-Forwarded-Proto headers are believed.",
    )
    metrics_networks: list[str] = key(
        ["127.0.0.1/32", "::1/128"], "Networks that may read /metrics without signing in."
    )
    max_form_bytes: int = key(1_000_000, "Largest form or API request that is accepted, in bytes.", ge=10_000)
    time_zone: str = key("UTC", "Time zone in which pages show moments, such as Europe/Paris.")

    # What is wrong here would otherwise fail at every page, long after the start.

    @field_validator("public_url")
    @classmethod
    def _is_address(cls, value: str | None) -> str | None:
        parts = urlsplit(value or "http://localhost")
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.path.strip("/"):
            raise ValueError("must be http:// or https:// and a host name, without a path")
        return value

    @field_validator("metrics_networks", "trusted_proxies")
    @classmethod
    def _are_networks(cls, value: list[str]) -> list[str]:
        for item in value:
            try:
                ip_network(item)
            except ValueError as problem:
                raise ValueError(f"has an item that is no address or network: {problem}") from None
        return value

    @field_validator("time_zone")
    @classmethod
    def _is_time_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (LookupError, ValueError, OSError):  # OSError: "Europe" is a folder of the zones' files
            raise ValueError("must be the name of a time zone, such as Europe/Paris") from None
        return value

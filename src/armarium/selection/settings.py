"""Settings of selection, and of the live check."""

import ipaddress
from pathlib import Path

from pydantic import SecretStr, field_validator

from armarium.core.name_server import name_server
from armarium.settings import Section, key


class SelectionSettings(Section, name="selection"):
    """Collections, records and nominations."""

    nominations_per_hour: int = key(
        20, "Nominations taken from one network address within an hour.", ge=1, le=10_000
    )
    keep_nominators_days: int = key(
        365,
        "Days after which name and mail address of whoever nominated a site are removed.",
        ge=1,
        le=36_500,
    )
    national_domains: tuple[str, ...] = key(
        (), "Endings of host names that bring a site into the legal scope by themselves, such as fr and re."
    )
    national_countries: tuple[str, ...] = key(
        (), "Countries, as two letters, whose servers bring a site into the legal scope, such as FR."
    )
    location_file: Path | None = key(
        None, "Database of the countries of network addresses (MMDB); without it countries are not told."
    )

    max_import_bytes: int = key(
        50_000_000, "Largest file of records that may be imported, in bytes.", ge=10_000, le=2_000_000_000
    )
    max_import_lines: int = key(
        200_000, "Lines of a file of records that may be imported, at most.", ge=1, le=2_000_000
    )
    keep_import_days: int = key(
        30, "Days for which the file of an import is kept; its report stays.", ge=1, le=3650
    )


class EntrySettings(Section, name="entry"):
    """The live check of addresses that librarians enter."""

    seconds: float = key(20.0, "Seconds that the check of one address may take.", gt=0, le=300)
    max_bytes: int = key(2_000_000, "Bytes that are read of a page.", ge=1000, le=100_000_000)
    max_redirects: int = key(10, "Redirects that are followed from one address.", ge=0, le=50)
    at_once: int = key(6, "Addresses that are checked at the same time.", ge=1, le=50)
    pause: float = key(1.0, "Seconds between two checks of the same host.", ge=0, le=60)
    allowed_ranges: tuple[str, ...] = key(
        (),
        "Networks that may be looked at although crawlers are denied them, such as 127.0.0.0/8 on a laptop.",
    )
    denied_ranges: tuple[str, ...] = key(
        (),
        "Networks that are never looked at, beside those that crawlers are denied: public addresses of "
        "machines inside the library.",
    )
    dns_servers: tuple[str, ...] = key(
        (),
        "Name servers that are asked by the live check and for evidence of the legal scope, as addresses; "
        "empty: those of the system.",
    )
    proxy: SecretStr | None = key(
        None, "Proxy through which addresses are looked at: http://[user:password@]host:port, or socks5://…."
    )
    keep_days: int = key(90, "Days for which checks are kept that led to no record.", ge=1, le=36_500)
    pictures: bool = key(True, "Take a picture of the page, where a Chromium is installed.")
    browser: str = key("", "Path of Chromium. If empty, the one found on the system.")
    picture_seconds: float = key(20.0, "Seconds that a picture may take.", gt=0, le=120)

    @field_validator("allowed_ranges", "denied_ranges")
    @classmethod
    def _networks(cls, ranges: tuple[str, ...]) -> tuple[str, ...]:
        for text in ranges:
            ipaddress.ip_network(text, strict=False)
        return ranges

    @field_validator("dns_servers")
    @classmethod
    def _name_servers(cls, servers: tuple[str, ...]) -> tuple[str, ...]:
        for text in servers:
            name_server(text)
        return servers

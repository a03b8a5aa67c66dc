"""Settings of selection."""

from pathlib import Path

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
    name_servers: tuple[str, ...] = key(
        (), "Name servers that are asked for evidence, as addresses; empty: those of this machine."
    )

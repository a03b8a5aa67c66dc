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

    max_import_bytes: int = key(
        50_000_000, "Largest file of records that may be imported, in bytes.", ge=10_000, le=2_000_000_000
    )
    max_import_lines: int = key(
        200_000, "Lines of a file of records that may be imported, at most.", ge=1, le=2_000_000
    )
    keep_import_days: int = key(
        30, "Days for which the file of an import is kept; its report stays.", ge=1, le=3650
    )

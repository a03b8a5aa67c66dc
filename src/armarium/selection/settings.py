"""Settings of selection."""

from armarium.settings import Section, key


class SelectionSettings(Section, name="selection"):
    """Where librarians choose and curators judge."""

    max_import_bytes: int = key(
        50_000_000, "Largest file of records that may be imported, in bytes.", ge=10_000, le=2_000_000_000
    )
    max_import_lines: int = key(
        200_000, "Lines of a file of records that may be imported, at most.", ge=1, le=2_000_000
    )
    keep_import_days: int = key(
        30, "Days for which the file of an import is kept; its report stays.", ge=1, le=3650
    )

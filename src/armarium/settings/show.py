"""The settings in force, for people and for programs; secrets are never shown."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from armarium.settings.keys import keys_of
from armarium.settings.load import Settings
from armarium.settings.plain import Plain, plain


@dataclass(frozen=True)
class Row:
    section: str
    key: str
    value: Plain  # as JSON would have it
    origin: str  # "default", "armarium.toml:12", "ARMARIUM_WEB_PORT"
    variable: str
    help: str


def rows(settings: Settings) -> list[Row]:
    return [
        Row(
            section=key.section,
            key=key.name,
            value=plain(getattr(values, key.name)),
            origin=str(settings.origin(section, key.name)),
            variable=key.variable,
            help=key.help,
        )
        for section, values in settings.sections.items()
        for key in keys_of(section)
    ]


def as_json(settings: Settings) -> dict[str, object]:
    return {
        "home": str(settings.home),
        "home_origin": str(settings.home_origin),
        "file": str(settings.file) if settings.file else None,
        "settings": [asdict(row) for row in rows(settings)],
    }


def table(settings: Settings) -> str:
    """Three columns of plain text: setting, value, origin."""
    lines = [("home", str(settings.home), str(settings.home_origin))]
    lines += [(f"{row.section}.{row.key}", written(row.value), row.origin) for row in rows(settings)]
    return _columns(lines)


def written(value: Plain) -> str:
    """A value for a table cell: on one line, and empty for none."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case list():
            return ", ".join(written(item) for item in value)
    return str(value)


def _columns(lines: Sequence[tuple[str, ...]]) -> str:
    widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
    padded = [[cell.ljust(width) for cell, width in zip(line, widths, strict=True)] for line in lines]
    return "".join("  ".join(line).rstrip() + "\n" for line in padded)

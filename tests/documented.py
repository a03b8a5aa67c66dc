"""What docs/how-to/run-in-production.md tells people to copy, taken from its text."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "run-in-production.md"
INSTALLED = "/opt/armarium/.venv/bin/armarium"  # the command, as the page has it


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)


def units() -> dict[str, str]:
    """systemd's units by the names of their files."""
    named = r"`/etc/systemd/system/([^`]+)`:\n\n```ini\n(.*?)^```"
    return dict(re.findall(named, PAGE.read_text(), re.DOTALL | re.MULTILINE))


def values(unit: str, key: str) -> list[str]:
    return re.findall(rf"^{key}=(.*)$", unit, re.MULTILINE)

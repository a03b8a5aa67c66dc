"""Filters of a search, with what strangers typed made harmless (RFC 4515)."""

import re
from collections.abc import Mapping

# RFC 4515, section 3: these must be written as a backslash and two hexadecimal digits. All that is not plain
# ASCII is written so too: then no server has an opinion of its own about it. And spaces, which ldap3 drops at
# the ends.
PLAIN = re.compile(r"[A-Za-z0-9!\"#$%&'+,\-./:;<=>?@\[\]^_`{|}~]")


def escaped(value: str) -> str:
    return "".join(letter if PLAIN.fullmatch(letter) else _written(letter) for letter in value)


def _written(letter: str) -> str:
    return "".join(f"\\{byte:02x}" for byte in letter.encode("utf-8", "surrogatepass"))


def filled(pattern: str, values: Mapping[str, str]) -> str:
    """The filter with its placeholders filled, in one pass: a value is never read as a placeholder."""
    return re.sub(r"\{(\w+)\}", lambda found: escaped(values[found[1]]), pattern)

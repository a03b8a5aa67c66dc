"""Lines of files that were withdrawn: they stay in the runs until the next merge, and are not given out."""

import json
import re
from collections.abc import Container

# The key may hold anything that an address may, also what looks like JSON: a line's own begins behind it.
_JSON = b" {"
# Inside a text of JSON both quotation marks would have a backslash before them.
_FILENAME = re.compile(rb'[{,]\s*"filename"\s*:\s*"((?:[^"\\]|\\.)*+)"')
_NESTED = re.compile(rb'":\s*[{\[]')


def filename_of(line: bytes) -> str | None:
    """The name of the file that a line of CDXJ leads to."""
    begin = line.find(_JSON)
    if begin < 0:
        return None
    found = _FILENAME.findall(line, begin)
    if len(found) == 1 and b"\\" not in found[0] and not _NESTED.search(line, begin):
        return str(found[0], "utf-8", "surrogateescape")
    return _parsed(line[begin + 1 :])


def filenames_in(text: bytes) -> set[str]:
    """The names in many lines."""
    return {name for line in text.split(b"\n") if (name := filename_of(line)) is not None}


def kept(lines: list[bytes], without: Container[str]) -> list[bytes]:
    return [line for line in lines if (name := filename_of(line)) is None or name not in without]


def _parsed(text: bytes) -> str | None:
    try:
        fields = json.loads(text.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        return None
    name = fields.get("filename") if isinstance(fields, dict) else None
    return name if isinstance(name, str) else None

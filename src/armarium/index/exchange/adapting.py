"""A line of others as our index needs it: with a SURT key, a date in digits, and an address."""

import re
from typing import Any

from armarium.formats.cdx import CdxLine
from armarium.formats.url import surt

# `com,example)/path`, `com,example:8080)/`, `dns:example.com`, `urn:…`; not `example.com/`, not `http://(com,`.
_SURT = re.compile(r"[^()/\s]+\)/|(?:dns|urn|mailto|data|filedesc|metadata|screenshot|info):")
SECOND = 14  # digits of a date; some indexes go to the millisecond
_PORT = re.compile(r"[^/]*?(?::(\d+))?(?=/|\Z)")


def adapted(line: CdxLine, *, rekey: bool = False) -> CdxLine | None:
    """The line with what it lacks; None if nothing tells its address."""
    fields = _completed(line)
    url = fields.get("url")
    key = line.key
    if url and (rekey or not _SURT.match(key)):
        key = surt(str(url))
    if not key:
        return None
    return CdxLine(key, _digits(line), fields)


def _completed(line: CdxLine) -> dict[str, Any]:
    fields = dict(line.fields)
    if "url" not in fields and not _SURT.match(line.key) and line.key:
        # The BnF wrote the host in place of the address, and the rest of the address in the key.
        fields = {"url": _rebuilt(str(fields.pop("host", "")), line.key), **fields}
    name = str(fields.get("filename", ""))
    if "offset" not in fields and "offset.uncompressed" in fields and not name.endswith(".gz"):
        fields["offset"] = fields.pop("offset.uncompressed")  # NetarchiveSuite's ARC files are not packed
    return fields


def _rebuilt(host: str, key: str) -> str:
    begin = _PORT.match(key)
    assert begin is not None, key
    port = f":{begin[1]}" if host and begin[1] and begin[1] != "80" else ""
    return f"http://{host}{port}{key[begin.end() :]}" if host else f"http://{key}"


def _digits(line: CdxLine) -> str:
    if line.timestamp.isdigit():
        return line.timestamp[:SECOND]  # an address of an archive has no more
    date = line.date
    return f"{date.year:04}{date:%m%d%H%M%S}" if date is not None else line.timestamp

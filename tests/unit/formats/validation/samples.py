"""Small WARC and ARC files, made for one fault each."""

import base64
import gzip
import hashlib
import io
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from armarium.formats.validation import Options, Report, content, validate
from armarium.formats.validation.fast_header import UsualHeaders
from armarium.formats.warc.reader import ArchiveReader

RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello"
REQUEST = b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"
HTTP_RESPONSE = "application/http;msgtype=response"
LARGEST = 20_000  # bytes of a file that is judged in more than one way
ARC_BLOCK = b"1 0 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n"


def sha1(data: bytes) -> str:
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


def record_id(number: int) -> str:
    return f"<urn:uuid:00000000-0000-4000-8000-{number:012d}>"


def record(
    kind: str = "response",
    block: bytes = RESPONSE,
    *,
    number: int = 1,
    version: str = "1.1",
    without: tuple[str, ...] = (),
    **fields: Any,  # text, or None to leave the field out
) -> bytes:
    """One record that breaks no rule, but for the fields given here (Target_URI for WARC-Target-URI)."""
    values: dict[str, str | None] = {
        "WARC-Type": kind,
        "WARC-Record-ID": record_id(number),
        "WARC-Date": "2026-01-02T03:04:05Z",
        "Content-Length": str(len(block)),
    }
    if kind != "warcinfo":
        values["WARC-Target-URI"] = "http://example.org/"
    if kind == "response":
        values |= {"WARC-IP-Address": "93.184.216.34", "Content-Type": HTTP_RESPONSE}
    if kind == "warcinfo":
        values["Content-Type"] = "application/warc-fields"
    values |= {name_of(key): value for key, value in fields.items()}
    lines = [f"{key}: {value}" for key, value in values.items() if value is not None and key not in without]
    head = "\r\n".join([f"WARC/{version}", *lines]).encode()
    return head + b"\r\n\r\n" + block + b"\r\n\r\n"


def name_of(key: str) -> str:
    plain = key.replace("_", "-")
    return plain if plain.startswith("Content-") else f"WARC-{plain}"


def warcinfo(**fields: Any) -> bytes:
    return record("warcinfo", b"software: made by hand\r\n", number=0, **fields)


def warc(*records: bytes) -> bytes:
    """A file that begins as it should."""
    return warcinfo() + b"".join(records)


def zipped(*records: bytes) -> bytes:
    return b"".join(gzip.compress(one) for one in records)


def arc(*records: bytes, block: bytes = ARC_BLOCK) -> bytes:
    head = b"filedesc://made.arc 0.0.0.0 20260102030405 text/plain %d\n" % len(block)
    return head + block + b"".join(b"\n" + one for one in records)


def arc_record(
    url: str = "http://example.org/",
    ip: str = "93.184.216.34",
    date: str = "20260102030405",
    block: bytes = RESPONSE,
) -> bytes:
    return f"{url} {ip} {date} text/html {len(block)}\n".encode() + block


def judged(data: bytes, name: str = "made.warc", **options: Any) -> Report:
    """The report; of every file that is judged so, the quick look is held against the closer look."""
    report = validate(io.BytesIO(data), name=name, options=Options(**options))
    if len(data) > LARGEST:
        return report  # bombs and the like: once is enough
    assert report.to_json() == judged_closely(data, name, **options).to_json()
    if data.startswith(b"WARC/"):
        # The quick look is for records in members of their own; twice, as from the first of a kind it learns.
        packed = zipped(*pieces(data), *pieces(data))
        quickly = validate(io.BytesIO(packed), name=name, options=Options(**options))
        assert quickly.to_json() == judged_closely(packed, name, **options).to_json()
    return report


def judged_closely(data: bytes, name: str = "made.warc", **options: Any) -> Report:
    """The report of a validation that takes nothing for usual."""
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(content, "usual_entity", lambda _block, _kind: -1)
        changed.setattr(UsualHeaders, "match", lambda _self, _text, _rules: None)
        return validate(io.BytesIO(data), name=name, options=Options(**options))


def pieces(data: bytes) -> Iterator[bytes]:
    """A file that is not compressed, cut where its records begin."""
    offsets = [record.offset for record in ArchiveReader(io.BytesIO(data))]
    return (data[begin:end] for begin, end in pairwise([0, *offsets[1:], len(data)]))


def codes(data: bytes, name: str = "made.warc", **options: Any) -> set[str]:
    return set(judged(data, name, **options).counts)

"""HTTP messages against other people's bodies, and against every message in the sample archives."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.statusandheaders import StatusAndHeadersParser

from armarium.formats.http import Outcome, Payload, decode_content, parse_request, parse_response

# What the samples are labelled with where they come from; the names of the files say it.
CODINGS = {
    "bomb-br": ("br",),
    "bomb-deflate": ("deflate",),
    "bomb-zstd": ("zstd",),
    "html-br": ("br",),
    "html-gzip-deflate": ("gzip", "deflate"),
    "html-rawdeflate": ("deflate",),
    "html-zlibdeflate": ("deflate",),
    "html-zstd": ("zstd",),
}
LIMIT = 1_000_000


def samples(corpora: Path) -> Iterator[tuple[str, bytes, dict[str, Any]]]:
    expected = json.loads((corpora / "EXPECTED.json").read_text())["files"]
    for path in sorted((corpora / "http-encoding").iterdir()):
        answer = expected.get(f"http-encoding/{path.name}", {}).get("decode")
        if answer:
            yield path.name, path.read_bytes(), answer


def codings(name: str) -> tuple[str, ...]:
    known = [start for start in CODINGS if name.startswith(start)]
    return CODINGS[max(known, key=len)] if known else ("gzip",)


def pieces(data: bytes, size: int) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


@pytest.mark.parametrize("size", [1, 1000, 1 << 20])
def test_every_sample_body_is_decoded_as_far_as_it_can_be(corpora: Path, size: int) -> None:
    seen = 0
    for name, data, answer in samples(corpora):
        decoding = decode_content(codings(name), pieces(data, size))
        payload = b"".join(decoding)
        assert len(payload) == answer.get("decoded_size", answer.get("decoded_bytes_available")), name
        assert hashlib.sha256(payload).hexdigest() == answer["sha256"], name
        complete = answer.get("complete", True)
        assert (decoding.outcome is Outcome.COMPLETE) == complete, (name, decoding.problems)
        seen += 1
    assert seen >= 10


def test_every_bomb_is_stopped_at_the_limit(corpora: Path) -> None:
    for name, data, _ in samples(corpora):
        if name.startswith("bomb-"):
            decoding = decode_content(codings(name), [data], limit=LIMIT)
            assert sum(map(len, decoding)) == LIMIT
            assert decoding.outcome is Outcome.TOO_LARGE


def test_a_truncated_sample_gives_what_its_project_expects(corpora: Path) -> None:
    data = (corpora / "http-encoding/unexpected-eof.gz").read_bytes()
    expected = (corpora / "http-encoding/unexpected-eof-output.txt").read_text(encoding="utf-8")
    assert b"".join(decode_content(["gzip"], [data])) == expected.encode("latin-1")


def archives(corpora: Path) -> list[Path]:
    found = [path for folder in ("warc", "warc-bad") for path in (corpora / folder).rglob("*.warc*")]
    return sorted(path for path in found if path.stat().st_size < 5_000_000)


def recorded_messages(path: Path) -> Iterator[tuple[str, bytes]]:
    """Requests and responses in a file, as warcio finds them and as far as it can."""
    with path.open("rb") as file, suppress(ArchiveLoadFailed):
        for record in ArchiveIterator(file, no_record_parse=True):
            if record.rec_type in ("request", "response") and "application/http" in (
                record.content_type or ""
            ):
                yield record.rec_type, record.raw_stream.read()


def test_heads_are_read_as_warcio_reads_them(corpora: Path) -> None:
    compared = 0
    for path in archives(corpora):
        for kind, block in recorded_messages(path):
            ours = parse_request(block) if kind == "request" else parse_response(block)
            if not block or ours.version == "HTTP/0.9":
                continue
            stream = BytesIO(block)
            theirs = StatusAndHeadersParser([], verify=False).parse(stream)
            assert ours.length == stream.tell(), path
            assert bytes(ours) == block[: ours.length]
            assert ours.fields.items() == theirs.headers, path
            compared += 1
    assert compared > 1000


def test_every_recorded_body_gives_an_entity_and_a_payload(corpora: Path) -> None:
    outcomes = Counter[Outcome]()
    for path in archives(corpora):
        for kind, block in recorded_messages(path):
            if kind == "response":
                head = parse_response(block)
                payload = Payload(head, [block[head.length :]], limit=LIMIT)
                assert sum(map(len, payload)) <= LIMIT
                outcomes[payload.outcome] += 1
    assert outcomes[Outcome.COMPLETE] > 500
    assert not outcomes[Outcome.DAMAGED]

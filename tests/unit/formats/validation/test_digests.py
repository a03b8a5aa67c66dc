"""Digests of all labels and encodings, and what a payload digest may have been taken of."""

import base64
import gzip
import hashlib
import random

import pytest
from blake3 import blake3

from armarium.formats.validation import content, payload
from tests.unit.formats.validation.samples import RESPONSE, codes, judged, record, sha1, warc

BODY = b"hello"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
CHUNKS = b"5\r\nhello\r\n0\r\n\r\n"


def spellings() -> list[str]:
    found = []
    for label, make in (
        ("md5", hashlib.md5),
        ("sha1", hashlib.sha1),
        ("sha-1", hashlib.sha1),
        ("SHA-256", hashlib.sha256),
        ("sha256", hashlib.sha256),
        ("sha512", hashlib.sha512),
        ("blake3", blake3),
    ):
        digest = make(RESPONSE).digest()
        texts = {
            digest.hex(),
            digest.hex().upper(),
            base64.b32encode(digest).decode(),
            base64.b64encode(digest).decode(),
        }
        texts |= {base64.b32encode(digest).decode().lower(), base64.b32encode(digest).decode().rstrip("=")}
        texts.add(base64.urlsafe_b64encode(digest).decode().rstrip("="))
        found += [f"{label}:{text}" for text in sorted(texts)]
    return found


@pytest.mark.parametrize("digest", spellings())
def test_a_digest_is_checked_however_it_is_spelt(digest: str) -> None:
    report = judged(warc(record(Block_Digest=digest)))
    assert (report.digests_checked, report.digests_matched) == (1, 1)
    assert report.valid
    wrong = judged(warc(record(block=RESPONSE.replace(b"hello", b"hallo"), Block_Digest=digest)))
    assert "warc-block-digest" in wrong.counts


def test_the_usual_spellings_are_not_worth_a_note() -> None:
    sha256 = f"sha256:{hashlib.sha256(RESPONSE).hexdigest()}"
    assert (
        codes(warc(record(Block_Digest=sha1(RESPONSE)))) == codes(warc(record(Block_Digest=sha256))) == set()
    )
    assert codes(warc(record(Block_Digest=f"sha1:{hashlib.sha1(RESPONSE).hexdigest()}"))) == {
        "warc-digest-unusual"
    }


def test_the_payload_of_a_response_is_its_body() -> None:
    assert codes(warc(record(Payload_Digest=sha1(BODY)))) == set()
    assert codes(warc(record(Payload_Digest=sha1(b"other")))) == {"warc-payload-digest"}


@pytest.mark.parametrize("size", [5, 3_000_000])
def test_a_payload_digest_is_tried_without_and_with_chunks_and_the_report_tells_which(size: int) -> None:
    body = b"x" * size
    chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (size, body)
    block = CHUNKED + chunks
    assert codes(warc(record(block=block, Payload_Digest=sha1(body)))) == set()
    assert codes(warc(record(block=block, Payload_Digest=sha1(chunks)))) == {"warc-payload-digest-chunked"}
    assert codes(warc(record(block=block, Payload_Digest=sha1(block)))) == {"warc-payload-digest-of-block"}
    assert codes(warc(record(block=block, Payload_Digest=sha1(b"?")))) == {"warc-payload-digest"}


def test_a_payload_digest_of_the_decoded_body_is_recognised() -> None:
    packed = gzip.compress(BODY)
    block = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + packed
    assert codes(warc(record(block=block, Payload_Digest=sha1(packed)))) == set()
    assert codes(warc(record(block=block, Payload_Digest=sha1(BODY)))) == {"warc-payload-digest-decoded"}


def test_a_body_that_was_decoded_before_it_was_recorded_is_its_own_payload() -> None:
    found = codes(warc(record(block=CHUNKED + BODY, Payload_Digest=sha1(BODY))))
    assert found == {"http-chunked-already-decoded"}


def test_the_payload_of_a_resource_is_its_block() -> None:
    resource = record("resource", b"data", Content_Type="text/plain", Payload_Digest=sha1(b"data"))
    assert codes(warc(resource)) == set()


@pytest.mark.parametrize("kind", ["revisit", "continuation"])
def test_the_payload_digest_of_a_record_without_its_own_payload_is_not_misjudged(kind: str) -> None:
    found = codes(warc(record(kind, b"", Payload_Digest=sha1(b"elsewhere"))))
    assert "warc-payload-digest" not in found


def test_the_payload_digest_of_a_first_segment_is_of_all_segments() -> None:
    assert "warc-payload-digest" not in codes(warc(record(Segment_Number="1", Payload_Digest=sha1(b"all"))))


@pytest.mark.parametrize("kind", ["warcinfo", "metadata"])
def test_a_payload_digest_where_there_is_no_payload_is_told(kind: str) -> None:
    one = record(kind, b"a: b\r\n", Content_Type="application/warc-fields", Payload_Digest=sha1(b"?"))
    assert "warc-payload-field" in codes(warc(one))
    assert "warc-payload-digest" not in codes(warc(one))


def test_a_large_block_is_hashed_in_pieces() -> None:
    body = bytes(5_000_000)
    block = b"HTTP/1.1 200 OK\r\nContent-Length: 5000000\r\n\r\n" + body
    report = judged(warc(record(block=block, Block_Digest=sha1(block), Payload_Digest=sha1(body))))
    assert report.valid
    assert report.digests_matched == 2


@pytest.mark.parametrize("size", [900_000, 2_000_000])
def test_the_digest_of_a_decoded_body_is_recognised_at_any_size(size: int) -> None:
    body = random.Random(1).randbytes(size)
    block = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(body)
    assert codes(warc(record(block=block, Payload_Digest=sha1(body)))) == {"warc-payload-digest-decoded"}
    assert codes(warc(record(block=block, Payload_Digest=sha1(b"?")))) == {"warc-payload-digest"}
    assert codes(warc(record(block=block, Payload_Digest=sha1(gzip.compress(body, mtime=0))))) != set()


@pytest.mark.parametrize("whole", [content.WHOLE, 64])
def test_a_body_too_large_to_decode_is_not_called_wrong(whole: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "WHOLE", whole)
    monkeypatch.setattr(payload, "ALWAYS_DECODED", 1000)
    block = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(bytes(1_000_000))
    report = judged(warc(record(block=block, Payload_Digest=sha1(bytes(1_000_000)))))
    assert set(report.counts) == {"warc-payload-digest-untried"}
    assert (report.valid, report.digests_checked) == (True, 0)


@pytest.mark.parametrize("whole", [content.WHOLE, 64])
@pytest.mark.parametrize("coding", ["gzip, chunked", "gzip"])
def test_compression_as_a_transfer_coding_is_no_part_of_the_payload(
    coding: str, whole: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content, "WHOLE", whole)
    body = b"hello world " * 50
    packed = gzip.compress(body)
    sent = b"%x\r\n%s\r\n0\r\n\r\n" % (len(packed), packed) if "chunked" in coding else packed
    block = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: %s\r\n\r\n%s" % (coding.encode(), sent)
    assert codes(warc(record(block=block, Payload_Digest=sha1(body)))) == set()
    for taken, words in ((packed, "the transfer coding gzip"), (sent, "transfer coding")):
        report = judged(warc(record(block=block, Payload_Digest=sha1(taken))))
        assert set(report.counts) == {"warc-payload-digest-chunked"}
        assert words in report.problems[0].message
    assert codes(warc(record(block=block, Payload_Digest=sha1(b"?")))) == {"warc-payload-digest"}

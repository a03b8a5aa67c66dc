"""What a recorder leaves in its files."""

import hashlib
from base64 import b32encode
from datetime import timedelta
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from armarium.core.clock import now
from armarium.formats.validation import Options, validate
from armarium.formats.warc.new_record import Truncation
from armarium.formats.warc.reader import ArchiveReader
from armarium.harvest.fetch.exchange import DnsAnswer, TlsFacts
from armarium.harvest.record import CaptureFacts
from tests.unit.harvest.record.exchanges import REQUEST, STARTED, URL, chunked, exchange, message
from tests.unit.harvest.record.recording import LINKED, recorder, records


def sha1(data: bytes) -> str:
    return "sha1:" + b32encode(hashlib.sha1(data).digest()).decode()


def test_a_capture_is_response_request_and_metadata_that_name_each_other(tmp_path: Path) -> None:
    writing = recorder(tmp_path)
    received = message(b"<p>Hello")
    recorded = writing.record(exchange(tmp_path, received), item_facts=LINKED)
    writing.close()
    (_, info), (response, block), (request, asked), (metadata, facts) = records(tmp_path)
    assert b"operator: A Library\r\n" in info
    assert b"robots: classic\r\n" in info
    assert block == received
    assert asked == REQUEST
    assert request.concurrent_to == metadata.concurrent_to == [response.record_id]
    assert response.ip_address == "192.0.2.7"
    assert response.date == STARTED
    assert str(response.payload_digest) == recorded.payload_digest == sha1(b"<p>Hello")
    assert recorded.content_size == 8
    assert recorded.length == len(received)
    assert recorded.offset == response.offset
    assert facts.decode() == (
        "via: http://example.org/\r\nhopsFromSeed: LE\r\nsourceTag: http://example.org/\r\n"
        "fetchTimeMs: 12\r\ncharsetForLinkExtraction: utf-8\r\n"
        "outlink: http://example.org/a L a/@href\r\noutlink: http://example.org/b.png E img/@src\r\n"
    )


def test_the_file_is_named_as_it_will_be_called_once_sealed(tmp_path: Path) -> None:
    writing = recorder(tmp_path)
    recorded = writing.record(exchange(tmp_path, message(b"x")), item_facts=LINKED)
    assert [path.name for path in tmp_path.glob("*.open")] == [recorded.filename + ".open"]
    writing.close()
    assert [path.name for path in tmp_path.glob("*.warc.gz")] == [recorded.filename]


def test_a_chunked_response_is_kept_with_its_framing_and_digested_without(tmp_path: Path) -> None:
    writing = recorder(tmp_path)
    received = chunked(b"Hello ", b"world")
    recorded = writing.record(exchange(tmp_path, received), item_facts=LINKED)
    writing.close()
    assert records(tmp_path)[1][1] == received
    assert recorded.payload_digest == sha1(b"Hello world")
    assert recorded.content_size == 11


def test_a_response_too_large_for_memory_is_recorded_byte_for_byte(tmp_path: Path) -> None:
    writing = recorder(tmp_path)
    received = message(bytes(range(256)) * 12_000)
    capture = exchange(tmp_path, received)
    assert capture.response.data is None
    recorded = writing.record(capture, item_facts=LINKED)
    writing.close()
    assert records(tmp_path)[1][1] == received
    assert recorded.payload_digest == sha1(bytes(range(256)) * 12_000)


def test_what_was_cut_off_says_so(tmp_path: Path) -> None:
    writing = recorder(tmp_path)
    capture = exchange(tmp_path, message(b"half"), truncated=Truncation.TIME)
    writing.record(capture, item_facts=LINKED)
    writing.close()
    assert records(tmp_path)[1][0].truncated == "time"


def test_tls_is_told_by_protocol_and_the_registered_name_of_the_cipher(tmp_path: Path) -> None:
    writing = recorder(tmp_path)
    tls = TlsFacts("TLSv1.2", "ECDHE-RSA-AES128-GCM-SHA256", verified=True)
    writing.record(exchange(tmp_path, message(b"x"), tls=tls), item_facts=LINKED)
    writing.close()
    fields = records(tmp_path)[1][0].fields
    assert fields.get_all("WARC-Protocol") == ["http/1.1", "tls/1.2"]
    assert fields.get("WARC-Cipher-Suite") == "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"


def test_an_answer_of_a_name_server_is_a_response_of_type_text_dns(tmp_path: Path) -> None:
    writing = recorder(tmp_path)
    text = b"20261115073001\nexample.org.\t60\tIN\tA\t192.0.2.7\n"
    writing.record_names(DnsAnswer("example.org", "[2001:db8::53]:53", STARTED, 0.1, text))
    writing.close()
    record, block = records(tmp_path)[1]
    assert (record.record_type, record.target_uri, record.content_type) == (
        "response",
        "dns:example.org",
        "text/dns",
    )
    assert record.ip_address == "2001:db8::53"
    assert block == text


def test_a_rotation_never_parts_a_group(tmp_path: Path) -> None:
    writing = recorder(tmp_path, max_file_bytes=1500)
    for number in range(6):
        capture = exchange(tmp_path, message(b"%d" % number), url=f"http://example.org/{number}")
        writing.record(capture, item_facts=LINKED)
    writing.close()
    files = sorted(tmp_path.glob("*.warc.gz"))
    assert len(files) > 2
    for path in files:
        with path.open("rb") as file:
            kinds = [record.record_type for record in ArchiveReader(file)]
        assert kinds[0] == "warcinfo"
        assert kinds[1:] == ["response", "request", "metadata"] * (len(kinds) // 3)


def test_positions_tell_how_far_every_file_is_written(tmp_path: Path) -> None:
    writing = recorder(tmp_path, max_file_bytes=1500)
    for number in range(6):
        writing.record(exchange(tmp_path, message(b"%d" % number)), item_facts=LINKED)
    writing.flush()
    files = (path for path in tmp_path.glob("*.warc.gz*") if path.suffix != ".cdxj")
    sizes = {path.name.removesuffix(".open"): path.stat().st_size for path in files}
    assert writing.positions() == sizes
    writing.close()
    again = recorder(tmp_path)
    assert again.positions() == sizes
    assert again.written_bytes == sum(sizes.values())


def test_without_metadata_there_is_none(tmp_path: Path) -> None:
    writing = recorder(tmp_path, metadata=False)
    writing.record(exchange(tmp_path, message(b"x")), item_facts=LINKED)
    writing.close()
    assert [record.record_type for record, _ in records(tmp_path)] == ["warcinfo", "response", "request"]


def test_a_link_that_would_break_a_line_is_escaped(tmp_path: Path) -> None:
    writing = recorder(tmp_path)
    facts = LINKED._replace(outlinks=[("http://a/\r\nseed: x", "L", "a/\n@href")])
    writing.record(exchange(tmp_path, message(b"x")), item_facts=facts)
    writing.close()
    assert records(tmp_path)[3][1].endswith(b"outlink: http://a/%0D%0Aseed:%20x L a/ @href\r\n")


@pytest.mark.parametrize("digest", ["sha1", "sha256", "blake3"])
def test_validators_find_no_errors_and_no_warnings(tmp_path: Path, digest: str) -> None:
    writing = recorder(tmp_path, duplicates="digest", digest=digest)
    past = STARTED - timedelta(days=300)
    for number, received in enumerate(
        (message(b"a"), message(b"a"), message(bytes(2_000_000)), chunked(b"b"))
    ):
        capture = exchange(tmp_path, received, url=f"http://example.org/{number}", started=past)
        writing.record(capture, item_facts=LINKED if number else CaptureFacts(seed=True))
    writing.record_names(DnsAnswer("example.org", "192.0.2.53", past, 0.1, b"20260101000000\n"))
    writing.close()
    (path,) = tmp_path.glob("*.warc.gz")
    with path.open("rb") as file:
        report = validate(file, name=path.name, options=Options(now=now()))
    assert (report.errors, report.warnings) == (0, 0), report.problems
    with path.open("rb") as file:
        for record in ArchiveIterator(file, check_digests=digest != "blake3"):
            record.content_stream().read()
            # warcio digests a chunked body with its chunk sizes; the standard means the entity without them.
            if not record.rec_headers.get_header("WARC-Target-URI", "").endswith("/3"):
                assert record.digest_checker.passed is not False, record.digest_checker.problems


@pytest.mark.parametrize("times", [1, 60_000, 300_000])
def test_what_is_no_http_is_recorded_all_the_same(tmp_path: Path, times: int) -> None:
    writing = recorder(tmp_path)
    received = b"<p>who needs a head" * times
    recorded = writing.record(exchange(tmp_path, received), item_facts=LINKED)
    writing.close()
    assert records(tmp_path)[1][1] == received
    assert recorded.length == 19 * times


def test_an_address_with_a_line_end_leaves_nothing_behind(tmp_path: Path) -> None:
    writing = recorder(tmp_path)
    with pytest.raises(ValueError, match="line end"):
        writing.record(exchange(tmp_path, message(b"x"), url=URL + "\r\nX: y"), item_facts=LINKED)
    writing.record(exchange(tmp_path, message(b"x")), item_facts=LINKED)
    writing.close()
    assert len(records(tmp_path)) == 4


def test_a_compressed_body_in_chunks_is_kept_as_received(tmp_path: Path) -> None:
    packed = hashlib.shake_128(b"as good as compressed").digest(3000)
    received = chunked(packed[:1000], packed[1000:]).replace(
        b"\r\n\r\n", b"\r\nContent-Encoding: gzip\r\n\r\n", 1
    )
    writing = recorder(tmp_path)
    recorded = writing.record(exchange(tmp_path, received), item_facts=LINKED)
    writing.close()
    assert records(tmp_path)[1][1] == received
    assert recorded.payload_digest == sha1(packed)
    assert recorded.content_size == 3000
    assert recorded.record_length > len(received) - 100  # stored, not deflated once more


def test_a_body_whose_chunks_break_off_has_the_digest_of_what_came(tmp_path: Path) -> None:
    received = chunked(b"Hello", b"there")[:-9]
    writing = recorder(tmp_path)
    recorded = writing.record(exchange(tmp_path, received), item_facts=LINKED)
    writing.close()
    assert records(tmp_path)[1][1] == received
    assert recorded.payload_digest == sha1(b"Hellother"[: recorded.content_size])
    assert recorded.content_size > len(b"Hello")

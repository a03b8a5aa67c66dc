"""Other people's files: the records, types, offsets and lengths that other readers find.

Where readers disagree, or stop early, the table below says what we answer and why; so does
docs/reference/deviations.md.
"""

import hashlib
import json
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from fastwarc.warc import ArchiveIterator as FastIterator
from warcio.archiveiterator import ArchiveIterator as WarcioIterator
from warcio.exceptions import ArchiveLoadFailed

from armarium.formats.arc import ArcRecord, ArcVersionBlock
from armarium.formats.gzip.members import Members
from armarium.formats.source import Source
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import Record

CORPORA = Path(__file__).parents[2].parent / "shared" / "corpora"

WHOLE_FILE = "one gzip member holds all records: others stop after the first"
LOOKED_BACK = "a length runs over the next record, which is found again"
LOOKED_ON = "a length is too small or none: the next record is found behind it"
LENIENT = "the header is readable though its version or a field is not as it should be"
ARC_COUNTING = "the length of the version block is counted in another way"
NO_URL = "a line without a URL and an address is no record"
FOREIGN = "no standard allows this compression"

# Files on whose records the others do not agree, or on which we do not agree with them.
OURS: dict[str, tuple[int, str]] = {
    "arc/aut/badexample.arc.gz": (6, WHOLE_FILE),
    "arc/jhove2-invalid/invalid-arcrecord-3.arc": (2, NO_URL),
    "arc/jwat/test-arc-1.0-invalid-fields.arc": (2, NO_URL),
    "arc/netarchivesuite/2-metadata-1.arc": (2, "lines of a CDX inside a record are not records"),
    "arc/netarchivesuite/30-metadata-4.arc": (30, ARC_COUNTING),
    "arc/netarchivesuite/42-117-20051212141240-00000-sb-test-har-001.statsbiblioteket.dk.arc": (
        6,
        LOOKED_BACK,
    ),
    "arc/netarchivesuite/GetTest.ARC": (4, LOOKED_BACK),
    "arc/netarchivesuite/Upload3.ARC": (6, LOOKED_ON),
    "arc/netarchivesuite/filedir__integrity1.ARC": (4, LOOKED_BACK),
    "arc/netarchivesuite/get1.ARC": (4, LOOKED_BACK),
    "arc/netarchivesuite/integrity1.ARC": (4, LOOKED_BACK),
    "arc/netarchivesuite/integrity2.ARC": (5, LOOKED_BACK),
    "arc/netarchivesuite/originals__2-metadata-1.arc": (19, ARC_COUNTING),
    "arc/netarchivesuite/originals__test1.arc": (2, ARC_COUNTING),
    "arc/netarchivesuite/originals__test3.arc": (2, ARC_COUNTING),
    "arc/warcio/bad.arc": (4, NO_URL),
    "arc/warcio/example-space-in-url.arc": (2, "a URL with a space is one URL; JWAT takes text for headers"),
    "arc/webcurator/WCT-20070813080023-00003-skynet.arc": (4, LOOKED_BACK),
    "warc-bad/gowarc/corrupted-mid-record.warc.gz.open": (12, WHOLE_FILE),
    "warc-bad/gowarc/corrupted-trailing-bytes.warc.gz.open": (30, WHOLE_FILE),
    "warc-bad/gowarc/good.warc.gz.open": (50, WHOLE_FILE),
    "warc-bad/gowarcserver/example-trunc.warc": (4, LOOKED_ON),
    "warc-bad/jhove2/invalid-warcrecord-1.warc": (6, LENIENT),
    "warc-bad/slyrz/test.warc.gz": (10, WHOLE_FILE),
    "warc-bad/toimik/incorrect_content_length.warc": (4, LOOKED_BACK),
    "warc-bad/toimik/malformed_header.warc": (19, LENIENT),
    "warc-bad/warcio/example-bad.warc.gz.bad": (6, WHOLE_FILE),
    "warc-bad/warcio/example-wrong-chunks.warc.gz": (2, "empty lines before a record are passed over"),
    "warc/resiliparse/block-sized-records.warc.lz4": (0, FOREIGN),
}


# warcio passes over a version block and the record behind it where their lengths are counted in
# another way, and
# takes a line inside that record for the next.
NOT_FOR_WARCIO = {"arc/netarchivesuite/3-metadata-2.arc", "arc/netarchivesuite/4-metadata-1.arc"}
# FastWARC takes a header whose lines end in LF for one long line, and the block for empty.
NOT_FOR_FASTWARC = {"warc-bad/solrwayback/Evil-Warc-Headers.warc"}

# A member found behind a damaged one counts too: nothing that can be read is to be lost.
OUR_MEMBERS = {"gzip/double-single-inflate-error.gz": 2}


def _expected() -> dict[str, dict[str, Any]]:
    if not CORPORA.is_dir():
        return {}
    files = json.loads((CORPORA / "EXPECTED.json").read_text())["files"]
    return {path: said for path, said in files.items() if (CORPORA / path).is_file()}


EXPECTED = _expected()
ARCHIVES = sorted(
    path
    for path, said in EXPECTED.items()
    if path.split("/")[0] in ("warc", "warc-bad", "arc")
    and ("consensus_records" in said or "record_counts" in said)
)
AGREED = [path for path in ARCHIVES if path not in OURS and EXPECTED[path].get("consensus_records")]
# Both libraries read these to the end: what they say of offsets and lengths is said of the whole file.
GOOD_FOR_WARCIO = [
    path
    for path in AGREED
    if path not in NOT_FOR_WARCIO
    and "error" not in EXPECTED[path].get("warcio", {"error": ""})
    and EXPECTED[path]["warcio"]["records"] == EXPECTED[path]["consensus_records"]
]
GOOD_FOR_FASTWARC = [
    path
    for path in AGREED
    if path not in NOT_FOR_FASTWARC
    and "error" not in EXPECTED[path].get("fastwarc", {"error": ""})
    and EXPECTED[path]["fastwarc"]["records"] == EXPECTED[path]["consensus_records"]
]


def read(path: Path) -> list[Record]:
    with path.open("rb") as file:
        records = []
        for record in ArchiveReader(file):
            record.finish()
            records.append(record)
        return records


@pytest.mark.parametrize("path", ARCHIVES)
def test_the_records_are_those_that_readers_agree_on(corpora: Path, path: str) -> None:
    said = EXPECTED[path].get("consensus_records")
    expected = OURS[path][0] if path in OURS else said
    assert len(read(corpora / path)) == expected


@pytest.mark.parametrize("path", [path for path in AGREED if "offsets" in EXPECTED[path].get("jwat", {})])
def test_offsets_are_those_of_jwat(corpora: Path, path: str) -> None:
    offsets = EXPECTED[path]["jwat"]["offsets"]
    ours = [record.offset for record in read(corpora / path)]
    if len(offsets) == len(ours) and not EXPECTED[path]["jwat"].get("gzip"):
        assert ours == offsets


@pytest.mark.parametrize("path", GOOD_FOR_WARCIO)
def test_types_offsets_lengths_and_blocks_are_those_of_warcio(corpora: Path, path: str) -> None:
    with (corpora / path).open("rb") as theirs, (corpora / path).open("rb") as ours:
        try:
            expected = _by_warcio(theirs)
        except ArchiveLoadFailed as failure:
            pytest.fail(f"warcio is said to read this: {failure}")
        data = (corpora / path).read_bytes()
        for record, (kind, offset, length, digest) in zip(ArchiveReader(ours), expected, strict=True):
            block = hashlib.sha1(record.block.read()).hexdigest()
            assert (_warcio_type(record), record.offset) == (kind.strip(), offset)
            record.finish()
            if record.problems:
                continue  # where the header lies, each reader has its own end of the block
            # warcio takes the first lines of a version block for a part of the header.
            assert block == digest or kind == "arc_header"
            # In plain files warcio leaves out the line ends behind a block, which belong to the record.
            assert data[offset + length : offset + record.length].strip(b"\r\n") == b""
            assert record.length >= length


def _by_warcio(file: BinaryIO) -> list[tuple[str, int, int, str]]:
    found = []
    iterator = WarcioIterator(file, no_record_parse=True, arc2warc=False)
    for record in iterator:
        digest = hashlib.sha1(record.raw_stream.read()).hexdigest()
        iterator.read_to_end(record)
        found.append(
            (record.rec_type or "", iterator.get_record_offset(), iterator.get_record_length(), digest)
        )
    return found


def _warcio_type(record: Record) -> str:
    if isinstance(record, ArcVersionBlock):
        return "arc_header"
    return "response" if isinstance(record, ArcRecord) else record.fields.get("WARC-Type") or ""


@pytest.mark.parametrize("path", GOOD_FOR_FASTWARC)
def test_types_offsets_and_blocks_are_those_of_fastwarc(corpora: Path, path: str) -> None:
    with (corpora / path).open("rb") as theirs, (corpora / path).open("rb") as ours:
        expected = [
            (record.stream_pos, hashlib.sha1(record.reader.read()).hexdigest())
            for record in FastIterator(theirs, parse_http=False, strict_mode=False)
        ]
        found = [
            (record.offset, hashlib.sha1(record.block.read()).hexdigest()) for record in ArchiveReader(ours)
        ]
    assert found == expected


@pytest.mark.parametrize("path", sorted(path for path in EXPECTED if path.startswith("gzip/")))
def test_gzip_members_are_those_that_readers_agree_on(corpora: Path, path: str) -> None:
    with (corpora / path).open("rb") as file:
        members = Members(Source(file))
        count = 0
        while (member := members.next()) is not None:
            while member.read():
                pass
            count += 1
    assert count == OUR_MEMBERS.get(path, EXPECTED[path]["consensus_records"])


@pytest.mark.parametrize("path", ARCHIVES)
def test_every_record_is_found_again_by_its_offset(corpora: Path, path: str) -> None:
    for record in read(corpora / path)[:30]:
        if record.inner_offset or not record.length:
            continue
        with (corpora / path).open("rb") as file:
            again = next(iter(ArchiveReader(file, offset=record.offset)))
        assert (again.offset, again.fields.raw) == (record.offset, record.fields.raw)

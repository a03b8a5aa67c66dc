"""WACZ packages are read where they lie, compared with what they say, and can do no harm."""

import io
import struct
import zipfile
from pathlib import Path

import pytest

from armarium.formats.wacz import package as module
from armarium.formats.wacz.package import BadPackage, Package
from armarium.formats.warc.reader import ArchiveReader
from tests.unit.formats.wacz.samples import FILES, WARC, wacz

CORPORA = Path(__file__).parents[5] / "shared" / "corpora" / "wacz"


def archives(data: bytes) -> dict[str, bytes]:
    found = Package(io.BytesIO(data)).all_archives()
    return {path: package.open(entry).read() for path, package, entry in found}


@pytest.mark.parametrize("packed", [False, True])
def test_what_is_in_a_package_is_read_and_agrees_with_its_list(packed: bool) -> None:
    package = Package(io.BytesIO(wacz(packed=packed)))
    assert archives(wacz(packed=packed)) == {"archive/data.warc": WARC}
    assert list(package.faults()) == []
    assert package.facts["title"] == "Two pages"


def test_a_stored_warc_is_read_from_anywhere() -> None:
    package = Package(io.BytesIO(b"something before " + wacz()))
    [(_, _, entry)] = package.all_archives()
    offset = [record.offset for record in ArchiveReader(package.open(entry))][1]
    [again] = ArchiveReader(package.open(entry), offset=offset)
    assert again.target_uri == "http://example.org/two"


def test_packages_in_a_package_are_read_as_one_and_no_deeper() -> None:
    two = wacz({"a.wacz": wacz(), "b.wacz": wacz()})
    assert archives(two) == {"a.wacz/archive/data.warc": WARC, "b.wacz/archive/data.warc": WARC}
    [_, (_, inner, entry)] = Package(io.BytesIO(two)).all_archives()
    assert two[inner.place(entry) :].startswith(WARC)
    with pytest.raises(BadPackage, match="too deep"):
        archives(wacz({"c.wacz": two}))


@pytest.mark.parametrize(
    ("files", "listed", "told"),
    [
        (FILES, {**FILES, "archive/data.warc": WARC[:-1] + b"x"}, "another SHA256 digest"),
        (FILES, {**FILES, "archive/data.warc": WARC + b"x"}, "says"),
        (FILES, {**FILES, "archive/gone.warc": b""}, "archive/gone.warc is missing"),
        ({**FILES, "archive/more.warc": WARC}, FILES, "archive/more.warc is not named"),
    ],
)
def test_what_is_not_as_the_list_says_is_told(
    files: dict[str, bytes], listed: dict[str, bytes], told: str
) -> None:
    [fault] = Package(io.BytesIO(wacz(files, listed=listed))).faults()
    assert told in str(fault)


def test_a_file_that_is_named_again_and_again_is_told_once_and_read_once_at_most() -> None:
    package = Package(io.BytesIO(wacz()))
    package.facts["resources"].extend(package.facts["resources"] * 200_000)
    assert [str(fault) for fault in package.faults()] == [
        "archive/data.warc is named in datapackage.json more than once.",
        "pages/pages.jsonl is named in datapackage.json more than once.",
    ]


def test_a_list_that_was_changed_is_told() -> None:
    changed = wacz().replace(b"Two pages", b"Six pages")  # the ZIP's own check sum is not looked at
    [fault] = Package(io.BytesIO(changed)).faults()
    assert "datapackage.json has another SHA256 digest" in str(fault)


def zipped(*entries: tuple[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        for path, content in entries:
            archive.writestr(zipfile.ZipInfo(path), content, method)
    return target.getvalue()


def twice() -> bytes:
    """One name for two files: `zipfile` itself would only warn of it."""
    return zipped(("archive/a.warc", WARC), ("archive/b.warc", b"")).replace(b"b.warc", b"a.warc")


def overlapping() -> bytes:
    """Two entries of the directory that lead to the same bytes."""
    data = bytearray(zipped(("archive/a.warc", WARC), ("archive/b.warc", WARC)))
    second = data.rfind(b"PK\x01\x02")
    data[second + 42 : second + 46] = struct.pack("<I", 10)
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"PK\x03\x04 and nothing else", "no ZIP file"),
        (wacz()[:-30], "no ZIP file"),
        (zipped(("readme.txt", b"x")), "no WACZ"),
        (zipped(("archive/../../etc/a.warc", WARC)), "leads out"),
        (zipped(("/archive/a.warc", WARC)), "leads out"),
        (zipped(("C:\\a.warc", WARC)), "leads out"),
        (twice(), "twice"),
        (zipped(("archive/a.warc", WARC), method=zipfile.ZIP_BZIP2), "compressed in a way"),
        (zipped(("archive/a.warc", bytes(20 << 20)), method=zipfile.ZIP_DEFLATED), "too much to be true"),
        (overlapping(), "bytes of another"),
    ],
)
def test_what_no_honest_writer_makes_is_refused_with_a_reason(data: bytes, told: str) -> None:
    with pytest.raises(BadPackage, match=told):
        Package(io.BytesIO(data))


def test_a_directory_that_would_fill_the_memory_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_DIRECTORY", 100)
    with pytest.raises(BadPackage, match="too large"):
        Package(io.BytesIO(wacz()))


def test_a_package_that_is_damaged_anywhere_fails_only_with_a_sentence() -> None:
    good = wacz(packed=True)
    for place in range(len(good)):
        bad = bytearray(good)
        bad[place] ^= 0xFF
        try:
            package = Package(io.BytesIO(bytes(bad)))
            list(package.faults())
            archives(bytes(bad))
        except (BadPackage, OSError):
            continue


@pytest.mark.skipif(not CORPORA.is_dir(), reason="the corpora are not beside this checkout")
def test_packages_of_others_are_whole_and_their_records_are_read() -> None:
    for path in sorted(CORPORA.glob("*.wacz")):
        with path.open("rb") as file:
            package = Package(file)
            assert [fault for _, part in package.packages() for fault in part.faults()] == []
            for _, part, entry in package.all_archives():
                kinds = {record.record_type for record in ArchiveReader(part.open(entry))}
                assert {"warcinfo", "response"} <= kinds

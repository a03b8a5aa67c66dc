"""What we write as WACZ is what we read as one, the same each time, also into a pipe."""

import io
import zipfile
from datetime import UTC, datetime

from armarium.formats.wacz.package import Package
from armarium.formats.wacz.writing import PackageWriter
from tests.unit.formats.wacz.samples import PAGES, WARC


class Pipe(io.BytesIO):
    """Takes bytes and never goes back."""

    def seekable(self) -> bool:
        return False

    def seek(self, offset: int, whence: int = 0) -> int:
        raise io.UnsupportedOperation

    def tell(self) -> int:
        raise io.UnsupportedOperation


def written(sink: io.BytesIO) -> bytes:
    writer = PackageWriter(sink)
    writer.add("archive/data.warc", (WARC[at : at + 100] for at in range(0, len(WARC), 100)))
    writer.add("pages/pages.jsonl", [PAGES], packed=True)
    writer.close(created=datetime(2026, 1, 2, tzinfo=UTC), software="armarium/1", title="Blåbær")
    return sink.getvalue()


def test_a_package_is_what_its_list_says_and_the_same_each_time() -> None:
    data = written(io.BytesIO())
    package = Package(io.BytesIO(data))
    assert list(package.faults()) == []
    assert [entry.path for entry in package.entries] == [
        "archive/data.warc",
        "pages/pages.jsonl",
        "datapackage.json",
        "datapackage-digest.json",
    ]
    assert (package.facts["title"], package.facts["wacz_version"]) == ("Blåbær", "1.1.1")
    [(_, _, entry)] = package.all_archives()
    assert entry.is_stored
    assert package.open(entry).read() == WARC
    assert written(io.BytesIO()) == data


def test_a_package_goes_through_a_pipe() -> None:
    data = written(Pipe())
    assert list(Package(io.BytesIO(data)).faults()) == []
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None

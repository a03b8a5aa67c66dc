"""Records as files, and the list of collections."""

import gzip
import json
from pathlib import Path

import pytest

from armarium.access import downloads as download_module
from armarium.access.cdxserver.pywb import collinfo
from armarium.access.downloads import download
from armarium.access.settings import AccessSettings
from armarium.access.view import Restricted
from armarium.core.errors import Forbidden, NotFound, Refused
from tests.unit.access.cdxserver.shelf import Asking, Rules, line, site_of, whole

READING = AccessSettings(port=8090).reading
RECORD = b"WARC/1.0\r\nWARC-Type: response\r\n\r\n"
DATA = gzip.compress(RECORD)
PAGES = [
    line("http://a.example/", "20010101000000", length=len(DATA)),
    line("http://a.example/", "20030101000000", offset=1, length=len(DATA)),
]


def taking(folder: Path, rules: Rules | None = None) -> Asking:
    site = site_of(folder, PAGES, rules, DATA)
    return Asking(site, download, path="record/20010101000000/http://a.example/")


def test_a_record_comes_as_it_stands_in_the_file(tmp_path: Path) -> None:
    response = taking(tmp_path)()
    assert gzip.decompress(whole(response)) == RECORD
    assert response.headers["content-type"] == "application/gzip"
    assert response.headers["content-disposition"] == (
        'attachment; filename="20010101000000-a.example.warc.gz"'
    )


def test_a_part_can_be_asked_for(tmp_path: Path) -> None:
    ask = taking(tmp_path)
    response = ask(range="bytes=2-5")
    assert (response.status_code, whole(response)) == (206, DATA[2:6])
    assert response.headers["content-range"] == f"bytes 2-5/{len(DATA)}"
    assert ask(range="bytes=9999-").status_code == 416
    assert whole(ask(range="bytes=-3")) == DATA[-3:]


def test_its_length_can_be_asked_for_without_reading_it(tmp_path: Path) -> None:
    response = taking(tmp_path)(method="HEAD")
    assert response.headers["content-length"] == str(len(DATA))
    assert response.headers["accept-ranges"] == "bytes"


def test_about_that_time_leads_to_the_nearest(tmp_path: Path) -> None:
    ask = taking(tmp_path)
    for about in ("2000", "20020101"):
        response = ask.at(f"record/{about}/http://a.example/")()
        assert response.status_code == 302
        assert response.headers["location"] == (f"{READING}/all/record/20010101000000/http://a.example/")
    newest = ask.at("record/http://a.example/")()
    assert "/20030101000000/" in newest.headers["location"]


def test_what_may_not_be_taken_away_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Forbidden):
        taking(tmp_path, Rules(no_downloads=True))()


@pytest.mark.parametrize(
    ("rules", "error"),
    [(Rules(restricted=("example,a",)), Restricted), (Rules(hidden=("example,a",)), NotFound)],
)
def test_what_may_not_be_seen_is_refused(tmp_path: Path, rules: Rules, error: type[Exception]) -> None:
    for method in ("GET", "HEAD"):
        folder = tmp_path / method
        folder.mkdir()
        with pytest.raises(error):
            taking(folder, rules)(method=method, range="bytes=0-1")


def test_a_restricted_moment_is_not_answered_with_another(tmp_path: Path) -> None:
    with pytest.raises(Restricted):
        taking(tmp_path, Rules(restricted=("example,a",), until="2002"))()


def test_an_unknown_address_is_not_found(tmp_path: Path) -> None:
    ask = taking(tmp_path)
    for path in ("record/2001/http://b.example/", "record/", "record/*/http://a.example/"):
        with pytest.raises(NotFound):
            ask.at(path)()


def test_a_huge_record_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download_module, "MOST_BYTES", 10)
    with pytest.raises(Refused):
        taking(tmp_path)()


def test_collections_are_listed_with_their_doors(tmp_path: Path) -> None:
    response = Asking(site_of(tmp_path, PAGES), collinfo)()
    assert json.loads(bytes(response.body))[1] == {
        "id": "news",
        "name": "The news",
        "timegate": f"{READING}/news/",
        "timemap": f"{READING}/news/timemap/*/",
        "cdx-api": f"{READING}/news/cdx",
    }

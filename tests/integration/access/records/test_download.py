"""A record that was downloaded is a WARC file that others can read."""

import io
import random
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from warcio.archiveiterator import ArchiveIterator

from armarium.access import downloads as download_module
from armarium.access.requests.threads import WorkLimit
from tests.integration.access.cdxserver.serving import HOME, Served, served
from tests.integration.access.world import Page
from tests.site import trusted
from tests.unit.access.cdxserver.shelf import Rules


@pytest.fixture(scope="module")
def news(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("news")) as running:
        yield running


def test_a_record_is_a_file_of_its_own(news: Served) -> None:
    response = httpx.get(f"{news.reading}/all/record/20020101000000/{HOME}", verify=trusted())
    found = []
    for record in ArchiveIterator(io.BytesIO(response.content), check_digests=True):
        found.append((record.rec_headers["WARC-Target-URI"], record.content_stream().read()))
        assert record.digest_checker.passed is not False
    assert found == [(HOME, b"<p>the second</p>")]
    assert response.headers["content-disposition"].startswith("attachment")


def test_it_can_be_fetched_in_parts(news: Served) -> None:
    address = f"{news.reading}/all/record/20020101000000/{HOME}"
    whole = httpx.get(address, verify=trusted()).content
    assert int(httpx.head(address).headers["content-length"]) == len(whole)
    parts = [
        httpx.get(address, headers={"Range": f"bytes={start}-{start + 99}"}, verify=trusted()).content
        for start in range(0, len(whole), 100)
    ]
    assert b"".join(parts) == whole


@pytest.mark.parametrize(
    ("rules", "status"),
    [
        (Rules(hidden=("example,news)/",)), 404),
        (Rules(restricted=("example,news)/",)), 451),
        (Rules(no_downloads=True), 403),
    ],
)
def test_what_the_rules_deny_is_not_given_out(
    tmp_path_factory: pytest.TempPathFactory, rules: Rules, status: int
) -> None:
    with served(tmp_path_factory.mktemp("denied"), policy=rules) as running:
        for spelling in (HOME, "HTTP://WWW.NEWS.EXAMPLE:80/", "https://news.example/%2e/", "news.example"):
            for headers in ({}, {"Range": "bytes=0-10"}):
                response = httpx.get(
                    f"{running.reading}/all/record/20020101000000/{spelling}",
                    headers=headers,
                    verify=trusted(),
                )
                assert response.status_code == status, spelling
                assert b"WARC" not in response.content
                assert b"\x1f\x8b" not in response.content


def test_a_large_record_is_not_kept_in_memory(tmp_path: Path) -> None:
    noise = random.Random(1).randbytes(24 << 20)
    pages = [Page(HOME, noise, "20020101000000", "application/octet-stream")]
    with served(tmp_path, pages) as running:
        del pages
        tracemalloc.start()
        address = f"{running.reading}/all/record/20020101000000/{HOME}"
        with httpx.stream("GET", address, verify=trusted()) as response:
            length = sum(map(len, response.iter_raw(1 << 16)))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert length == int(response.headers["content-length"]) > len(noise)
    assert peak < 12 << 20


def test_few_large_records_are_verified_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download_module, "SHORT", 10)
    monkeypatch.setattr(WorkLimit.__init__, "__defaults__", (0,))
    with served(tmp_path) as running:
        address = f"{running.reading}/all/record/20020101000000/{HOME}"
        response = httpx.get(address, verify=trusted())
        assert httpx.head(address).status_code == 200
    assert response.status_code == 503
    assert response.headers["retry-after"] == "5"

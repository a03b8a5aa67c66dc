"""Programs of others ask our CDX server and Memento, and find what they would find in their own index."""

import importlib
import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from armarium.access.cdxserver.pywb import pywb_cdx
from armarium.access.requests.site import Site
from armarium.formats.cdx import CdxLine, parse_lines
from tests.integration.access.cdxserver.serving import HOME, Served, served, served_site
from tests.integration.access.world import Page, world_of
from tests.unit.access.cdxserver.shelf import Asking, site_of

pytestmark = pytest.mark.filterwarnings("ignore")
SAMPLES = ("iana.cdxj", "dupes.cdxj", "example.cdxj")
QUERIES = (
    "url=iana.org",
    "url=http://www.iana.org/_css/2013.1/screen.css",
    "url=iana.org/*",
    "url=iana.org/_css/&matchType=prefix&limit=7",
    "url=iana.org&matchType=host",
    "url=*.iana.org",
    "url=iana.org&matchType=domain&filter==mime:text/css",
    "url=iana.org/*&filter=!=status:200",
    "url=iana.org/*&filter=mime:image&filter=!mime:png",
    "url=iana.org/*&filter=~url:.*[.]js$",
    "url=iana.org/*&filter=!~mime:text/.*",
    "url=iana.org/*&from=20140126200718&to=20140126200800",
    "url=iana.org&from=2014&to=2014",
    "url=iana.org&from=2015",
    "url=iana.org&sort=reverse",
    "url=iana.org/*&sort=reverse&limit=3",
    "url=http://iana.org/_css/2013.1/fonts/Inconsolata.otf&closest=20140126200826",
    "url=http://iana.org/_css/2013.1/fonts/opensans-bold.ttf&closest=20140126200654&limit=3",
    "url=iana.org/*&collapseTime=12",
    "url=iana.org/*&collapseTime=4",
    "url=http://iana.org/_css/2013.1/fonts/Inconsolata.otf&resolveRevisits=true",
    "url=example.com&resolveRevisits=true",
    "url=nowhere.example",
)


def peer(name: str) -> Any:
    """A module of a program that is installed apart; what we have ourselves comes first."""
    folder = str(Path(sys.prefix) / "peers")
    if folder not in sys.path:
        sys.path.append(folder)
    try:
        return importlib.import_module(name)
    except ImportError as error:
        pytest.skip(f"{name} is not installed: ./test does so (tests/peers.txt). {error}")


@pytest.fixture(autouse=True)
def _path_as_it_was() -> Iterator[None]:
    before = list(sys.path)
    yield
    sys.path[:] = before


@pytest.fixture
def lines(corpora: Path) -> list[bytes]:
    found = set()
    for name in SAMPLES:
        with (corpora / "cdx" / "pywb" / name).open("rb") as file:
            found |= {line.to_cdxj() for line in parse_lines(file) if isinstance(line, CdxLine)}
    return sorted(found)


Found = list[tuple[str, ...]]


def told(line: Any) -> tuple[str, ...]:
    names = ("urlkey", "timestamp", "url", "mime", "status", "digest", "offset", "filename", "orig.offset")
    return tuple(str(line.get(name, "-")) for name in names)


def found_by_pywb(index: Path, query: str) -> Found:
    """What pywb's own code makes of its own kind of index."""
    operations = peer("pywb.warcserver.index.cdxops")
    parameters: dict[str, Any] = {"filter": [], "limit": "100000"}
    for name, _, value in (each.partition("=") for each in query.split("&")):
        if name == "filter":
            parameters["filter"].append(value)
        else:
            parameters[name] = value
    asked = peer("pywb.warcserver.index.query").CDXQuery(parameters)
    source = peer("pywb.warcserver.index.indexsource").FileIndexSource(str(index))
    return [told(line) for line in operations.process_cdx(source.load_index(asked.params), asked)]


@pytest.mark.parametrize("query", QUERIES)
def test_an_answer_is_that_of_pywb(lines: list[bytes], tmp_path: Path, query: str) -> None:
    index = tmp_path / "index.cdxj"
    index.write_bytes(b"".join(line + b"\n" for line in lines))
    ask = Asking(site_of(tmp_path, lines), pywb_cdx)
    ours = [told(json.loads(line)) for line in ask.lines(f"{query}&output=json")]
    theirs = found_by_pywb(index, query)
    if "closest" in query:  # which of two captures of one distance comes first is nobody's promise
        assert sorted(ours) == sorted(theirs)
        assert ours[0][1] == theirs[0][1]
    else:
        assert ours == theirs


@pytest.fixture
def sample(lines: list[bytes], tmp_path: Path) -> Iterator[Served]:
    with served_site(lambda port: site_of(tmp_path, lines, port=port)) as running:
        yield running


URLS = (
    "http://iana.org/",
    "http://www.iana.org/_css/2013.1/screen.css",
    "http://iana.org/_css/2013.1/fonts/Inconsolata.otf",
    "http://example.com/?example=1",
)


@pytest.mark.parametrize("path", ["-/outbackcdx/all", "all/cdx", "all/index"])
def test_pywb_takes_our_server_for_its_index(
    sample: Served, lines: list[bytes], tmp_path: Path, path: str
) -> None:
    sources = peer("pywb.warcserver.index.indexsource")
    index = tmp_path / "index.cdxj"
    index.write_bytes(b"".join(line + b"\n" for line in lines))
    template = f"{sample.reading}/{path}?url={{url}}&closest={{closest}}&sort=closest"
    remote = sources.RemoteIndexSource(template, "")
    query_class = peer("pywb.warcserver.index.query").CDXQuery
    for url in URLS:
        asked = query_class({"url": url, "closest": "20140126200654", "matchType": "exact"})
        found = list(remote.load_index(asked.params))
        theirs = list(sources.FileIndexSource(str(index)).load_index(asked.params))
        places = [(one["timestamp"], one["filename"], one["offset"]) for one in found]
        assert sorted(places) == sorted((one["timestamp"], one["filename"], one["offset"]) for one in theirs)
        assert places


def test_pywb_reads_our_xml_as_that_of_openwayback(sample: Served) -> None:
    sources = peer("pywb.warcserver.index.indexsource")
    remote = sources.XmlQueryIndexSource(f"{sample.reading}/-/outbackcdx/all")
    query_class = peer("pywb.warcserver.index.query").CDXQuery
    for url in URLS:
        found = list(remote.load_index(query_class({"url": url, "matchType": "exact"}).params))
        assert found, url
        assert all(one["filename"].endswith(".gz") for one in found)
    below = list(remote.load_index(query_class({"url": "http://iana.org/_css/*"}).params))
    assert len({one["urlkey"] for one in below}) > 3


@pytest.fixture(scope="module")
def news(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("news")) as running:
        yield running


def test_pywb_takes_us_for_an_archive_of_memento(news: Served) -> None:
    sources = peer("pywb.warcserver.index.indexsource")
    remote = sources.MementoIndexSource(
        f"{news.reading}/all/{{url}}",
        f"{news.reading}/all/timemap/link/{{url}}",
        f"{news.content}/all/{{timestamp}}id_/{{url}}",
    )
    query_class = peer("pywb.warcserver.index.query").CDXQuery
    everything = remote.load_index(query_class({"url": HOME, "matchType": "exact"}).params)
    assert [one["timestamp"][:4] for one in everything] == ["2001", "2002", "2003", "2004"]
    nearest = remote.load_index(
        query_class({"url": HOME, "closest": "20020601", "matchType": "exact"}).params
    )
    assert "20020101000000" in [one["timestamp"] for one in nearest]


def test_the_wayback_client_pages_through_our_captures(news: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    wayback = peer("wayback")
    monkeypatch.setattr(peer("wayback._client"), "CDX_SEARCH_URL", f"{news.reading}/cdx/search/cdx")
    with wayback.WaybackClient(wayback.WaybackSession(search_calls_per_second=0)) as client:
        found = list(client.search(HOME, limit=1))
        assert [record.timestamp.year for record in found] == [2001, 2002, 2003, 2004]
        below = list(client.search("news.example", match_type="domain", filter_field="statuscode:404"))
        assert [record.url for record in below] == [HOME + "gone"]
        first = next(islice(client.search(HOME, from_date=datetime(2002, 6, 1, tzinfo=UTC)), 1))
        assert (first.mime_type, first.timestamp.year) == ("text/html", 2003)
        with pytest.raises(wayback.exceptions.WaybackException):
            list(client.search("http://nowhere.example/", filter_field="statuscode:["))


def test_the_memento_client_finds_its_way(tmp_path: Path) -> None:
    """It asks the original first, which has to be on the loopback like everything else."""
    originals: list[str] = []

    def make(port: int) -> Site:
        originals.append(f"http://localhost:{port}/collinfo.json")
        pages = [Page(originals[0], "[]", f"{year}0101000000") for year in (2001, 2002, 2003, 2004)]
        return world_of(tmp_path, pages, port=port).site

    with served_site(make) as running:
        client = peer("memento_client").MementoClient(
            timegate_uri=f"{running.reading}/all/", check_native_timegate=False
        )
        found = client.get_memento_info(originals[0], datetime(2002, 2, 1, tzinfo=UTC))
    assert found["original_uri"] == originals[0]
    mementos = found["mementos"]
    assert mementos["closest"]["uri"] == [f"{running.content}/all/20020101000000mp_/{originals[0]}"]
    assert mementos["first"]["uri"] == [f"{running.content}/all/20010101000000mp_/{originals[0]}"]
    assert mementos["next"]["datetime"].year == 2003
    assert mementos["last"]["datetime"].year == 2004

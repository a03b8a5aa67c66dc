"""What the reports and the log of a whole crawl tell."""

from pathlib import Path

from tests.integration.harvest.crawl.harvesting import harvested, ordered
from tests.integration.harvest.crawl.website import links, page, text, website

PAGES = {
    "/": links("/a", "/gone", "/style.css"),
    "/a": page(b"a"),
    "/style.css": text("a { background: url(/b.png) }").replace(b"text/plain", b"text/css"),
    "/b.png": page(b"b"),
}


def test_the_reports_tell_what_each_part_of_the_crawler_did(tmp_path: Path) -> None:
    with website(PAGES) as site:
        harvested(tmp_path, ordered(site.address))
    processors = (tmp_path / "reports" / "processors-report.txt").read_text()
    threads = (tmp_path / "reports" / "threads-report.txt").read_text()

    assert "Processor: HtmlExtractor\n  3 links from" in processors
    assert "Processor: CssExtractor\n  1 links from 1 CrawlURIs" in processors
    assert "5 CrawlURIs fetched\n  4 answered 2xx\n  1 answered 4xx\n  0 failed" in processors
    assert "5 CrawlURIs accepted" in processors
    assert "Number of toe threads in pool: 1 (0 active)" in threads


def test_the_annotations_can_be_the_last_column_of_the_log(tmp_path: Path) -> None:
    with website(PAGES) as site:
        harvest = harvested(tmp_path, ordered(site.address, recording={"log_places": False}))
    lines = (tmp_path / "logs" / "crawl.log").read_text().splitlines()

    assert {len(line.split()) for line in lines} == {12}
    assert len(harvest.log) == 5

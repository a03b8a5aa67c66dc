"""The summary of a crawl, as the server hears of it."""

from typing import Any

from armarium.collector.result import MOST_OTHERS, end_of
from armarium.core.crawl_order import CrawlOrder

ORDER = CrawlOrder.model_validate(
    {"name": "job-7", "seeds": [{"url": "http://asked.example/", "tag": "asked.example"}]}
)


def summary(domains: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "status": "Finished",
        "counts": {"succeeded": 12},  # with name look-ups and robots.txt
        "bytes": {"received": 3456},
        "domains": domains,
    }


def row(name: str) -> dict[str, Any]:
    return {"domain": name, "objects": 1, "bytes": 2, "reason": "complete", "remaining": 0}


def test_a_finished_crawl_is_done() -> None:
    end = end_of(2, summary([row("asked.example")]), "", ORDER, ["a.warc.gz"])
    assert (end.kind, end.attempt, end.outcome, end.objects, end.bytes) == ("done", 2, "Finished", 1, 2)
    assert end.files == ("a.warc.gz",)


def test_of_foreign_domains_only_the_largest_are_told_and_of_its_own_all() -> None:
    others = [row(f"d{number}.example") for number in range(MOST_OTHERS + 5)]
    end = end_of(1, summary([*others, row("asked.example")]), "", ORDER, [])
    assert len(end.domains) == MOST_OTHERS + 1
    assert end.domains[-1].domain == "asked.example"


def test_a_crawl_without_a_summary_has_failed() -> None:
    end = end_of(1, None, "x" * 5000, ORDER, [])
    assert (end.kind, len(end.error)) == ("failed", 2000)

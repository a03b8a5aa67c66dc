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
        "seconds": 12.5,
        "counts": {"discovered": 262, "queued": 2, "processed": 260, "failed": 3, "disregarded": 0,
                   "duplicate": 4, "not_modified": 1},
        "bytes": {"received": 3456, "duplicate": 900, "written": 1234},
        "statuses": {"200": 255, "404": 2},
        "types": [{"mime": "text/html", "objects": 250, "bytes": 9000}],
        "domains": domains,
        "seeds": [
            {"url": "http://asked.example/", "tag": "asked.example", "status": 200, "verdict": "fine",
             "final_status": 200, "redirect": None},
            {"url": "http://asked.example/old", "tag": "asked.example", "status": 301, "verdict": "moved",
             "final_status": 200, "redirect": "http://other.example/"},
        ],
        "sources": [{"tag": "asked.example", "objects": 4, "bytes": 8, "reason": "max-objects"}],
    }  # fmt: skip


def row(name: str) -> dict[str, Any]:
    return {"domain": name, "objects": 1, "bytes": 2, "reason": "complete", "remaining": 0}


def test_a_finished_crawl_is_done() -> None:
    end = end_of(2, summary([row("asked.example")]), "", ORDER, ["a.warc.gz"])
    assert (end.kind, end.attempt, end.outcome, end.objects, end.bytes) == ("done", 2, "Finished", 1, 2)
    assert end.files == ("a.warc.gz",)


def test_the_end_tells_the_figures_of_the_whole_crawl() -> None:
    told = end_of(1, summary([]), "", ORDER, []).report
    assert (told["seconds"], told["queued"], told["finished"], told["failed"]) == (12.5, 2, 260, 3)
    assert (told["statuses"], told["duplicates"], told["duplicate_bytes"]) == ({"200": 255, "404": 2}, 5, 900)
    assert told["mimes"] == [{"mime": "text/html", "objects": 250, "bytes": 9000}]


def test_the_end_tells_what_came_from_the_seeds_and_which_of_them_are_not_fine() -> None:
    (source,) = end_of(1, summary([row("asked.example")]), "", ORDER, []).sources
    assert (source.source, source.objects, source.bytes, source.reason) == (
        "asked.example",
        4,
        8,
        "max-objects",
    )
    assert [(one.url, one.verdict, one.redirect) for one in source.seeds] == [
        ("http://asked.example/old", "moved", "http://other.example/")
    ]


def test_a_summary_of_an_older_version_ends_the_job_with_what_it_knows() -> None:
    older = summary([row("asked.example")])
    del older["seconds"], older["types"], older["statuses"]
    for seed in older["seeds"]:
        del seed["verdict"], seed["final_status"]
    older["sources"] = [{"tag": "asked.example", "objects": 4, "bytes": 8}]
    end = end_of(1, older, "", ORDER, [])
    assert (end.outcome, end.sources, [one.domain for one in end.domains]) == (
        "Finished",
        (),
        ["asked.example"],
    )
    assert end.report.keys() == {
        "discovered", "queued", "finished", "failed", "disregarded", "written_bytes",
        "duplicates", "duplicate_bytes",
    }  # fmt: skip


def test_of_foreign_domains_only_the_largest_are_told_and_of_its_own_all() -> None:
    others = [row(f"d{number}.example") for number in range(MOST_OTHERS + 5)]
    end = end_of(1, summary([*others, row("asked.example")]), "", ORDER, [])
    assert len(end.domains) == MOST_OTHERS + 1
    assert end.domains[-1].domain == "asked.example"


def test_a_crawl_without_a_summary_has_failed() -> None:
    end = end_of(1, None, "x" * 5000, ORDER, [])
    assert (end.kind, len(end.error)) == ("failed", 2000)

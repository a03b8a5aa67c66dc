"""Whose a file is, by its name."""

from datetime import UTC, datetime
from typing import Any

import pytest

from armarium.formats.warc.writer import Naming
from armarium.planning.collectors.belonging import names_of

TIME = "20261115120000000"


def order(prefix: str = "7-3", **recording: Any) -> dict[str, Any]:
    return {"name": "job-7", "recording": {"values": {"prefix": prefix}, **recording}}


@pytest.mark.parametrize("template", ["{prefix}-{time}-{serial}-{host}", "x.{time}-{prefix}.{serial}"])
@pytest.mark.parametrize("attempt", ["", ".2"])
def test_what_the_engine_calls_its_files_is_the_job_s_own(template: str, attempt: str) -> None:
    values = (("prefix", f"nb-7-3{attempt}"), ("host", "crawler-1.example"))
    name = Naming(template, values).name(datetime(2026, 11, 15, tzinfo=UTC), 123_456)
    own = names_of(order("nb-7-3", template=template))
    assert own.fullmatch(name)
    assert own.fullmatch(f"{name}.cdxj")
    assert not names_of(order("nb-8-3", template=template)).fullmatch(name)


@pytest.mark.parametrize("name", ["job_7-metadata-1.warc.gz", "job_7.2-metadata-12.warc.gz"])
def test_what_describes_the_crawl_has_the_number_of_the_job(name: str) -> None:
    assert names_of(order()).fullmatch(name)
    assert not names_of({**order("8-3"), "name": "job-8"}).fullmatch(name)


@pytest.mark.parametrize(
    "name",
    [
        "captures.warc.gz",
        f"8_3-{TIME}-00000-host.warc.gz",
        f"77_3-{TIME}-00000-host.warc.gz",
        f"7_33-{TIME}-00000-host.warc.gz",
        f"nb_7_3-{TIME}-00000-host.warc.gz",
        "7_3-8_3-00000-host.warc.gz",
        f"7_3-{TIME}-00000-host-8_3.warc.gz",
        f"7_3-{TIME}-00000-host.exe",
        "job_77-metadata-1.warc.gz",
        "job_7-metadata-1.warc.gz.part",
    ],
)
def test_a_name_that_may_be_of_another_job_is_none_of_this_one(name: str) -> None:
    assert not names_of(order()).fullmatch(name)

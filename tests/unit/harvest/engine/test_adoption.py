"""What a killed crawl had recorded is told in the log as if the crawl had gone on."""

from pathlib import Path

import pytest

from armarium.core.crawl_order import CrawlOrder
from armarium.formats.warc.new_record import Truncation
from armarium.harvest.crawl import Crawl
from armarium.harvest.folder import CrawlFolder
from armarium.harvest.record import CaptureFacts
from armarium.harvest.reports.crawl_log import parse_crawl_log_line
from tests.unit.harvest.record.exchanges import exchange, message

WHOLE = message(b"page")


@pytest.mark.parametrize(
    ("received", "truncated", "annotations"),
    [
        (WHOLE, None, ()),
        (WHOLE, Truncation.LENGTH, ("lenTrunc",)),
        (WHOLE, Truncation.TIME, ("timeTrunc",)),
        (WHOLE, Truncation.UNSPECIFIED, ("midFetchTrunc",)),
        (WHOLE.partition(b"\r\n\r\n")[0], Truncation.DISCONNECT, ("disconnectTrunc", "headerTrunc")),
    ],
)
def test_the_log_says_what_of_an_answer_is_missing(
    tmp_path: Path, received: bytes, truncated: Truncation | None, annotations: tuple[str, ...]
) -> None:
    folder, order = CrawlFolder(tmp_path / "x"), CrawlOrder.model_validate({"name": "x"})
    killed = Crawl(folder, order)
    answer = exchange(tmp_path, received, url="http://127.0.0.1:9/", truncated=truncated)
    killed.parts.recorder.record(answer, item_facts=CaptureFacts())
    killed.parts.recorder.flush()
    killed.parts.recorder.abandon()
    killed.close()

    Crawl(folder, order).close()

    (line,) = (folder.logs / "crawl.log").read_text().splitlines()
    outcome = parse_crawl_log_line(line)
    assert outcome is not None
    assert outcome.annotations == annotations

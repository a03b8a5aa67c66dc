"""Metadata records, whatever pages hold, can be read again and pass as warc-fields."""

from hypothesis import given
from hypothesis import strategies as st

from armarium.harvest.record import CaptureFacts, Outlink
from armarium.harvest.record.metadata import fetch_milliseconds, metadata_block, read_metadata

TEXT = st.text(max_size=20)
LINKS = st.lists(st.tuples(TEXT.filter(bool), st.sampled_from("LEXRPIM"), TEXT), max_size=5)


@given(TEXT, TEXT, LINKS)
def test_no_text_of_a_page_can_add_a_line(via: str, source: str, links: list[tuple[str, str, str]]) -> None:
    facts = CaptureFacts(hops="LL", via=via, source=source, outlinks=links)
    lines = metadata_block(facts, 5).split(b"\r\n")
    expected = 2 + bool(via) + bool(source) + len(links)
    assert lines[-1] == b""
    assert len(lines) - 1 == expected
    assert not any(b"\n" in line or b"\r" in line for line in lines)


def test_what_was_written_can_be_read() -> None:
    links = [Outlink("http://example.org/a", "L", "a/@href"), Outlink("http://example.org/b", "E", "")]
    facts = CaptureFacts("LR", "http://example.org/", "a tag", True, "utf-8", links)
    block = metadata_block(facts, 77)
    assert read_metadata(block) == facts
    assert fetch_milliseconds(block) == 77


@given(st.binary(max_size=200))
def test_any_block_can_be_read(block: bytes) -> None:
    read_metadata(block)
    assert fetch_milliseconds(block) >= 0

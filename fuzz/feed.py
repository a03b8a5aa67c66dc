"""Fuzzing of feeds, and with them of text decoding and of type sniffing: any bytes may be anything.

python -P fuzz/feed.py -max_total_time=600 -rss_limit_mb=200 fuzz/corpus/feed

The first byte chooses the declared encoding.
"""

import sys

import atheris

with atheris.instrument_imports(
    include=["armarium.formats.feed", "armarium.formats.media", "armarium.formats.text"]
):
    from armarium.formats.feed import parse_feed
    from armarium.formats.media import identify, parse_mime_type
    from armarium.formats.text import ENCODINGS, Kind, decode

HERE = "https://example.org/feed.xml"
CHARSETS = (None, *sorted(ENCODINGS))


def one_input(data: bytes) -> None:
    choice, document = (data[0] if data else 0), data[1:]
    charset = CHARSETS[choice % len(CHARSETS)]
    feed = parse_feed(document, url=HERE, declared_charset=charset, max_items=1000, max_bytes=1_000_000)
    assert len(feed.items) <= 1000
    assert all(url.startswith(("http://", "https://", "ftp://")) for url in feed.urls())
    for part in (feed, *feed.items):
        assert part.updated is None or part.updated.tzinfo is not None
    for kind in Kind:
        text = decode(document, declared_charset=charset, kind=kind)
        assert 0 <= text.replacements <= text.text.count("\ufffd")
    media = identify(document, declared=f"text/html; charset={charset}", name="a.js", pronom=False)
    assert parse_mime_type(media.mime) is not None


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()

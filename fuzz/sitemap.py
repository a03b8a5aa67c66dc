"""Fuzzing of sitemaps: any bytes may be one, and it does not matter how they are cut.

python -P fuzz/sitemap.py -max_total_time=600 -rss_limit_mb=200 fuzz/corpus/sitemap

The first byte chooses the size of the pieces.
"""

import sys

import atheris

with atheris.instrument_imports(include=["armarium.formats.sitemap", "armarium.formats.text"]):
    from armarium.formats.sitemap import Entry, SitemapReader

HERE = "https://example.org/sitemap.xml"
LIMIT = 1_000_000


def one_input(data: bytes) -> None:
    size, document = (data[0] + 1 if data else 1), data[1:]
    pieces = [document[at : at + size] for at in range(0, len(document), size)]
    assert entries(pieces) == entries([document])


def entries(pieces: list[bytes]) -> list[Entry]:
    found = list(SitemapReader(pieces, url=HERE, max_entries=1000, max_bytes=LIMIT))
    assert len(found) <= 1000
    assert all(entry.written for entry in found)
    return found


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()

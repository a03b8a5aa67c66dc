"""The index of a crawl's WARC files, made of its log.

Every line of crawl.log says where its capture stands. So the index needs no reading of the files, which may
have terabytes; whoever doubts it makes it from the files: `armarium warc index --format cdx11`.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from armarium.formats.cdx import CDX11
from armarium.formats.url import surt
from armarium.harvest.reports.crawl_log import bare_mime, digits17, parse_crawl_log_line
from armarium.harvest.reports.outcome import BY_HASH, DNS_HOST, NOT_MODIFIED, Outcome

LEGEND = CDX11.legend().encode() + b"\n"
_MOST_OPEN = 200  # files at the same time


def indexes(crawl_log: Path, folder: Path) -> Iterator[tuple[str, bytes]]:
    """Each WARC file with its index, sorted. Lines are kept in the folder meanwhile, a file for each."""
    if not crawl_log.exists():
        return
    names: dict[str, Path] = {}
    with ExitStack() as opened, crawl_log.open("rb") as log:
        files: dict[str, IO[bytes]] = {}
        for raw in log:
            outcome = parse_crawl_log_line(raw.decode(errors="replace").rstrip("\n"))
            if outcome is None or not outcome.filename:
                continue
            file = files.get(outcome.filename)
            if file is None:
                if len(files) >= _MOST_OPEN:
                    opened.close()
                    files.clear()
                path = names.setdefault(outcome.filename, folder / f"index-{len(names)}.cdx")
                file = files[outcome.filename] = opened.enter_context(path.open("ab"))
            file.write(_line(outcome))
    for name, path in sorted(names.items()):
        yield name, LEGEND + b"".join(sorted(path.read_bytes().splitlines(keepends=True)))
        path.unlink()


def _line(outcome: Outcome) -> bytes:
    """In the columns N b a m s k r M S V g."""
    revisit = BY_HASH in outcome.annotations or NOT_MODIFIED in outcome.annotations
    mime = "warc/revisit" if revisit else bare_mime(outcome.mime).lower()
    status = "-" if outcome.url.startswith(DNS_HOST) else outcome.status
    digest = outcome.digest.rpartition(":")[2] or "-"
    date = digits17(outcome.started)[:14] if outcome.started else "-"
    length = outcome.record_length if outcome.record_length >= 0 else "-"
    columns = (surt(outcome.url), date, outcome.url, mime, status, digest, "-", "-", length, outcome.offset)
    return f"{' '.join(map(str, columns))} {outcome.filename}\n".encode()

"""Which file a record goes into: names, sizes, and what is kept of a file that was never finished."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, BinaryIO

from armarium.core.late import late
from armarium.formats.problem import Problem
from armarium.formats.warc.detection import Compression

if TYPE_CHECKING:
    from armarium.formats.warc.reader import ArchiveReader
else:
    ArchiveReader = late("armarium.formats.warc.reader:ArchiveReader")

OPEN_SUFFIX = ".open"  # a file that is still written to
USUAL_SIZE = 1_000_000_000  # WARC 1.1 annex C: 10^9 bytes is a practical limit

# By job, as NetarchiveSuite names files, and by site, as Heritrix does.
JOB_TEMPLATE = "{job}-{harvest}-{time}-{serial}-{host}"
SITE_TEMPLATE = "{site}-{time}-{serial}-{host}"
_SUFFIXES = {Compression.NONE: ".warc", Compression.GZIP: ".warc.gz", Compression.ZSTD: ".warc.zst"}
_UNSAFE = re.compile(r"[^A-Za-z0-9._]+")
_PLACE = re.compile(r"\{(\w+)\}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
LONGEST_NAME = 200  # many disks end at 255 bytes, and `.open` is to follow


@dataclass(frozen=True, slots=True)
class Naming:
    """How the files of one writer are called. The values fill the template beside time and serial number."""

    template: str
    values: tuple[tuple[str, str], ...] = ()
    compression: Compression = Compression.GZIP

    def name(self, moment: datetime, serial: int) -> str:
        """The name of the file begun at that moment, without `.open`."""
        time = moment.astimezone(UTC).strftime("%Y%m%d%H%M%S%f")[:17]
        known = {name: safe(value) for name, value in self.values}
        known |= {"time": time, "serial": f"{serial:05d}"}
        missing = sorted(set(_PLACE.findall(self.template)) - set(known))
        if missing:
            raise ValueError(
                f"The file name template {self.template!r} needs a value for {', '.join(missing)}."
            )
        name = _PLACE.sub(lambda place: known[place[1]], self.template) + _SUFFIXES[self.compression]
        if not _NAME.fullmatch(name) or len(name) > LONGEST_NAME:
            raise ValueError(
                f"The file name template {self.template!r} gives {name[:300]!r}, which is no plain file name "
                f"of at most {LONGEST_NAME} characters: letters, digits and . _ -, a letter or digit first."
            )
        return name


def safe(value: str) -> str:
    """A value that can stand in a file name on any system and cannot leave the folder."""
    return _UNSAFE.sub("_", value).lstrip("._").rstrip(".") or "unnamed"


def is_full(size: int, limit: int = USUAL_SIZE) -> bool:
    """Whether the next record should begin a new file. Records are never cut: the limit may be passed
    by one.
    """
    return size >= limit


def open_name(name: str) -> str:
    """The name while the file is written."""
    return name + OPEN_SUFFIX


def sealed_name(name: str) -> str:
    """The name once the file is complete."""
    return name.removesuffix(OPEN_SUFFIX)


@dataclass(frozen=True, slots=True)
class Recovery:
    """What can be kept of a file whose writer died."""

    keep: int  # bytes; what follows is to be cut off
    lost: int  # bytes that follow
    records: int  # whole records that are kept
    problems: tuple[Problem, ...]


def plan_recovery(source: BinaryIO, size: int) -> Recovery:
    """Where to cut an unfinished file of that size so that it ends with its last whole record."""
    reader = ArchiveReader(source)
    problems: list[Problem] = []
    whole = 0
    for record in reader:
        record.finish()
        problems.extend(record.problems)
        if reader.end == record.offset + record.length:
            whole = record.number + 1
    return Recovery(reader.end, size - reader.end, whole, (*problems, *reader.problems))

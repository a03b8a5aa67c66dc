"""Which files an import was given: folders are walked, and indexes are put beside the files they speak of."""

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.formats.warc.writer import OPEN_SUFFIX
from armarium.storage.folders import is_within
from armarium.storage.intake.model import Line, Offered, Outcome

#: Of an index of one file; the first that is there is taken.
INDEX_SUFFIXES = (".cdxj", ".cdx", ".cdxj.gz", ".cdx.gz")
ARCHIVE_SUFFIXES = (".warc.gz", ".warc", ".arc.gz", ".arc", ".warc.zst")
_INDEX_SUFFIX = re.compile(r"\.cdxj?(?:\.gz)?\Z", re.IGNORECASE)
_CLAIMS = re.compile(r"\.(?:w?arc|wacz)(\.|\Z)", re.IGNORECASE)
OURS = "It leads into a folder of the archive's own, from which nothing is imported."
_STEM = re.compile(r"(?:\.w?arc)(?:\.(?:gz|zst))?\Z", re.IGNORECASE)


def _none(_path: Path, _found: os.stat_result) -> bool:
    return False


def claims_to_be_archive(name: str) -> bool:
    return bool(_CLAIMS.search(name)) and not is_index(name)


def is_index(name: str) -> bool:
    return name.lower().endswith(INDEX_SUFFIXES)


def is_open(name: str) -> bool:
    """Whether somebody still writes it, as the name says."""
    return name.endswith(OPEN_SUFFIX)


def is_companion(path: Path) -> bool:
    """Whether the file of which an index speaks lies beside it, as its name says."""
    stem = _INDEX_SUFFIX.sub("", path.name)
    return any(path.with_name(f"{stem}{end}").is_file() for end in ("", *ARCHIVE_SUFFIXES))


@dataclass(frozen=True)
class Walk:
    own: Sequence[Path] = ()  # folders into which no link may lead: what lies there is not for us to keep
    passes: Callable[[Path, os.stat_result], bool] = _none  # folders whose files need not be looked at
    seen: set[tuple[int, int]] = field(default_factory=set)


def offered(paths: Iterable[Path], walk: Walk | None = None) -> Iterator[Offered | Line]:
    """The files, in the order of their paths; a line for what cannot even be looked at."""
    walk = walk or Walk()
    for path in paths:
        if not path.exists():
            raise Refused(message("There is no %(path)s. Nothing was taken.", path=path), field="paths")
        yield from _walk(path.absolute(), walk)


def _walk(path: Path, walk: Walk) -> Iterator[Offered | Line]:
    try:
        if path.is_symlink() and is_within(path, walk.own):
            yield Line(str(path), Outcome.REFUSED, remark=OURS)
            return
        found = path.stat()
        if stat.S_ISREG(found.st_mode):
            yield Offered(path, found.st_size, max(found.st_mtime_ns, found.st_ctime_ns))
            return
        if not stat.S_ISDIR(found.st_mode):
            yield Line(str(path), Outcome.UNREADABLE, remark="It is neither a file nor a folder.")
            return
        if (found.st_dev, found.st_ino) in walk.seen:
            return  # a link that leads back
        walk.seen.add((found.st_dev, found.st_ino))
        below = _names(path, only_folders=walk.passes(path, found))
    except OSError as error:
        yield Line(str(path), Outcome.UNREADABLE, remark=f"{error.strerror or error}.")
        return
    for name in below:
        yield from _walk(path / name, walk)


def _names(path: Path, *, only_folders: bool) -> list[str]:
    """Names alone: a folder may hold a million."""
    with os.scandir(path) as found:
        return sorted(item.name for item in found if not only_folders or item.is_dir())


def companion_of(path: Path, indexes: Path | None = None) -> Path | None:
    """The index that lies beside a file: `NAME.warc.gz.cdxj`, `NAME.cdx` and their like.

    `indexes`: another folder in which it may lie.
    """
    stems = dict.fromkeys((path.name, _STEM.sub("", path.name)))
    for folder in (path.parent, indexes):
        for stem in stems:
            for suffix in INDEX_SUFFIXES:
                if folder is not None and (folder / f"{stem}{suffix}").is_file():
                    return folder / f"{stem}{suffix}"
    return None

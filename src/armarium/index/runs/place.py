"""Where runs lie: a folder, or a bucket. What has a name there is whole and never changes."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from armarium.core.errors import Misconfigured
from armarium.core.late import late
from armarium.index.runs.folder import FolderPlace
from armarium.index.runs.layout import IndexBlock

if TYPE_CHECKING:  # most indexes lie in a folder
    from armarium.index.runs.bucket import BucketPlace
else:
    BucketPlace = late("armarium.index.runs.bucket:BucketPlace")


class RunPlace(Protocol):
    """Several threads may use one."""

    def read(self, name: str, start: int, length: int) -> bytes:
        """Bytes of a run; fewer where it ends."""

    def prepare(self, name: str, start: int, length: int) -> None:
        """Say which bytes will be read next, so that they can be fetched while others are waited for."""

    def size(self, name: str) -> int:
        """How many bytes a run has; `MissingRun` if there is none."""

    def publish(self, name: str, path: Path) -> None:
        """Make a finished file a run, all at once and durably.

        The same bytes under the same name again are fine; other bytes are refused (`OtherRun`).
        """

    def delete(self, name: str) -> None:
        """Take a run away; that there is none is fine. Who still reads it may meet `MissingRun`."""

    def release(self, name: str) -> None:
        """Hold nothing open of a run: what was deleted takes room until nobody holds it."""

    def names(self) -> Iterator[str]:
        """All runs, in no order."""

    def is_marked(self) -> bool:
        """Whether this is the place that was marked, and not the empty folder where it should be mounted."""

    def mark(self) -> None:
        """Say that this is the place; once more is fine."""

    def clear(self, before: float) -> None:
        """Delete what publications that were killed before that moment (seconds of the epoch) left behind."""


def open_run_place(
    location: str, *, home: Path, options: Mapping[str, str], secrets: Mapping[str, str]
) -> RunPlace:
    """A folder, absolute or below `home`, or `s3://bucket/prefix`.

    Options of S3: endpoint, region, path_style, allow_http. Secrets: access_key, secret_key.
    """
    scheme, separator, rest = location.partition("://")
    if not separator:
        return FolderPlace(home / location)
    bucket, _, prefix = rest.partition("/")
    if scheme != "s3" or not bucket:
        raise Misconfigured(
            f"The index cannot lie at {location}: name a folder, or a bucket as s3://bucket/prefix."
        )
    return BucketPlace(bucket, prefix.strip("/"), options, secrets)


# Blocks that were read lately, for all runs of a process


V = TypeVar("V")


class Recent(Generic[V]):
    """Values used lately, up to a weight in bytes; used by several threads."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._weight = 0
        self._values: OrderedDict[Hashable, tuple[V, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, load: Callable[[], tuple[V, int]]) -> V:
        """The value, loaded if it is not here; by two threads at once, rather than that one waits."""
        with self._lock:
            found = self._values.get(key)
            if found is not None:
                self._values.move_to_end(key)
                return found[0]
        value, weight = load()
        with self._lock:
            if key not in self._values:
                self._values[key] = value, weight
                self._weight += weight
            while self._weight > self._most and self._values:
                _, (_, lightened) = self._values.popitem(last=False)
                self._weight -= lightened
        return value

    def __contains__(self, key: Hashable) -> bool:
        return key in self._values

    def clear(self) -> None:
        with self._lock:
            self._values.clear()
            self._weight = 0


class BlockCache:
    """Lines and parts of the index, weighed apart: a long list of lines does not push the index out."""

    def __init__(self, *, data_bytes: int = 256 << 20, index_bytes: int = 256 << 20) -> None:
        self.lines: Recent[list[bytes]] = Recent(data_bytes)
        self.index: Recent[IndexBlock] = Recent(index_bytes)

    def clear(self) -> None:
        self.lines.clear()
        self.index.clear()

"""Where runs lie: a folder, or a bucket. What has a name there is whole and never changes."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from armarium.core.errors import Misconfigured
from armarium.core.late import late
from armarium.index.runs.folder import FolderPlace

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

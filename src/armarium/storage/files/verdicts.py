"""What reading a copy has told of it lately, so that not every reader has it read again."""

from collections.abc import Callable
from threading import Lock

from armarium.core.lately import Lately
from armarium.storage.backends.place import Place
from armarium.storage.files.copies import other_bytes
from armarium.storage.files.model import Copy
from armarium.storage.files.proof import whole_record
from armarium.storage.model import File

REMEMBERED = 300.0  # seconds
LOCKS = 64


class Verdicts:
    """Of records and whole copies, until their place says that they have changed.

    One thread at a time judges a file: a player that asks for many parts would have it read for each.
    """

    def __init__(self, seconds: float = REMEMBERED) -> None:
        self._known: Lately[tuple[object, ...], bool] = Lately(seconds)
        self._judging = [Lock() for _ in range(LOCKS)]

    def refuse_unless_right(self, file: File, copy: Copy, place: Place) -> None:
        """What looks damaged may have come so into the archive: only the whole file's checksum can tell."""

        def right() -> bool:
            sums = place.sums(file.name)
            return (sums.size, sums.sha256) == (file.size, file.sha256)

        if not self._verdict(file, copy, place, (), right):
            raise other_bytes(file, copy)

    def refuse_unless_whole(self, file: File, copy: Copy, place: Place, offset: int, length: int) -> None:
        """Read a record of so many bytes, in constant memory, unless this was done a while ago."""

        def whole() -> bool:
            return whole_record(place.open(file.name), offset, length)

        if not self._verdict(file, copy, place, (offset, length), whole):
            self.refuse_unless_right(file, copy, place)

    def _verdict(
        self, file: File, copy: Copy, place: Place, of: tuple[int, ...], judge: Callable[[], bool]
    ) -> bool:
        held = place.look(file.name)
        stamp = (held.size, held.modified) if held is not None else None
        with self._judging[file.id % LOCKS]:
            return self._known.get((file.id, file.sha256, copy.replica.id, stamp, *of), judge)

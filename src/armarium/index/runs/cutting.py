"""Where a block of lines ends: told by its own lines and by nothing else.

So the same lines make the same blocks, however they came together, and behind a place where lines were put in
or taken out the ends soon fall where they fell before. A merge copies such blocks without looking into them.
"""

from collections.abc import Sequence

from xxhash import xxh3_64_intdigest

LEAST = 64  # lines; half of these would be found a little sooner, and merged more slowly
MOST = 256
MASK = 63  # one line in 64 ends a block that has the least
LARGEST = 256 * 1024  # bytes: the line that reaches them ends the block


def block_end(lines: Sequence[bytes], start: int) -> int | None:
    """The end of the block that begins at `start`; None if it depends on lines still to come."""
    least = start + LEAST - 1
    size = sum(map(len, lines[start:least])) + LEAST - 1
    if size >= LARGEST:
        return _large_end(lines, start)
    most = start + MOST
    for position in range(least, min(most, len(lines))):
        line = lines[position]
        size += len(line) + 1
        if not xxh3_64_intdigest(line) & MASK or size >= LARGEST:
            return position + 1
    return most if len(lines) >= most else None


def _large_end(lines: Sequence[bytes], start: int) -> int | None:
    size = 0
    for position in range(start, min(start + LEAST - 1, len(lines))):
        size += len(lines[position]) + 1
        if size >= LARGEST:
            return position + 1
    return None

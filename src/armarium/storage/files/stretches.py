"""A stretch of a file, as HTTP (RFC 9110, 14) and people on a terminal ask for it."""

import re
from dataclasses import dataclass

ONE = re.compile(r"([0-9]{1,19})?-([0-9]{1,19})?")
UNIT = "bytes="


@dataclass(frozen=True)
class Stretch:
    start: int
    end: int  # the byte after the last one

    @property
    def length(self) -> int:
        return self.end - self.start


class NotThere(ValueError):  # noqa: N818  (an answer about the file, not a fault)
    """None of the bytes that were asked for is in the file."""


def stretch(text: str, size: int) -> Stretch | None:
    """`0-499`, `500-` or `-500` (the last ones), both ends included; None: it is no such thing."""
    match = ONE.fullmatch(text.strip())
    if match is None or match[1] is None is match[2]:
        return None
    if match[1] is None:
        start, end = max(0, size - int(match[2])), size
    else:
        start, end = int(match[1]), size if match[2] is None else int(match[2]) + 1
        if end <= start and match[2] is not None:
            return None  # "an int-range is invalid if the last-pos value is less than first-pos" (14.1.1)
    if start >= size or start == end:
        raise NotThere(f"The file has {size} bytes; {text} is not among them.")
    return Stretch(start, min(end, size))


def in_header(value: str, size: int) -> Stretch | None:
    """What a Range header asks for; None: the whole, as for other units and for several stretches at once.

    A server may ignore the header (14.2): whoever wants several stretches asks several times.
    """
    if not value.lower().startswith(UNIT):
        return None
    return stretch(value[len(UNIT) :], size)

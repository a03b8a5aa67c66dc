"""What a command is given on standard input."""

import sys
from typing import BinaryIO, TextIO

from armarium.core.errors import Refused


def standard_input() -> BinaryIO:
    given: TextIO | None = sys.stdin  # None where the shell closed it: `armarium warc ls - <&-`
    if given is None:
        raise Refused("There is no standard input to read from.")
    return given.buffer

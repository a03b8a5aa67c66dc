"""What every rewriter is: pieces of a body in, pieces of a body out."""

from collections.abc import Callable
from typing import Protocol

# A body that must be seen as a whole is held up to this size; a longer one is passed on as it is.
LONGEST = 32 * 1024 * 1024


class Rewriter(Protocol):
    def feed(self, data: bytes) -> bytes: ...

    def close(self) -> bytes: ...


class Untouched:
    """Nothing to rewrite."""

    def feed(self, data: bytes) -> bytes:
        return data

    def close(self) -> bytes:
        return b""


class Whole:
    """A body that is rewritten in one go, when all of it is there.

    `rewrite` works on text in which each byte is one character (latin-1): what it does not touch comes out
    byte for byte, whatever the charset.
    """

    def __init__(self, rewrite: Callable[[str], str]) -> None:
        self._rewrite = rewrite
        self._pieces: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> bytes:
        if self._size > LONGEST:
            return data
        self._pieces.append(data)
        self._size += len(data)
        return self._taken() if self._size > LONGEST else b""

    def close(self) -> bytes:
        if self._size > LONGEST:
            return b""
        return self._rewrite(self._taken().decode("latin-1")).encode("latin-1", "replace")

    def _taken(self) -> bytes:
        data, self._pieces = b"".join(self._pieces), []
        return data


class Copy:
    """A text that is copied as it is, but for the places that are replaced."""

    __slots__ = ("_done", "_pieces", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._pieces: list[str] = []
        self._done = 0

    def replace(self, start: int, end: int, new: str) -> None:
        self._pieces += (self.text[self._done : start], new)
        self._done = end

    def up_to(self, end: int) -> str:
        if not self._pieces:
            return self.text[:end]
        return "".join(self._pieces) + self.text[self._done : end]

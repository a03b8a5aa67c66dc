"""The supervisor's end of the pipe on which a child says "ready", "alive" or why it cannot start."""

import asyncio
import json
import os
from collections.abc import Callable
from contextlib import suppress

LONGEST = 65_536  # bytes; a child that babbles is not listened to any further


class Channel:
    """A pipe for one start of a child. `ready` and `failed` are what the child said, None before.

    `pulses` counts how often it said that it is alive.
    """

    def __init__(self, on_ready: Callable[[str], None]) -> None:
        self._on_ready = on_ready
        self._heard = b""
        self.ready: str | None = None
        self.failed: str | None = None
        self.pulses = 0
        self._reader, self.writer = os.pipe()
        os.set_blocking(self._reader, False)
        asyncio.get_running_loop().add_reader(self._reader, self._listen)

    def given(self) -> None:
        """The child has its own copy of the writing end now."""
        os.close(self.writer)

    def close(self) -> None:
        """Hear what was said last, and hang up."""
        if self._reader >= 0:
            self._listen()
            self._hang_up()

    def _listen(self) -> None:
        # A child that writes nothing more, or closes its end, gives b"".
        with suppress(BlockingIOError):
            while data := os.read(self._reader, 4096):
                self._heard += data
                self._understand()
                if len(self._heard) > LONGEST:
                    break
            self._hang_up()

    def _hang_up(self) -> None:
        if self._reader >= 0:
            asyncio.get_running_loop().remove_reader(self._reader)
            os.close(self._reader)
            self._reader = -1

    def _understand(self) -> None:
        *lines, self._heard = self._heard.split(b"\n")
        for line in lines:
            with suppress(
                ValueError
            ):  # not ours: something in the child wrote to a descriptor it did not know
                self._hear(json.loads(line))

    def _hear(self, words: object) -> None:
        match words:
            case {"ready": str(address)}:
                self.ready = address
                self._on_ready(address)
            case {"alive": _}:
                self.pulses += 1
            case {"failed": str(reason)}:
                self.failed = reason

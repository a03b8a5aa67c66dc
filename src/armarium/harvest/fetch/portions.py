"""The beginning of an answer, collected until its head is whole.

Nearly every head comes in one portion or in a few, and is parsed each time. A server that drips it would have
it copied and parsed once for each byte; so after some portions it is parsed only when an empty line has come,
or when it has grown by a sixteenth.
"""

PATIENT_PORTIONS = 100
MOST_TRIES = 300  # because of an empty line: a drip of nothing but such lines must not win either


class Portions:
    __slots__ = ("_collected", "_count", "_next", "_tries")

    def __init__(self) -> None:
        self._collected: bytes | bytearray = b""
        self._count = 0
        self._next = 0
        self._tries = 0

    def __bool__(self) -> bool:
        return bool(self._collected)

    def __bytes__(self) -> bytes:
        return bytes(self._collected)

    def add(self, data: bytes) -> bytes | None:
        """Everything so far if it is worth a look, else None."""
        self._count += 1
        if self._count <= PATIENT_PORTIONS:
            self._collected = whole = bytes(self._collected) + data if self._collected else data
            return whole
        if not isinstance(self._collected, bytearray):
            self._collected = bytearray(self._collected)  # grows without being copied each time
        self._collected += data
        return bytes(self._collected) if self._is_worth_a_look(len(data)) else None

    def _is_worth_a_look(self, added: int) -> bool:
        end = bytes(self._collected[-added - 2 :])
        if (b"\n\r\n" in end or b"\n\n" in end) and self._tries < MOST_TRIES:
            self._tries += 1
            return True
        if len(self._collected) < self._next:
            return False
        self._next = len(self._collected) + len(self._collected) // 16
        return True

    def keep(self, data: bytes) -> None:
        """Put this in the place of everything; the count of portions goes on."""
        self._collected = data
        self._next = 0

"""Bits in the order in which H.264 writes them (ITU-T H.264, 7.2 and 9.1)."""


class Bits:
    def __init__(self) -> None:
        self._done = bytearray()
        self._value = 0
        self._count = 0

    def put(self, value: int, count: int) -> None:
        """u(n)"""
        self._value = (self._value << count) | value
        self._count += count
        while self._count >= 8:
            self._count -= 8
            self._done.append((self._value >> self._count) & 0xFF)
        self._value &= (1 << self._count) - 1

    def golomb(self, value: int) -> None:
        """ue(v): as many zeros as there are bits behind the first one of value + 1, then value + 1."""
        length = (value + 1).bit_length()
        self.put(0, length - 1)
        self.put(value + 1, length)

    def align(self) -> None:
        """Zeros up to the next byte."""
        if self._count:
            self.put(0, 8 - self._count)

    def raw(self, data: bytes) -> None:
        """Whole bytes; only after `align`."""
        self._done += data

    def ended(self) -> bytes:
        """rbsp_trailing_bits: a one, then zeros up to the next byte."""
        self.put(1, 1)
        self.align()
        return bytes(self._done)

"""WAV from a score: notes such as `C4`, `A#3:2` (two beats), `-` for a rest."""

import math
from functools import cache

RATE = 8000
BEAT = 0.28  # seconds
_STEPS = {"C": -9, "D": -7, "E": -5, "F": -4, "G": -2, "A": 0, "B": 2}
_OVERTONES = ((1, 0.6), (2, 0.25), (3, 0.1))


@cache
def wav(score: str) -> bytes:
    """Mono, 8 bit, 8 kHz."""
    samples = b"".join(_note(word) for word in score.split())
    form = (1).to_bytes(2, "little") + (1).to_bytes(2, "little") + RATE.to_bytes(4, "little") * 2
    form += (1).to_bytes(2, "little") + (8).to_bytes(2, "little")
    data = samples + b"\0" * (len(samples) % 2)
    body = b"WAVE" + _chunk(b"fmt ", form) + _chunk(b"data", data)
    return _chunk(b"RIFF", body)


def _note(word: str) -> bytes:
    name, _, beats = word.partition(":")
    count = int(RATE * BEAT * float(beats or 1))
    if name == "-":
        return b"\x80" * count
    sharp = 1 if "#" in name else 0
    steps = _STEPS[name[0]] + sharp + 12 * (int(name[-1]) - 4)
    turn = 2 * math.pi * 440 * 2 ** (steps / 12) / RATE
    samples = bytearray()
    for at in range(count):
        fade = min(1.0, at / 80) * (1 - at / count) ** 1.5  # struck, then dying away
        value = sum(share * math.sin(turn * times * at) for times, share in _OVERTONES)
        samples.append(128 + round(110 * fade * value))
    return bytes(samples)


def _chunk(name: bytes, data: bytes) -> bytes:
    return name + len(data).to_bytes(4, "little") + data

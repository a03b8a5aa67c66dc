"""What a replica holds, as one bar: accepted, waiting, damaged, by bytes."""

from dataclasses import dataclass
from datetime import datetime

from armarium.core.message import Message, message

WIDTH, HEIGHT = 600, 16
LEAST = 6.0  # units of width: a single damaged file among millions is seen
HATCH = 12  # units between two lines


@dataclass(frozen=True)
class Part:
    files: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class Content:
    accepted: Part = Part()
    unfinished: Part = Part()
    damaged: Part = Part()
    as_of: datetime | None = None  # none: of this moment

    @property
    def files(self) -> int:
        return self.accepted.files + self.unfinished.files + self.damaged.files


@dataclass(frozen=True)
class Stretch:
    """A part of the bar, and what its line in the key says."""

    tone: str
    label: Message
    files: int
    bytes: int
    x: float
    width: float
    lines: tuple[tuple[float, float], ...]  # of the hatching: from x above to x below


TONES: tuple[tuple[str, str, Message, int], ...] = (
    ("accepted", "good", message("accepted"), 0),
    ("unfinished", "waiting", message("waiting"), 1),
    ("damaged", "bad", message("damaged or missing"), -1),
)


def bar(content: Content) -> list[Stretch]:
    """The stretches that are not empty, side by side over the whole width."""
    there = [(tone, label, lean, getattr(content, name)) for name, tone, label, lean in TONES]
    there = [one for one in there if one[3].files]
    total = sum(part.bytes for *_, part in there)
    room = WIDTH - LEAST * len(there)
    drawn, x = [], 0.0
    for tone, label, lean, part in there:
        share = part.bytes / total if total else 1 / len(there)
        width = LEAST + room * share
        drawn.append(
            Stretch(tone, label, part.files, part.bytes, round(x, 2), round(width, 2), hatch(x, width, lean))
        )
        x += width
    return drawn


def hatch(x: float, width: float, lean: int) -> tuple[tuple[float, float], ...]:
    """Lines that lean to the right (1) or to the left (-1); none for 0."""
    if not lean:
        return ()
    places = range(int(x) + HATCH // 2, int(x + width), HATCH)
    return tuple((place + lean * HATCH / 4, place - lean * HATCH / 4) for place in places)

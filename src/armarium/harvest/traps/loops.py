"""Loops of paths: links that are relative where they should not be, so that each page leads a folder deeper.

Two signs: the same content in ever deeper folders, and a segment that comes back again and again.
"""

import re
from collections import Counter
from dataclasses import dataclass, field

from armarium.harvest.scope.reach import folder_of, host_of
from armarium.harvest.traps.memory import Distinct, Samples, Table
from armarium.harvest.traps.suspicion import Seen, Suspected, TrapKind, on_host

MOST_STEPS = 8  # deeper, with the same content
MOST_REPETITIVE = 15  # addresses in which one segment comes back
_AGAIN = 3  # times that it stands in them
_SHALLOW = 6  # segments of a path that is not examined
_DEEP = 12
_LEVELS = 3  # below the loop's folder that a filter leaves alone
_VOCABULARY = 8
_MOST_CONTENTS, _MOST_SEGMENTS = 20_000, 1000


@dataclass(slots=True)
class _Content:
    folder: str = ""  # the highest in which it was seen
    deepest: int = 0
    steps: int = 0
    samples: Samples = field(default_factory=Samples)
    reported: bool = False


@dataclass(slots=True)
class _Segment:
    count: int = 0
    deepest: int = 0
    digests: Distinct = field(default_factory=Distinct)
    samples: Samples = field(default_factory=Samples)
    reported: bool = False


class Loops:
    def __init__(self) -> None:
        self._contents: Table[tuple[str, int], _Content] = Table(_MOST_CONTENTS, _Content)
        self._segments: Table[tuple[str, str], _Segment] = Table(_MOST_SEGMENTS, _Segment)

    def saw(self, seen: Seen) -> Suspected | None:
        suspected = self._growing(seen)
        if suspected is None and len(seen.segments) >= _SHALLOW:
            suspected = self._repetitive(seen)
        return suspected

    def _growing(self, seen: Seen) -> Suspected | None:
        content = self._contents[seen.host, seen.digest]
        folder = seen.path.rpartition("/")[0] + "/"
        depth = folder.count("/")
        if not content.folder or (content.folder.startswith(folder) and content.folder != folder):
            content.folder = folder
            content.deepest = max(depth, content.deepest)
        elif depth > content.deepest and folder.startswith(content.folder):
            content.deepest = depth
            content.steps += 1
            content.samples.add(seen.url)
            if content.steps >= MOST_STEPS and not content.reported:
                content.reported = True
                return _grown(seen, content)
        return None

    def _repetitive(self, seen: Seen) -> Suspected | None:
        segment, times = Counter(seen.segments).most_common(1)[0]
        if times < _AGAIN or not segment or segment.isdecimal():
            return None
        group = self._segments[seen.host, segment]
        group.count += 1
        group.deepest = max(group.deepest, len(seen.segments))
        group.digests.add(seen.digest)
        group.samples.add(seen.url)
        few = len(group.digests) * 2 <= group.count
        if group.reported or group.count < MOST_REPETITIVE or not (few or group.deepest >= _DEEP):
            return None
        group.reported = True
        return _repeated(seen, group, segment)


def _grown(seen: Seen, content: _Content) -> Suspected:
    base = content.folder
    below = [_below(url, base) for url in content.samples.urls]
    words = sorted({segment for segments in below for segment in segments})
    levels = min([_LEVELS, *map(len, below)])
    start = on_host(seen.host, base)
    named = f"{start}(?:(?:{'|'.join(map(re.escape, words))})/){{{levels}}}"
    unnamed = f"{start}(?:[^/?]*/){{{levels}}}"

    def belongs(url: str) -> bool:
        segments = _below(url, base)
        return host_of(url) == seen.host and len(segments) >= levels and set(segments) <= set(words)

    return Suspected(
        kind=TrapKind.LOOP,
        sentence=f"the same content in {content.steps} ever deeper folders below {base}",
        counts={"steps": content.steps, "deepest": content.deepest},
        samples=content.samples.urls,
        proposals=[named, unnamed] if len(words) <= _VOCABULARY else [unnamed],
        belongs=belongs,
    )


def _below(url: str, base: str) -> list[str]:
    """The folders between this one and the page."""
    folder = folder_of(url)
    return folder[len(base) :].split("/")[:-1] if folder.startswith(base) else []


def _repeated(seen: Seen, group: _Segment, segment: str) -> Suspected:
    once = f"/{re.escape(segment)}"
    pattern = on_host(seen.host) + f"(?:/[^?]*)?{once}(?:/[^?]*)?{once}(?:/[^?]*)?{once}(?:[/?]|$)"
    return Suspected(
        kind=TrapKind.LOOP,
        sentence=f"{group.count} addresses in which {segment!r} stands {_AGAIN} times or more, "
        f"with {len(group.digests)} different contents",
        counts={"addresses": group.count, "contents": len(group.digests), "deepest": group.deepest},
        samples=group.samples.urls,
        proposals=[pattern],
        belongs=lambda url: url.count(f"/{segment}") >= _AGAIN,
    )

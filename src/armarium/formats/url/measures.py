"""Measures of a URL that betray a crawler trap: depth, repetition, many parameters, a session id.

They only measure. What is too much is for the rules of a harvest to say.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from armarium.formats.url.sessions import looks_like_session

_MOST_SEGMENTS = 256  # of which repetition is examined: a path with more needs no further proof


@dataclass(frozen=True, slots=True)
class Measures:
    length: int  # characters of the URL
    depth: int  # segments of the path that are not empty
    consecutive: int  # times that a segment, or a run of segments, stands in a row: 3 for /a/b/a/b/a/b
    occurrences: int  # times that the most frequent segment stands anywhere: 3 for /a/x/a/y/a
    parameters: int  # of the query
    repeated_parameters: int  # times that the most frequent pair of name and value stands in the query
    session: str | None  # what looks like a session id


def measure(url: str) -> Measures:
    """Measure an absolute URL as it stands; any text has measures."""
    segments = path_segments(url)
    named = [segment for segment in segments if segment]
    parameters = query_parameters(url)
    return Measures(
        length=len(url),
        depth=len(named),
        consecutive=consecutive_repetition(segments),
        occurrences=_most_frequent(named),
        parameters=len(parameters),
        repeated_parameters=_most_frequent(parameters),
        session=looks_like_session(url),
    )


def path_segments(url: str) -> list[str]:
    """Between the slashes of the path; the empty one after a last slash is not counted."""
    path = url.partition("#")[0].partition("?")[0]
    _, separator, rest = path.partition("://")
    if separator:
        path = rest.partition("/")[2]
    segments = path.removeprefix("/").split("/")
    return segments[:-1] if segments[-1] == "" else segments


def path_depth(url: str) -> int:
    return sum(1 for segment in path_segments(url) if segment)


def query_parameters(url: str) -> list[str]:
    query = url.partition("#")[0].partition("?")[2]
    return [parameter for parameter in query.split("&") if parameter]


def consecutive_repetition(segments: Sequence[str]) -> int:
    """How often the most repeated run of segments stands in a row; 1 where nothing does, 0 for no segments.

    What Heritrix's PathologicalPath looks for, with runs of any length; empty segments (`///`) count, and so
    does the last one, which need not end in a slash.
    """
    segments = segments[:_MOST_SEGMENTS]
    most = min(len(segments), 1)
    if len(set(segments)) == len(segments):
        return most
    for period in range(1, len(segments) // 2 + 1):
        same = 0  # how many segments in a row equal the one a period before
        for position in range(period, len(segments)):
            same = same + 1 if segments[position] == segments[position - period] else 0
            most = max(most, same // period + 1)
    return most


def is_pathological(url: str, repetitions: int = 2) -> bool:
    """Whether a run of segments stands in a row more often than that: Heritrix's rule and its default."""
    return consecutive_repetition(path_segments(url)) > repetitions


def _most_frequent(values: Sequence[str]) -> int:
    if len(set(values)) == len(values):
        return min(len(values), 1)
    return max(Counter(values).values())

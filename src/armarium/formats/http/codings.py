"""Content codings (RFC 9110, 8.4): from the entity to the payload, in constant memory and up to a limit."""

import enum
from collections.abc import Iterable, Iterator, Sequence
from typing import Self

from armarium.formats.http.engines import FORMATS
from armarium.formats.http.problems import Findings
from armarium.formats.http.stage import Stage
from armarium.formats.problem import Problem

MAX_CODINGS = 5  # nobody compresses more often but to do harm
SLACK = (
    1 << 20
)  # what a stage inside others may give beyond the limit: compressed bytes can be the longer ones

# Found in Content-Encoding by those who took it for the charset or the mail header of that name.
NOT_CODINGS = frozenset(
    (
        *(
            "identity",
            "none",
            "binary",
            "8bit",
            "7bit",
            "quoted-printable",
            "chunked",
            "default",
            "off",
            "no",
        ),
        *("utf-8", "utf8", "utf-16", "iso-8859-1", "iso-8859-15", "latin1", "windows-1252", "windows-1251"),
        *("us-ascii", "ascii", "unicode", "text", "html", "text/html", "text/plain", "null", "true"),
    )
)


class Outcome(enum.StrEnum):
    """How decoding went; the first that applies."""

    TOO_LARGE = "too large"  # stopped at the limit: there is more
    DAMAGED = "damaged"  # what precedes the damage was given
    TRUNCATED = "truncated"  # what there is was given
    UNKNOWN_CODING = "unknown coding"  # given as it is
    MISLABELLED = "mislabelled"  # given as what it is, and not as what the head says
    COMPLETE = "complete"


OUTCOMES = {
    "http-payload-too-large": Outcome.TOO_LARGE,
    "http-coding-damaged": Outcome.DAMAGED,
    "http-coding-checksum": Outcome.DAMAGED,
    "http-coding-truncated": Outcome.TRUNCATED,
    "http-coding-unknown": Outcome.UNKNOWN_CODING,
    "http-codings-too-many": Outcome.UNKNOWN_CODING,
    "http-coding-mislabelled": Outcome.MISLABELLED,
}


class Decoding:
    """Decoded bytes, to be iterated once; `problems` and `outcome` are complete when they have run out."""

    def __init__(self, codings: Sequence[str], chunks: Iterable[bytes], limit: int | None) -> None:
        self._findings = Findings()
        self._limit = limit
        self.size = 0  # bytes given so far
        stages = self._stages(codings)
        stream = iter(chunks)
        for number, coding in enumerate(stages, 1):
            stream = Stage(coding, self._findings).run(stream)
            if limit is not None and number < len(stages):
                stream = self._bounded(stream, limit + SLACK)
        self._stream = stream

    @property
    def problems(self) -> list[Problem]:
        return self._findings.problems

    @property
    def outcome(self) -> Outcome:
        found = {OUTCOMES[problem.code] for problem in self.problems if problem.code in OUTCOMES}
        return next((outcome for outcome in Outcome if outcome in found), Outcome.COMPLETE)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> bytes:
        room = None if self._limit is None else self._limit - self.size
        chunk = next(self._stream)
        if room is not None and len(chunk) > room:
            self._findings.note("http-payload-too-large", limit=self._limit)
            self._stream = iter(())
            chunk = chunk[:room]
            if not chunk:
                raise StopIteration
        self.size += len(chunk)
        return chunk

    def _stages(self, codings: Sequence[str]) -> list[str]:
        """The codings to undo, the last applied first, as far as they are known."""
        if len(codings) > MAX_CODINGS:
            self._findings.note("http-codings-too-many", limit=MAX_CODINGS)
            return []
        stages: list[str] = []
        for coding in reversed([coding.strip().lower() for coding in codings]):
            if coding in NOT_CODINGS or not coding:
                if coding not in ("identity", ""):
                    self._findings.note("http-coding-not-one", coding=repr(coding))
            elif coding in FORMATS:
                stages.append(coding)
            else:
                # What lies inside cannot be reached: compress, sdch, dcb and the like are not decoded.
                self._findings.note("http-coding-unknown", coding=repr(coding[:60]))
                break
        return stages

    def _bounded(self, stream: Iterator[bytes], limit: int) -> Iterator[bytes]:
        """Stop a stage whose output feeds another one: a bomb may sit in any layer."""
        size = 0
        for chunk in stream:
            size += len(chunk)
            if size > limit:
                self._findings.note("http-payload-too-large", limit=self._limit)
                return
            yield chunk


def decode_content(codings: Sequence[str], chunks: Iterable[bytes], limit: int | None = None) -> Decoding:
    """Undo content codings, given in the order of the head; at most `limit` bytes come out."""
    return Decoding(codings, chunks, limit)

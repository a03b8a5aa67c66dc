"""`http://viewerproxy.invalid/`: the commands of NetarchiveSuite's viewer proxy, for this browser's viewing.

Scripts and bookmarks that were written for it go on working. An archived page can ask for these addresses as
well, and to sites without TLS a browser does not say who asks; so what changes something is done at once only
for programs, and for browsers when their user has confirmed it on a page.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from armarium.access.model import Reader
from armarium.access.proxy.connection import Answer
from armarium.access.proxy.pages import HEADERS, page, text
from armarium.access.proxy.request import Visit
from armarium.core.errors import Forbidden, NotFound, Refused
from armarium.core.message import message
from armarium.formats.warc.records import Record

HOST = "viewerproxy.invalid"
LONGEST_LABEL = 200
MOST_JOBS = 10_000
MOST_DIGITS = 18
PIECE = 65_536

Command = Callable[["Visit"], Answer]


@dataclass(frozen=True)
class Status:
    """Of one viewing."""

    title: str
    jobs: Sequence[int]
    recording: bool
    missing: int


class Recordings(Protocol):
    """What the viewer proxy's commands do. All raise `NotFound` unless it is a viewing of this reader's."""

    def status(self, reader: Reader, number: int) -> Status: ...

    def record(self, reader: Reader, number: int, *, on: bool) -> None: ...

    def clear(self, reader: Reader, number: int) -> None: ...

    def recorded(self, reader: Reader, number: int) -> Iterator[str]:
        """The addresses that were asked for in vain."""

    def change(self, reader: Reader, number: int, jobs: Sequence[int], label: str) -> None:
        """Look at other jobs."""

    def file(self, reader: Reader, name: str) -> Iterator[bytes]:
        """A whole file of the archive; refused unless it is one of the viewing's jobs."""

    def metadata(self, reader: Reader, job: int) -> Iterator[bytes]:
        """The records about a job itself: its logs, reports and order."""


class Commands:
    def __init__(self, recordings: Recordings | None) -> None:
        self._recordings = recordings
        self._asking: dict[str, Command] = {
            "/getStatus": self._status,
            "/getRecordedURIs": self._recorded,
            "/getFile": self._file,
            "/getRecord": self._record,
            "/getMetadata": self._metadata,
        }
        self._changing: dict[str, Command] = {
            "/startRecordingURIs": lambda visit: self._set_recording(visit, True),
            "/stopRecordingURIs": lambda visit: self._set_recording(visit, False),
            "/clearRecordedURIs": self._clear,
            "/changeIndex": self._change,
        }

    def answer(self, visit: Visit) -> Answer:
        path = visit.path.rstrip("/") or "/getStatus"
        if path in self._asking and visit.asked.method in {"GET", "HEAD"}:
            return self._asking[path](visit)
        if path in self._changing and visit.asked.method in {"GET", "POST"}:
            return self._confirmed(visit, self._changing[path])
        raise NotFound(message("The viewer proxy has no such command."))

    @property
    def recordings(self) -> Recordings:
        if self._recordings is None:
            raise NotFound(message("There are no viewings here: the proxy serves files without an Armarium."))
        return self._recordings

    def _confirmed(self, visit: Visit, command: Command) -> Answer:
        if visit.asked.method == "POST":
            _ = visit.form  # raises unless it is a form of ours
            return command(visit)
        if "mozilla" in visit.asked.headers.get("user-agent", "").lower():
            return page(
                200, "confirm.html", library=visit.site.library, command=visit.path[1:], token=visit.token
            )
        return command(visit)

    def _status(self, visit: Visit) -> Answer:
        missing = self._missing(visit)
        found = self.recordings.status(visit.reader, visit.viewing)
        jobs = ", ".join(map(str, found.jobs))
        return text(
            f"Index: {found.title}\nJobs: {jobs}\nRecording: {'on' if found.recording else 'off'}\n"
            f"Recorded URIs: {missing}\n"
        )

    def _missing(self, visit: Visit) -> int:
        """Counted, and not taken from the status: so the addresses of the last moment are among them."""
        return sum(1 for _ in self.recordings.recorded(visit.reader, visit.viewing))

    def _recorded(self, visit: Visit) -> Answer:
        return text("".join(f"{url}\n" for url in self.recordings.recorded(visit.reader, visit.viewing)))

    def _set_recording(self, visit: Visit, on: bool) -> Answer:
        self._missing(visit)  # what was asked for before this command is noted before it
        self.recordings.record(visit.reader, visit.viewing, on=on)
        return self._status(visit)

    def _clear(self, visit: Visit) -> Answer:
        self.recordings.clear(visit.reader, visit.viewing)
        return self._status(visit)

    def _change(self, visit: Visit) -> Answer:
        given = [text for name, texts in visit.query.items() if name.lower() == "jobid" for text in texts]
        jobs = sorted({_number(one) for text in given for one in text.split(",")})
        if not jobs or len(jobs) > MOST_JOBS:
            raise Refused(message("Name the jobs to look at: /changeIndex?jobID=12&jobID=13&label=…"))
        label = visit.query.get("label", [""])[0][:LONGEST_LABEL]
        self.recordings.change(visit.reader, visit.viewing, jobs, label)
        return self._status(visit)

    def _file(self, visit: Visit) -> Answer:
        name = self._own_file(visit)
        return _download(name, self.recordings.file(visit.reader, name))

    def _metadata(self, visit: Visit) -> Answer:
        job = _number(_argument(visit, "jobID"))
        if job not in self.recordings.status(visit.reader, visit.viewing).jobs:
            raise NotFound(message("Job %(job)s is not among those of this viewing.", job=job))
        return _download(f"{job}-metadata.warc", self.recordings.metadata(visit.reader, job))

    def _record(self, visit: Visit) -> Answer:
        """The record that begins there: its block, as it was before it was packed."""
        name, offset = self._own_file(visit), _number(_argument(visit, "arcOffset"))
        view = visit.site.view(visit.choice.collection, visit.reader)
        record = view.archive.record(name, offset, None)
        decision = view.check(record, name)  # it was reached past its line in the index
        if decision.no_downloads or decision.one_reader:
            raise Forbidden(message("You may read this capture here, but not download it."))
        return _download("record", _block(record))

    def _own_file(self, visit: Visit) -> str:
        """The file that is asked for; raises `NotFound` unless a job of this viewing has brought it."""
        name = _argument(visit, "arcFile")
        jobs = self.recordings.status(visit.reader, visit.viewing).jobs
        if visit.site.archive.provenance(name).job not in jobs:
            raise NotFound(message("No job of this viewing has brought a file %(name)s.", name=name[:200]))
        return name


def _argument(visit: Visit, name: str) -> str:
    """Case does not matter: NetarchiveSuite's own pages write jobID, its manual jobId."""
    given = {key.lower(): values for key, values in visit.query.items()}
    found = given.get(name.lower(), [""])[0].strip()
    if not found:
        raise Refused(message("The command needs the argument %(name)s.", name=name))
    return found


def _number(given: str) -> int:
    digits = given.strip()
    if not (digits.isascii() and digits.isdigit()) or len(digits) > MOST_DIGITS:
        raise Refused(message("“%(text)s” is no number.", text=given[:50]))
    return int(digits)


def _download(name: str, pieces: Iterator[bytes]) -> Answer:
    # Bytes of the archive, which must not be shown as a page.
    safe = "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in name)
    named = ("Content-Disposition", f'attachment; filename="{safe}"')
    return Answer(200, [("Content-Type", "application/octet-stream"), named, *HEADERS], pieces)


def _block(record: Record) -> Iterator[bytes]:
    while piece := record.block.read(PIECE):
        yield piece

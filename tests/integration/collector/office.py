"""The server's side of a collector's life, small enough to lose answers, to be away, and to take a job back.

It checks proofs and seals tasks with the real thing, and fences by attempt as the real one does. What the
real one does beside that is tested with the real one.
"""

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from pydantic import BaseModel

from armarium.core import clock
from armarium.core.collecting import (
    LEASE_LOST,
    Command,
    CommandAnswer,
    Ended,
    Enrolled,
    Enrolment,
    FileOffered,
    FileState,
    Heartbeat,
    HeartbeatAnswer,
    JobEnd,
    LeaseAnswer,
    LeaseRequest,
    TaskOrder,
)
from armarium.core.crawl_order import CrawlOrder
from armarium.formats.token import SigningKey, Untrusted, make_task_token, verify_proof

CODE = "open-sesame"
KEY = SigningKey.derived(b"k" * 32)


@dataclass
class Arrival:
    offered: FileOffered
    content: bytearray = field(default_factory=bytearray)
    everywhere: bool = False  # whether the replicas have it

    @property
    def state(self) -> FileState:
        whole = len(self.content) == self.offered.size
        state = ("stored" if self.everywhere else "landed") if whole else "receiving"
        return FileState(name=self.offered.name, state=state, received=len(self.content))

    def settle(self) -> None:
        """The replicas take it; an index lies beside its file, and goes no further."""
        self.everywhere = self.state.state != "receiving" and self.offered.kind != "index"


@dataclass
class OfficeJob:
    number: int
    order: CrawlOrder
    attempt: int = 0
    state: str = "new"
    until: Any = None
    ends: list[JobEnd] = field(default_factory=list)
    beats: list[Heartbeat] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    answers: dict[int, CommandAnswer] = field(default_factory=dict)
    arrivals: dict[str, Arrival] = field(default_factory=dict)
    digests: bytes = b""  # what the archive has already

    @property
    def files(self) -> list[str]:
        """The names of the W/ARC files that arrived."""
        return [name for name, arrival in self.arrivals.items() if arrival.offered.kind != "index"]

    @property
    def phases(self) -> list[str]:
        return [str(beat.phase) for beat in self.beats]


class Refusal(Exception):  # noqa: N818
    def __init__(self, status: int, code: str, **facts: object) -> None:
        super().__init__(code)
        self.status = status
        self.facts = {"code": code, "detail": f"Because of {code}.", **facts}


@dataclass
class Office:
    lease_seconds: float = 30.0
    address: str = ""
    jobs: dict[int, OfficeJob] = field(default_factory=dict)
    enrolled: Enrolment | None = None
    requests: list[LeaseRequest] = field(default_factory=list)
    proofs: set[str] = field(default_factory=set)
    lose: Counter[str] = field(default_factory=Counter)  # answers of these that are not sent, each so often
    cut: int = 0  # so many uploads are cut in the middle
    away: bool = False
    replicas_away: bool = False  # files land, and get no further
    odd: dict[str, list[tuple[int, dict[str, Any]] | None]] = field(default_factory=dict)  # said instead
    database_ahead: timedelta = timedelta(0)  # what the clock of the leases has on that of the answers
    refused: list[str] = field(default_factory=list)
    asked: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def order(self, number: int, order: CrawlOrder, digests: bytes = b"") -> OfficeJob:
        job = OfficeJob(number, order, digests=digests)
        with self.lock:
            self.jobs[number] = job
        return job

    def take_back(self, number: int) -> None:
        """As if another collector had it now."""
        with self.lock:
            job = self.jobs[number]
            job.attempt, job.state = job.attempt + 1, "elsewhere"

    # What is answered ------------------------------------------------------------------------------------

    def enrol(self, asked: Enrolment) -> Enrolled:
        same = self.enrolled is None or self.enrolled.signing_key == asked.signing_key
        if asked.code != CODE or not same:
            raise Refusal(403, "enrolment-code")
        self.enrolled = asked
        return Enrolled(name=asked.name, server_key=KEY.public)

    def lease(self, asked: LeaseRequest) -> LeaseAnswer:
        self.requests.append(asked)
        self._expire()
        for held in asked.held:
            job = self.jobs.get(held.job)
            if job is None or job.state not in {"new", "leased"}:
                return LeaseAnswer(abandon=(held,), wait_seconds=0.2)
            return self._leased(job, resume=True)
        waiting = [job for job in self.jobs.values() if job.state == "new"]
        if not waiting or not asked.free_slots:
            return LeaseAnswer(wait_seconds=0.3, reason="nothing to do")
        return self._leased(waiting[0], resume=False)

    def _leased(self, job: OfficeJob, *, resume: bool) -> LeaseAnswer:
        assert self.enrolled is not None
        job.attempt, job.state = job.attempt + 1, "leased"
        job.until = clock.now() + timedelta(seconds=self.lease_seconds)
        task = TaskOrder(
            job=job.number,
            attempt=job.attempt,
            resume=resume,
            lease_until=job.until + self.database_ahead,
            lease_seconds=self.lease_seconds,
            beat_seconds=0.3,
            order=job.order,
        )
        token = make_task_token(
            task,
            server=KEY,
            collector=self.enrolled.name,
            sealing_key=dict(self.enrolled.sealing_key),
            now=clock.now(),
            expires_at=job.until,
        )
        return LeaseAnswer(token=token, wait_seconds=0.3)

    def _expire(self) -> None:
        for job in self.jobs.values():
            if job.state == "leased" and job.until < clock.now():
                job.state = "new"

    def _fenced(self, number: int, attempt: int) -> OfficeJob:
        self._expire()
        job = self.jobs[number]
        if job.state != "leased" or job.attempt != attempt:
            raise Refusal(409, LEASE_LOST)
        return job

    def beat(self, number: int, beat: Heartbeat) -> HeartbeatAnswer:
        job = self._fenced(number, beat.attempt)
        job.beats.append(beat)
        job.until = clock.now() + timedelta(seconds=self.lease_seconds)
        job.answers |= {answer.id: answer for answer in beat.answers}
        unanswered = tuple(command for command in job.commands if command.id not in job.answers)
        until = job.until + self.database_ahead
        return HeartbeatAnswer(
            lease_until=until, lease_seconds=self.lease_seconds, commands=unanswered, beat_seconds=0.2
        )

    def offer(self, number: int, offered: FileOffered) -> FileState:
        job = self._fenced(number, offered.attempt)
        known = job.arrivals.setdefault(offered.name, Arrival(offered))
        if known.offered.sha256 != offered.sha256:
            raise Refusal(409, "other-content")
        return self._settled(known)

    def _settled(self, arrival: Arrival) -> FileState:
        if not self.replicas_away:
            arrival.settle()
        return arrival.state

    def receive(self, number: int, name: str, attempt: int, offset: int, chunk: bytes) -> FileState:
        arrival = self._fenced(number, attempt).arrivals[name]
        if offset != len(arrival.content):
            raise Refusal(409, "offset", received=len(arrival.content))
        arrival.content += chunk
        if len(arrival.content) == arrival.offered.size:
            assert hashlib.sha256(arrival.content).hexdigest() == arrival.offered.sha256
        return self._settled(arrival)

    def earlier(self, number: int, attempt: int) -> bytes:
        return self._fenced(number, attempt).digests

    def end(self, number: int, end: JobEnd) -> Ended:
        job = self.jobs[number]
        if job.ends and job.ends[-1] == end:
            return Ended(state=job.state)  # the answer was lost
        job = self._fenced(number, end.attempt)
        missing = [
            name
            for name in end.files
            if name not in job.arrivals or job.arrivals[name].state.state != "stored"
        ]
        if missing:
            raise Refusal(409, "not-stored", missing=missing)
        job.ends.append(end)
        job.state = "new" if end.kind == "returned" else str(end.kind)
        return Ended(state=job.state)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    office: Office

    def do_POST(self) -> None:
        """Answer, unless the test wants this one to be lost."""
        if not self._serve():
            self.close_connection = True
            self.connection.close()

    do_PUT = do_GET = do_POST  # noqa: N815  (names given by http.server)

    def _serve(self) -> bool:
        office = self.office
        verb = self.path.rpartition("/")[2].partition("?")[0]
        verb = "send" if self.command == "PUT" else verb
        if office.away:
            return False
        length = int(self.headers.get("Content-Length") or 0)
        if verb == "send" and office.cut:
            office.cut -= 1
            self.rfile.read(length // 2)
            return False
        body = self.rfile.read(length)
        with office.lock:
            odd = office.odd[verb].pop(0) if office.odd.get(verb) else None
            status, answer = odd or self._answered(verb, body)
            office.asked[verb] += 1
            if office.lose[verb] > 0:
                office.lose[verb] -= 1
                return False
        self._send(status, answer)
        return True

    def _answered(self, verb: str, body: bytes) -> tuple[int, dict[str, Any] | bytes]:
        try:
            if verb != "enrol":
                self._check(body)
            if verb == "digests":
                path = urlsplit(self.path)
                attempt = int(parse_qs(path.query)["attempt"][0])
                found = self.office.earlier(int(path.path.split("/")[4]), attempt)
                return (200 if found else 204), found
            return 200, self._document(verb, body).model_dump(mode="json")
        except Refusal as refusal:
            self.office.refused.append(str(refusal))
            return refusal.status, refusal.facts

    def _check(self, body: bytes) -> None:
        office = self.office
        assert office.enrolled is not None
        try:
            proof = verify_proof(
                self.headers["Authorization"],
                dict(office.enrolled.signing_key),
                method=self.command,
                target=self.path,
                now=clock.now(),
            )
            proof.check_body(body)
        except Untrusted:
            raise Refusal(401, "proof") from None
        if proof.id in office.proofs:
            raise Refusal(401, "proof")
        office.proofs.add(proof.id)

    def _document(self, verb: str, body: bytes) -> BaseModel:
        office = self.office
        path = urlsplit(self.path)
        if verb == "enrol":
            return office.enrol(Enrolment.model_validate_json(body))
        if verb == "lease":
            return office.lease(LeaseRequest.model_validate_json(body))
        number = int(path.path.split("/")[4])
        if verb == "heartbeat":
            return office.beat(number, Heartbeat.model_validate_json(body))
        if verb == "files":
            return office.offer(number, FileOffered.model_validate_json(body))
        if verb == "end":
            return office.end(number, JobEnd.model_validate_json(body))
        query = parse_qs(path.query)
        name = path.path.rpartition("/")[2]
        return office.receive(number, name, int(query["attempt"][0]), int(query["offset"][0]), body)

    def _send(self, status: int, answer: dict[str, Any] | bytes) -> None:
        body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle(self) -> None:
        with suppress(ConnectionError):  # the collector was killed
            super().handle()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (name given by http.server)
        """Nothing is told."""


@contextmanager
def open_office(*, lease_seconds: float = 30.0) -> Iterator[Office]:
    office = Office(lease_seconds)
    handler = type("Handler", (_Handler,), {"office": office})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        office.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield office
        finally:
            server.shutdown()
            thread.join()

"""What a collector asks of the server, over HTTP. Every request is proved anew, also when it is repeated."""

import ssl
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import httpx
from pydantic import BaseModel, ValidationError

import armarium
from armarium.collector.identity import Identity
from armarium.collector.job_folder import LeaseLost, Moment, end_of_lease
from armarium.core import clock
from armarium.core.collecting import (
    LEASE_LOST,
    REVOKED,
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
from armarium.core.errors import ArmariumError, Misconfigured, Unavailable
from armarium.core.message import message
from armarium.formats.token import Untrusted, open_task_token, prove

TIMEOUT = httpx.Timeout(30.0, connect=10.0)
BASE = "/api/collector"
JSON = "application/json"
BYTES = "application/octet-stream"
LONGEST_REASON = 300  # characters of an answer that is not one of ours
#: Codes with which the server itself refuses for good. All else may be a proxy's word, or pass by itself.
REFUSALS = frozenset(
    {
        "enrolment-code",
        "name-taken",
        "values",
        "too-large",
        "other-content",
        "no-offer",
        "offset",
        "checksum",
        "not-stored",
    }
)
CLOCKS_AGREE = timedelta(seconds=5)
MOST_APART = timedelta(minutes=5)  # a header says what it likes; it must not make an old token valid

D = TypeVar("D", bound=BaseModel)


class Denied(ArmariumError):  # noqa: N818  (reads as what happened)
    """The server refuses, and will refuse the same again. `code` is for programs."""

    def __init__(self, status: int, code: str, sentence: str, facts: Mapping[str, Any]) -> None:
        super().__init__(f"The server refuses ({status}{f', {code}' if code else ''}): {sentence}")
        self.status = status
        self.code = code
        self.facts = facts


class TooLarge(Unavailable):
    """A proxy on the way takes no request of this size; the server itself would have said so by a code."""


@dataclass(frozen=True)
class Link:
    """How the server is reached."""

    address: str
    ca_file: Path | None = None
    proxy: str | None = None

    def client(self) -> httpx.AsyncClient:
        try:
            trusted = ssl.create_default_context(cafile=str(self.ca_file) if self.ca_file else None)
        except (OSError, ssl.SSLError) as error:
            raise Misconfigured(
                message(
                    "The certificates of collector.ca_file (%(file)s) cannot be used: %(reason)s",
                    file=str(self.ca_file),
                    reason=str(error),
                )
            ) from None
        return httpx.AsyncClient(
            base_url=self.address,
            verify=trusted,
            proxy=self.proxy,
            timeout=TIMEOUT,
            trust_env=False,  # a proxy is a setting of ours, so that it can be seen
            headers={"User-Agent": f"armarium-collector/{armarium.__version__}"},
        )


@dataclass(frozen=True)
class _Answer:
    body: bytes
    asked: Moment
    date: datetime  # by the server's clock

    def read(self, kind: type[D]) -> D:
        try:
            return kind.model_validate_json(self.body)
        except ValidationError:
            raise Unavailable(
                f"The server answers with something that is no {kind.__name__}. "
                "Does collector.server name the site, and do both have the same version of Armarium?"
            ) from None

    def lease(self, given: TaskOrder | HeartbeatAnswer) -> Moment:
        """The end of a lease by our own clocks, which need not agree with those of the server's machines."""
        seconds = given.lease_seconds
        if seconds is None:
            seconds = (given.lease_until - self.date).total_seconds()
        return end_of_lease(self.asked, seconds)


class Server:
    """The other side, as this collector sees it."""

    def __init__(self, link: Link, identity: Identity) -> None:
        self.identity = identity
        self._client = link.client()
        self._ahead = timedelta(0)  # what the server's clock has on ours

    async def close(self) -> None:
        await self._client.aclose()

    async def enrol(self, enrolment: Enrolment) -> Enrolled:
        answer = await self._call("POST", f"{BASE}/enrol", enrolment, proved=False)
        return answer.read(Enrolled)

    async def lease(self, request: LeaseRequest) -> tuple[LeaseAnswer, TaskOrder | None, Moment]:
        """The answer, the task that is sealed in it, and until when that is ours."""
        answer = await self._call("POST", f"{BASE}/lease", request)
        found = answer.read(LeaseAnswer)
        if found.token is None:
            return found, None, answer.asked
        task = self._opened(found.token)
        return found, task, answer.lease(task)

    async def beat(self, job: int, beat: Heartbeat) -> tuple[HeartbeatAnswer, Moment]:
        answer = await self._call("POST", f"{BASE}/jobs/{job}/heartbeat", beat)
        found = answer.read(HeartbeatAnswer)
        return found, answer.lease(found)

    async def offer(self, job: int, file: FileOffered) -> FileState:
        return (await self._call("POST", f"{BASE}/jobs/{job}/files", file)).read(FileState)

    async def send(self, job: int, file: FileOffered, offset: int, chunk: bytes) -> FileState:
        target = f"{BASE}/jobs/{job}/files/{quote(file.name)}?attempt={file.attempt}&offset={offset}"
        return (await self._call("PUT", target, chunk)).read(FileState)

    async def digests(self, job: int, attempt: int) -> AsyncIterator[bytes]:
        """Captures that the archive has of the job's sites: lines of CDXJ, in pieces; nothing for none."""
        target = f"{BASE}/jobs/{job}/digests?attempt={attempt}"
        headers = {"Authorization": self._proof("GET", target, b"")}
        try:
            async with self._client.stream("GET", target, headers=headers) as response:
                self._date(response)
                if not response.is_success:
                    await response.aread()
                    raise _objection(response)
                async for piece in response.aiter_bytes():
                    yield piece
        except (httpx.HTTPError, OSError) as error:
            raise self._unreachable(error) from None

    async def end(self, job: int, end: JobEnd) -> Ended:
        return (await self._call("POST", f"{BASE}/jobs/{job}/end", end)).read(Ended)

    def _opened(self, token: str) -> TaskOrder:
        identity = self.identity
        assert identity.server_key is not None, "only an enrolled collector is given tokens"
        try:
            return open_task_token(
                token,
                identity.keys,
                collector=identity.name,
                server_key=identity.server_key,
                now=clock.now() + self._ahead,
            )
        except Untrusted as error:
            raise Unavailable(f"The server gave a task that cannot be used: {error}") from None

    async def _call(
        self, method: str, target: str, content: BaseModel | bytes, *, proved: bool = True
    ) -> _Answer:
        body = content if isinstance(content, bytes) else content.model_dump_json().encode()
        headers = {"Content-Type": BYTES if isinstance(content, bytes) else JSON}
        if proved:
            headers["Authorization"] = self._proof(method, target, body)
        asked = Moment.present()
        try:
            response = await self._client.request(method, target, content=body, headers=headers)
        except (httpx.HTTPError, OSError) as error:
            raise self._unreachable(error) from None
        date = self._date(response)
        if response.is_success:
            return _Answer(response.content, asked, date)
        raise _objection(response)

    def _proof(self, method: str, target: str, body: bytes) -> str:
        identity, moment = self.identity, clock.now() + self._ahead
        return prove(identity.keys, identity.name, method, target, body, moment)

    def _unreachable(self, error: Exception) -> Unavailable:
        reason = str(error) or type(error).__name__
        return Unavailable(f"The server {self._client.base_url} cannot be reached: {reason}.")

    def _date(self, response: httpx.Response) -> datetime:
        """When the server answered, by its own clock; with a proof by another clock it might refuse us."""
        present = clock.now()
        try:
            date = parsedate_to_datetime(response.headers["Date"]).astimezone(UTC)
        except (KeyError, ValueError):
            return present + self._ahead
        apart = date - present
        if abs(apart) > MOST_APART:
            raise Unavailable(
                f"The clock of this machine and that of the server {self._client.base_url} differ by "
                f"{abs(apart).total_seconds() / 60:.0f} minutes. Put the wrong one right."
            )
        self._ahead = apart if abs(apart) > CLOCKS_AGREE else timedelta(0)
        return date


def _objection(response: httpx.Response) -> ArmariumError:
    try:
        facts = response.json()
    except ValueError:
        facts = None
    if not isinstance(facts, dict):
        said = response.text.strip()  # a proxy's page in HTML is nothing to read to people
        facts = {"detail": "" if said.startswith("<") else said[:LONGEST_REASON]}
    code = str(facts.get("code") or "")
    sentence = str(facts.get("detail") or facts.get("title") or response.reason_phrase)
    if code == LEASE_LOST:
        return LeaseLost(sentence)
    if code == REVOKED:
        return Misconfigured(
            message(
                "%(reason)s Enrol this machine again under another name (collector.name), or take it away.",
                reason=sentence,
            )
        )
    if code in REFUSALS:
        return Denied(response.status_code, code, sentence, facts)
    kind = TooLarge if response.status_code == httpx.codes.REQUEST_ENTITY_TOO_LARGE else Unavailable
    return kind(f"The server does not answer as it should ({response.status_code}): {sentence}")

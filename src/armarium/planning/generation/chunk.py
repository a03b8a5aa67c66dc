"""What one chunk of candidates becomes: rows and parts, gathered first and written at once."""

import json
from typing import Any

from sqlalchemy import Connection

from armarium.core import clock
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.planning.generation import queries
from armarium.planning.generation.filling import Candidate, Filling, OpenJob, place_in_order
from armarium.planning.generation.order import DomainsPart, Frame, first_part
from armarium.planning.model import JobState

NONE = queries.NONE


class Chunk:
    """Placed in jobs, not yet written."""

    def __init__(self, filling: Filling) -> None:
        self._filling = filling
        self._lines: list[str] = []
        self._parts: dict[int, DomainsPart] = {}
        self._touched: dict[int, OpenJob] = {}

    def place(self, candidates: list[Candidate]) -> None:
        candidates.sort(key=place_in_order)
        for candidate in candidates:
            job = self._filling.place(candidate)
            self._lines.append(line_of(job.number, candidate))
            part = self._parts.get(job.number)
            if part is None:
                part = self._parts[job.number] = DomainsPart()
                self._touched[job.number] = job
            part.add(candidate)

    def write(self, connection: Connection, jobs: "JobMaker") -> None:
        """Rows of the jobs, their configurations, and the parts of their orders."""
        fresh = {job.number for job in self._filling.opened}
        parts = [(job.number, 0, jobs.first_part(job)) for job in self._filling.opened]
        for number, part in self._parts.items():
            job = self._touched[number]
            parts.append((number, job.parts, part.packed()))
            job.parts += 1
        # Jobs that took nothing may have got another reason for their end, those closed just now as well.
        others = [*self._filling.still_open(), *self._filling.closed]
        grown = {**self._touched, **{job.number: job for job in others}}
        queries.put_jobs(
            connection,
            [jobs.row(job) for job in self._filling.opened],
            [figures(job) for number, job in grown.items() if number not in fresh],
        )
        queries.put_parts(connection, parts)
        queries.copy_configurations(connection, self._lines)


def line_of(job: int, candidate: Candidate) -> str:
    """As COPY reads it; there is no text in it that would need escaping."""
    objects = NONE if candidate.max_objects is None else candidate.max_objects
    size = NONE if candidate.max_bytes is None else candidate.max_bytes
    return (
        f"{job}\t{candidate.configuration}\t{candidate.domain}\t{candidate.estimate}\t{objects}\t{size}"
        f"\t{candidate.limited_by}\n"
    )


def figures(job: OpenJob) -> dict[str, Any]:
    return {
        "id": job.number,
        "configurations": job.configurations,
        "estimate": job.total,
        "smallest": job.smallest,
        "largest": job.largest,
        "split": job.split.value,
    }


class JobMaker:
    """Rows and orders of the jobs of one run."""

    def __init__(self, connection: Connection, common: dict[str, Any], frame: Frame) -> None:
        self._connection = connection
        self._common = {**common, "created_at": clock.now(), "max_seconds": frame.max_seconds}
        self._frame = frame
        self._profiles: dict[int, Any] = {}

    def number(self) -> int:
        return queries.next_job(self._connection)

    def row(self, job: OpenJob, state: JobState = JobState.PLANNED) -> dict[str, Any]:
        version = self._profile(job.profile).version
        return {**self._common, **figures(job), "state": state.value, "profile_version": version}

    def first_part(self, job: OpenJob) -> bytes:
        profile = self._profile(job.profile)
        try:
            return first_part(job.number, profile.document, json.loads(job.overrides), self._frame)
        except Refused as refusal:
            raise Refused(
                message(
                    "The profile %(name)s and the settings of a configuration do not go together: "
                    "%(problem)s Correct one of them; the settings are: %(overrides)s",
                    name=profile.name,
                    problem=str(refusal),
                    overrides=job.overrides[:500],
                )
            ) from refusal

    def _profile(self, number: int) -> Any:
        if number not in self._profiles:
            self._profiles[number] = queries.newest_version(self._connection, number)
            if self._profiles[number] is None:
                raise Refused(message("The profile %(id)s has no version to make a job with.", id=number))
        return self._profiles[number]

"""The frozen order of a job, in parts: zstd-compressed JSON.

Part 0 is the order without seeds; each further part adds domains, as many as one chunk of the generation
brought. The parts never hold credentials: those are added when a collector takes the job.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from armarium.core.crawl_order import merged
from armarium.planning.generation.filling import Candidate
from armarium.planning.orders import packed
from armarium.planning.profiles.rules import DEFAULTS, order_of


@dataclass(frozen=True)
class Frame:
    """What all jobs of a run share."""

    harvest: int
    max_objects: int | None  # of each queue that has no budget of its own
    max_bytes: int | None
    max_seconds: int | None
    reject: Sequence[str]  # crawler traps, of all domains and of the harvest
    identity: Mapping[str, str] = field(default_factory=dict)  # where the profile names none
    file_prefix: str = ""


@dataclass
class DomainsPart:
    """Domains on their way into a part. The budget of each is for what comes from its seeds."""

    seeds: list[tuple[str, str]] = field(default_factory=list)
    budgets: dict[str, tuple[int | None, int | None]] = field(default_factory=dict)
    traps: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def add(self, candidate: Candidate) -> None:
        name = candidate.name
        for seed in candidate.seeds:
            self.seeds.append((seed, name))
        if candidate.max_objects is not None or candidate.max_bytes is not None:
            self.budgets[name] = (candidate.max_objects, candidate.max_bytes)
        if candidate.traps:
            self.traps[name] = candidate.traps

    def packed(self) -> bytes:
        return packed({"seeds": self.seeds, "budgets": self.budgets, "traps": self.traps})


def first_part(job: int, document: Mapping[str, Any], overrides: Mapping[str, Any], frame: Frame) -> bytes:
    """Part 0; raises `Refused` where profile and overrides give no order."""
    under = merged(DEFAULTS, {"identity": dict(frame.identity)})
    order = order_of(under, document, overrides, _settled(job, frame))
    facts = order.model_dump(mode="json", exclude={"seeds": True, "fetching": {"credentials"}})
    facts["scope"]["reject"] = [*facts["scope"]["reject"], *frame.reject]
    return packed({"order": facts})


def _settled(job: int, frame: Frame) -> dict[str, Any]:
    """What planning says, whatever the profile."""
    queues: dict[str, Any] = {}
    if frame.max_objects is not None:
        queues["max_objects"] = frame.max_objects
    if frame.max_bytes is not None:
        queues["max_bytes"] = frame.max_bytes
    prefix = f"{frame.file_prefix}-" if frame.file_prefix else ""
    return {
        "name": f"job-{job}",
        "queues": queues,
        # The name of a seed leads where its owner wants: into our own network, perhaps.
        "fetching": {"seeds_open_ranges": False},
        "limits": {} if frame.max_seconds is None else {"max_seconds": frame.max_seconds},
        "recording": {"values": {"prefix": f"{prefix}{job}-{frame.harvest}"}},
    }

"""Harvests as the API gives and takes them."""

from datetime import datetime
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from armarium.planning.harvests.dates import Volume
from armarium.planning.harvests.events import Pasted, Seeds
from armarium.planning.harvests.labels import note_of, standing, trouble_of
from armarium.planning.harvests.members import Added
from armarium.planning.harvests.model import Definition, Harvest, Run, RunState, Standing
from armarium.planning.model import HarvestKind, Missed
from armarium.web.paging import Amount, Id


class Given(BaseModel):
    model_config = ConfigDict(extra="forbid")


OF_A_RUN = "Of each run: all its jobs together."


class HarvestGiven(Given):
    """What a program says about a harvest."""

    name: str = Field(max_length=100)
    kind: HarvestKind = HarvestKind.SELECTIVE
    comments: str = ""
    audience: str = ""
    channel: Id | None = None
    schedule: Id | None = None
    missed: Missed = Missed.SKIP
    traps: list[str] = []
    max_objects: Amount | None = None
    max_bytes: Amount | None = None
    max_seconds: Amount | None = None
    total_objects: Amount | None = Field(None, description=OF_A_RUN)
    total_bytes: Amount | None = Field(None, description=OF_A_RUN)
    previous: Id | None = None
    fields: dict[str, Any] = {}

    def definition(self) -> Definition:
        return Definition(**{**self.model_dump(), "traps": tuple(self.traps)})


class HarvestPart(Given):
    """PATCH: only what is named changes; null takes a value away."""

    name: str = Field("", max_length=100)
    comments: str = ""
    audience: str = ""
    channel: Id | None = None
    schedule: Id | None = None
    missed: Missed = Missed.SKIP
    traps: list[str] = []
    max_objects: Amount | None = None
    max_bytes: Amount | None = None
    max_seconds: Amount | None = None
    total_objects: Amount | None = Field(None, description=OF_A_RUN)
    total_bytes: Amount | None = Field(None, description=OF_A_RUN)
    previous: Id | None = None
    fields: dict[str, Any] = {}
    next_at: AwareDatetime | None = None

    def over(self, before: Harvest) -> Definition:
        kept = {name: getattr(before, name) for name in Definition.__dataclass_fields__}
        said = self.model_dump(exclude_unset=True, exclude={"next_at"})
        values = {**kept, **said}
        return Definition(**{**values, "traps": tuple(values["traps"])})


class SeedsGiven(Given):
    seeds: list[str] = Field(max_length=100_000)
    profile: Id
    max_objects: Amount | None = None
    max_bytes: Amount | None = None

    def seeds_given(self) -> Seeds:
        return Seeds("\n".join(self.seeds), self.profile, self.max_objects, self.max_bytes)


class EventGiven(SeedsGiven):
    name: str = Field(max_length=100)
    comments: str = ""
    schedule: Id
    channel: Id | None = None
    total_objects: Amount | None = Field(None, description=OF_A_RUN)
    total_bytes: Amount | None = Field(None, description=OF_A_RUN)
    activate: bool = True

    def definition(self) -> Definition:
        return Definition(
            self.name,
            HarvestKind.EVENT,
            comments=self.comments,
            schedule=self.schedule,
            channel=self.channel,
            total_objects=self.total_objects,
            total_bytes=self.total_bytes,
        )


class BudgetGiven(Given):
    total_objects: Amount | None = Field(None, description="More than now; null: as it is.")
    total_bytes: Amount | None = Field(None, description="More than now; null: as it is.")


class NamesGiven(Given):
    names: list[str] = Field(max_length=100_000)
    configuration: str = Field("", description="Its name; empty: the default of each domain.")
    create: bool = Field(False, description="Create domains that do not exist yet.")


class RunShown(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    number: int | None
    state: RunState
    due_at: datetime
    begun_at: datetime | None
    generated_at: datetime | None
    configurations: int
    left_out: dict[str, int]
    error: str
    jobs: int
    unfinished: int
    failed: int
    objects: int
    bytes: int
    seconds: float
    total_objects: int | None = Field(description="The budget of all its jobs together.")
    total_bytes: int | None
    left_objects: int | None = Field(description="Of that budget; null: it has none.")
    left_bytes: int | None
    cut_off: int = Field(description="Jobs that ended because the budget was spent.")


class HarvestShown(HarvestGiven):
    id: int
    active: bool
    next_at: datetime | None
    next_by_hand: bool
    rhythm_from: datetime | None
    runs: int
    scheduled_runs: int
    state: Standing
    jobs_left: int = Field(description="Jobs of it that wait or run.")
    note: str = Field(description="What was said when it came to its end in order.")
    trouble: str = Field(description="Why Armarium deactivated it, if something is wrong.")
    created_at: datetime | None
    last_run: RunShown | None = None


class DoubtShown(BaseModel):
    text: str
    prevents: bool


class AddedShown(BaseModel):
    added: int
    known: int
    unknown: list[str]
    without: list[str]
    refused: dict[str, str]


class LineShown(BaseModel):
    line: int
    text: str
    result: str
    url: str
    reason: str


class PastedShown(BaseModel):
    harvest: HarvestShown
    domains: int
    created: int
    lines: list[LineShown]


class VolumeShown(BaseModel):
    runs: float
    objects: float
    bytes: float
    crawler_hours: float


class AppointmentShown(BaseModel):
    at: datetime
    harvest: int
    name: str
    expected: VolumeShown


def run_shown(run: Run) -> RunShown:
    return RunShown.model_validate(run)


def harvest_shown(harvest: Harvest, last: Run | None = None) -> HarvestShown:
    facts = {name: value for name, value in vars(harvest).items() if name in HarvestShown.model_fields}
    said = {"state": standing(harvest), "note": note_of(harvest), "trouble": trouble_of(harvest)}
    return HarvestShown.model_validate(
        {**facts, **said, "traps": list(harvest.traps), "last_run": run_shown(last) if last else None}
    )


def added_shown(added: Added) -> AddedShown:
    return AddedShown(
        added=added.added,
        known=added.known,
        unknown=list(added.unknown),
        without=list(added.without),
        refused={text: str(reason) for text, reason in added.refused},
    )


def pasted_shown(pasted: Pasted) -> PastedShown:
    return PastedShown(
        harvest=harvest_shown(pasted.harvest),
        domains=pasted.domains,
        created=pasted.created,
        lines=[
            LineShown(
                line=line.number,
                text=line.text,
                result=line.taken.value,
                url=line.url,
                reason=str(line.reason or ""),
            )
            for line in pasted.lines
        ],
    )


def volume_shown(volume: Volume) -> VolumeShown:
    return VolumeShown(
        runs=volume.runs, objects=volume.objects, bytes=volume.bytes, crawler_hours=volume.hours
    )

"""The API of profiles."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, ConfigDict, Field

from armarium.accounts.model import Permission
from armarium.planning.profiles import rules
from armarium.planning.profiles.model import Profile
from armarium.planning.profiles.service import Profiles
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import At, Listing, Number
from armarium.web.services import service

api = APIRouter(prefix="/profiles", tags=["profiles"])

ProfilesService = Annotated[Profiles, Depends(service(Profiles))]
VIEW = operation(Permission.PLANNING_VIEW)
RULES = operation(Permission.PLANNING_RULES)
MACHINES = Permission.COLLECTORS_MANAGE  # needed for what a profile says of the machines that crawl
FROM_ROW = ConfigDict(from_attributes=True)


class ProfileGiven(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = Field(max_length=100)
    description: str = Field("", max_length=10_000)
    document: dict[str, Any] = Field({}, description="Parts of a crawl order; what is not said is default.")
    reason: str = Field("", max_length=1000)


class ProfilePart(BaseModel):
    """PATCH: only what shall change. What a profile says is changed by a new version."""

    model_config = ConfigDict(extra="forbid")

    name: str | None = Field(None, max_length=100)
    description: str | None = Field(None, max_length=10_000)
    active: bool | None = None


class VersionGiven(BaseModel):
    model_config = ConfigDict(extra="forbid")

    document: dict[str, Any]
    reason: str = Field("", max_length=1000)


class Reason(BaseModel):
    model_config = ConfigDict(extra="forbid")

    reason: str = Field("", max_length=1000)


class ProfileShown(BaseModel):
    model_config = FROM_ROW

    id: int
    name: str
    description: str
    active: bool
    shipped: bool
    version: int
    document: dict[str, Any]


class VersionShown(BaseModel):
    model_config = FROM_ROW

    version: int
    document: dict[str, Any]
    reason: str
    by: str
    created_at: datetime


class DifferenceShown(BaseModel):
    model_config = FROM_ROW

    key: str
    before: Any
    after: Any


class UsageShown(BaseModel):
    model_config = FROM_ROW

    domain: int
    domain_name: str
    configuration: str
    active: bool


def shown(profile: Profile) -> ProfileShown:
    return ProfileShown.model_validate(profile)


@api.get("", summary="List profiles", **VIEW)
def list_profiles(profiles: ProfilesService, at: At) -> Listing[ProfileShown]:
    found, total = profiles.page(limit=at.limit, offset=at.place)
    return at.listing([shown(one) for one in found], total)


@api.post("", status_code=201, summary="Create a profile", **RULES)
def create_profile(visitor: Visitor, given: ProfileGiven, profiles: ProfilesService) -> ProfileShown:
    made = profiles.create(
        visitor.actor,
        given.name,
        description=given.description,
        document=given.document,
        reason=given.reason,
        machines=visitor.may(MACHINES),
    )
    return shown(made)


@api.get("/{number}", summary="Read a profile with its newest version", **VIEW)
def read_profile(number: Number, profiles: ProfilesService) -> ProfileShown:
    return shown(profiles.get(number))


@api.patch("/{number}", summary="Rename, describe or set aside a profile", **RULES)
def describe_profile(
    number: Number, visitor: Visitor, given: ProfilePart, profiles: ProfilesService
) -> ProfileShown:
    before = profiles.get(number)
    changed = profiles.describe(
        visitor.actor,
        number,
        name=before.name if given.name is None else given.name,
        description=before.description if given.description is None else given.description,
        active=before.active if given.active is None else given.active,
        seen=before.mark,
    )
    return shown(changed)


@api.get("/{number}/versions", summary="List the versions of a profile, newest first", **VIEW)
def list_versions(number: Number, profiles: ProfilesService, at: At) -> Listing[VersionShown]:
    found, total = profiles.versions(number, limit=at.limit, offset=at.place)
    return at.listing([VersionShown.model_validate(one) for one in found], total)


@api.post("/{number}/versions", status_code=201, summary="Make a new version of a profile", **RULES)
def make_version(
    number: Number, visitor: Visitor, given: VersionGiven, profiles: ProfilesService
) -> ProfileShown:
    machines = visitor.may(MACHINES)
    made = profiles.new_version(visitor.actor, number, given.document, given.reason, machines=machines)
    return shown(made)


@api.get("/{number}/versions/{which}", summary="Read a version of a profile", **VIEW)
def read_version(number: Number, which: Number, profiles: ProfilesService) -> VersionShown:
    return VersionShown.model_validate(profiles.version(number, which))


@api.post(
    "/{number}/versions/{which}/restore",
    status_code=201,
    summary="Make a new version that says what an older one said",
    **RULES,
)
def go_back(
    number: Number, which: Number, visitor: Visitor, given: Reason, profiles: ProfilesService
) -> ProfileShown:
    machines = visitor.may(MACHINES)
    return shown(profiles.go_back(visitor.actor, number, which, given.reason, machines=machines))


@api.get("/{number}/differences", summary="What differs between two versions of a profile", **VIEW)
def read_differences(
    number: Number,
    profiles: ProfilesService,
    before: Annotated[int, Query(ge=1, le=1_000_000)],
    after: Annotated[int, Query(ge=1, le=1_000_000)],
) -> list[DifferenceShown]:
    older, newer = profiles.version(number, before), profiles.version(number, after)
    found = rules.differences(older.document, newer.document)
    return [DifferenceShown.model_validate(one) for one in found]


@api.get("/{number}/configurations", summary="List the configurations that use a profile", **VIEW)
def list_usage(number: Number, profiles: ProfilesService, at: At) -> Listing[UsageShown]:
    found, total = profiles.usage(profiles.get(number).id, limit=at.limit, offset=at.place)
    return at.listing([UsageShown.model_validate(one) for one in found], total)

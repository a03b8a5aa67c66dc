"""The API of profiles."""

from typing import Annotated, Any

from fastapi import Depends, Query
from pydantic import BaseModel, ConfigDict, Field

from armarium.accounts.model import Permission
from armarium.planning.profiles import rules
from armarium.planning.profiles.rules import Difference, Profile, Usage, Version
from armarium.planning.profiles.service import Profiles
from armarium.web import schemas
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import At, Listing, Number
from armarium.web.routes import Router
from armarium.web.services import service

api = Router(prefix="/profiles", tags=["profiles"])

ProfilesService = Annotated[Profiles, Depends(service(Profiles))]
VIEW = operation(Permission.PLANNING_VIEW)
RULES = operation(Permission.PLANNING_RULES)
MACHINES = Permission.COLLECTORS_MANAGE  # needed for what a profile says of the machines that crawl


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


SHOWN = schemas.shown(Profile, "ProfileShown", without=("version_id",))
VERSION = schemas.shown(Version, "VersionShown", without=("id", "profile"))
DIFFERENCE = schemas.shown(Difference, "DifferenceShown")
USAGE = schemas.shown(Usage, "UsageShown")


@api.get("", summary="List profiles", response_model=schemas.listing(SHOWN), **VIEW)
def list_profiles(profiles: ProfilesService, at: At) -> Listing[Profile]:
    return at.listing(*profiles.page(limit=at.limit, offset=at.place))


@api.post("", status_code=201, summary="Create a profile", response_model=SHOWN, **RULES)
def create_profile(visitor: Visitor, given: ProfileGiven, profiles: ProfilesService) -> Profile:
    return profiles.create(
        visitor.actor,
        given.name,
        description=given.description,
        document=given.document,
        reason=given.reason,
        machines=visitor.may(MACHINES),
    )


@api.get("/{number}", summary="Read a profile with its newest version", response_model=SHOWN, **VIEW)
def read_profile(number: Number, profiles: ProfilesService) -> Profile:
    return profiles.get(number)


@api.patch("/{number}", summary="Rename, describe or retire a profile", response_model=SHOWN, **RULES)
def describe_profile(
    number: Number, visitor: Visitor, given: ProfilePart, profiles: ProfilesService
) -> Profile:
    before = profiles.get(number)
    return profiles.describe(
        visitor.actor,
        number,
        name=before.name if given.name is None else given.name,
        description=before.description if given.description is None else given.description,
        active=before.active if given.active is None else given.active,
        seen=before.mark,
    )


@api.get(
    "/{number}/versions",
    summary="List the versions of a profile, newest first",
    response_model=schemas.listing(VERSION),
    **VIEW,
)
def list_versions(number: Number, profiles: ProfilesService, at: At) -> Listing[Version]:
    return at.listing(*profiles.versions(number, limit=at.limit, offset=at.place))


@api.post(
    "/{number}/versions",
    status_code=201,
    summary="Create a new version of a profile",
    response_model=SHOWN,
    **RULES,
)
def make_version(number: Number, visitor: Visitor, given: VersionGiven, profiles: ProfilesService) -> Profile:
    machines = visitor.may(MACHINES)
    return profiles.new_version(visitor.actor, number, given.document, given.reason, machines=machines)


@api.get("/{number}/versions/{which}", summary="Read a version of a profile", response_model=VERSION, **VIEW)
def read_version(number: Number, which: Number, profiles: ProfilesService) -> Version:
    return profiles.version(number, which)


@api.post(
    "/{number}/versions/{which}/restore",
    status_code=201,
    summary="Create a new version with the settings of an older one",
    response_model=SHOWN,
    **RULES,
)
def go_back(
    number: Number, which: Number, visitor: Visitor, given: Reason, profiles: ProfilesService
) -> Profile:
    machines = visitor.may(MACHINES)
    return profiles.go_back(visitor.actor, number, which, given.reason, machines=machines)


@api.get(
    "/{number}/differences",
    summary="What differs between two versions of a profile",
    response_model=schemas.several(DIFFERENCE),
    **VIEW,
)
def read_differences(
    number: Number,
    profiles: ProfilesService,
    before: Annotated[int, Query(ge=1, le=1_000_000)],
    after: Annotated[int, Query(ge=1, le=1_000_000)],
) -> list[Difference]:
    older, newer = profiles.version(number, before), profiles.version(number, after)
    return rules.differences(older.document, newer.document)


@api.get(
    "/{number}/configurations",
    summary="List the configurations that use a profile",
    response_model=schemas.listing(USAGE),
    **VIEW,
)
def list_usage(number: Number, profiles: ProfilesService, at: At) -> Listing[Usage]:
    return at.listing(*profiles.usage(profiles.get(number).id, limit=at.limit, offset=at.place))

"""Commands for profiles: what the pages do, from a shell."""

from pathlib import Path
from typing import Annotated, Any

import typer

from armarium.core.errors import Refused
from armarium.planning.profiles import rules, toml
from armarium.planning.profiles.form import shown
from armarium.planning.profiles.rules import Profile
from armarium.planning.profiles.service import Profiles
from armarium.terminal.groups import group
from armarium.terminal.output import say, show_facts, show_json, show_rows, write
from armarium.terminal.session import Json, operator, service, session

profiles_commands = group("Profiles: how crawls behave, in versions.", old_names={"back": "restore"})

Name = Annotated[str, typer.Argument(help="The profile's name.")]
File = Annotated[Path, typer.Argument(help="A TOML file with parts of a crawl order.")]
Reason = Annotated[str, typer.Option(help="Why, for those who read the versions later.")]
MOST = 100_000


def described(profile: Profile) -> dict[str, Any]:
    return {"id": profile.id, **profile.described(), "shipped": profile.shipped, "document": profile.document}


def read(file: Path) -> dict[str, Any]:
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise Refused(f"{file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise Refused(f"{file} is not a text in UTF-8.") from error
    return toml.read(text)


@profiles_commands.command("list")
def list_profiles(context: typer.Context, as_json: Json = False) -> None:
    """List profiles."""
    with session(context).services() as services:
        found, _ = services.get(Profiles).page(limit=MOST)
    rows = ((one.name, one.version, one.active, one.description) for one in found)
    facts = [described(one) for one in found]
    return show_rows(
        facts,
        as_json,
        ("Name", "Version", "Active", "Description"),
        rows,
        empty="No profiles.",
        noun="profile",
    )


@profiles_commands.command("show")
def show_profile(
    context: typer.Context,
    name: Name,
    version: Annotated[int | None, typer.Option(help="Another than the newest.", min=1)] = None,
    as_json: Json = False,
) -> None:
    """Show a profile as TOML: what differs from the defaults of a crawl order."""
    with service(context, Profiles) as profiles:
        profile = profiles.named(name)
        found = profiles.version(profile.id, version or profile.version)
    if as_json:
        return show_json({**described(profile), "version": found.version, "document": found.document})
    return write(toml.written(found.document, head=f"Profile {profile.name}, version {found.version}"))


@profiles_commands.command("add")
def add_profile(
    context: typer.Context,
    name: Name,
    file: File,
    description: Annotated[str, typer.Option(help="What it is for.")] = "",
    reason: Reason = "",
    as_json: Json = False,
) -> None:
    """Create a profile from a file."""
    document = read(file)
    with service(context, Profiles) as profiles:
        made = profiles.create(operator(), name, description=description, document=document, reason=reason)
    return show_json(described(made)) if as_json else say(f"Profile {made.name} is created.")


@profiles_commands.command("update")
def update_profile(
    context: typer.Context, name: Name, file: File, reason: Reason = "", as_json: Json = False
) -> None:
    """Create a new version of a profile from a file."""
    document = read(file)
    with service(context, Profiles) as profiles:
        made = profiles.new_version(operator(), profiles.named(name).id, document, reason)
    return (
        show_json(described(made)) if as_json else say(f"Version {made.version} of {made.name} is created.")
    )


@profiles_commands.command("edit")
def edit_profile(
    context: typer.Context,
    name: Name,
    new_name: Annotated[str | None, typer.Option("--name", help="Another name.")] = None,
    description: Annotated[str | None, typer.Option(help="What it is for.")] = None,
    active: Annotated[
        bool | None, typer.Option("--active/--set-aside", help="May be chosen, or not.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Rename, describe or set aside a profile; what it says is changed by `update`."""
    with service(context, Profiles) as profiles:
        before = profiles.named(name)
        after = profiles.describe(
            operator(),
            before.id,
            name=before.name if new_name is None else new_name,
            description=before.description if description is None else description,
            active=before.active if active is None else active,
        )
    return show_json(described(after)) if as_json else show_facts(after.described())


@profiles_commands.command("versions")
def list_versions(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """List the versions of a profile, newest first."""
    with service(context, Profiles) as profiles:
        found, _ = profiles.versions(profiles.named(name).id, limit=MOST)
    rows = ((one.version, one.created_at, one.by, one.reason) for one in found)
    facts = [vars(one) for one in found]
    return show_rows(facts, as_json, ("Version", "Created", "By", "Reason"), rows)


@profiles_commands.command("diff")
def show_differences(
    context: typer.Context,
    name: Name,
    before: Annotated[int, typer.Argument(help="The older version.", min=1)],
    after: Annotated[int | None, typer.Argument(help="The newer; without it, the newest.", min=1)] = None,
    as_json: Json = False,
) -> None:
    """Show what differs between two versions of a profile."""
    with service(context, Profiles) as profiles:
        profile = profiles.named(name)
        older = profiles.version(profile.id, before)
        newer = profiles.version(profile.id, after or profile.version)
    found = rules.differences(older.document, newer.document)
    rows = ((one.key, shown(one.before) or "default", shown(one.after) or "default") for one in found)
    columns = ("Key", f"Version {older.version}", f"Version {newer.version}")
    facts = [vars(one) for one in found]
    return show_rows(facts, as_json, columns, rows, empty="Nothing differs.")


@profiles_commands.command("restore")
def go_back(
    context: typer.Context,
    name: Name,
    version: Annotated[int, typer.Argument(help="The version whose content shall hold again.", min=1)],
    reason: Reason = "",
    as_json: Json = False,
) -> None:
    """Create a new version that says what an older one said."""
    with service(context, Profiles) as profiles:
        made = profiles.go_back(operator(), profiles.named(name).id, version, reason)
    return (
        show_json(described(made)) if as_json else say(f"Version {made.version} of {made.name} is created.")
    )

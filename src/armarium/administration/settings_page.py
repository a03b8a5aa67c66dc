"""The settings in force, to look at: they are changed in the file or the environment."""

from collections.abc import Sequence
from itertools import groupby
from typing import Annotated, Any

from fastapi import Depends
from pydantic import BaseModel, ConfigDict
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.settings import Settings
from armarium.settings.load import FILE_NAME
from armarium.settings.origin import InFile, Variable
from armarium.settings.plain import plain
from armarium.settings.section import Section, help_of, keys_of
from armarium.settings.show import Row, rows, written
from armarium.web.api import operation
from armarium.web.guard import needs
from armarium.web.routes import Router
from armarium.web.services import service
from armarium.web.shell import PageShell

pages = Router(prefix="/administration/settings", dependencies=[Depends(needs(Permission.SETTINGS_VIEW))])
api = Router(tags=["system"])

SettingsService = Annotated[Settings, Depends(service(Settings))]


@pages.get("")
def settings_page(request: Request, page: PageShell, settings: SettingsService) -> Response:
    context: dict[str, Any] = {
        "file": str(settings.file or settings.home / FILE_NAME),
        "exists": settings.file is not None,
        "groups": groups(settings),
    }
    return page.page(request, "administration/settings.html", **context)


def groups(settings: Settings) -> list[dict[str, Any]]:
    sections = {section.section_name: section for section in settings.sections}
    return [
        {
            "name": name,
            "help": help_of(sections[name]),
            "keys": shown(settings, sections[name], list(members)),
        }
        for name, members in groupby(rows(settings), key=lambda row: row.section)
    ]


def shown(settings: Settings, section: type[Section], members: Sequence[Row]) -> list[dict[str, Any]]:
    declared = {key.name: key for key in keys_of(section)}
    found = []
    for row in members:
        origin = settings.origin(section, row.key)
        kind = (
            "file"
            if isinstance(origin, InFile)
            else "environment"
            if isinstance(origin, Variable)
            else "default"
        )
        found.append(
            {
                "name": row.key,
                "value": written(row.value),
                "secret": declared[row.key].secret,
                "default": written(plain(declared[row.key].default)),
                "help": row.help,
                "origin": kind,
                "variable": row.variable,
            }
        )
    return found


class SettingShown(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    section: str
    key: str
    value: Any
    origin: str
    variable: str
    help: str


@api.get(
    "/settings", summary="Read the settings in force, secrets masked", **operation(Permission.SETTINGS_VIEW)
)
def read_settings(settings: SettingsService) -> list[SettingShown]:
    return [SettingShown.model_validate(row) for row in rows(settings)]

"""How the frame leads its reader to archived content, on the other origin."""

from typing import Protocol

from starlette.responses import Response

from armarium.access.door.site import Visit
from armarium.access.settings import AccessSettings


class Entering(Protocol):
    """How the frame leads its reader to archived content."""

    def src(self, visit: Visit, path: str, *, one_reader: bool = False) -> str:
        """The address for the frame. `path` lies on the content's origin."""

    def dress(self, visit: Visit, response: Response) -> None:
        """Give the page that has the frame the cookie that the address needs, if any."""


class PlainEntrance:
    """Without a house everybody is the same."""

    def __init__(self, settings: AccessSettings) -> None:
        self._settings = settings

    def src(self, visit: Visit, path: str, *, one_reader: bool = False) -> str:  # noqa: ARG002
        return self._settings.content + path

    def dress(self, visit: Visit, response: Response) -> None: ...

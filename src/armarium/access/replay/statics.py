"""The few files that archived pages are given: wombat, as it was installed, and our own small script."""

from importlib import resources

from armarium.access.replay.guarding import Guards
from armarium.access.replay.model import Field, Reply
from armarium.access.settings import AccessSettings
from armarium.access.wombat import FILES, wombat_folder

OWN = "content.js"
_KEPT: Field = ("Cache-Control", "public, max-age=3600")
_TYPE: Field = ("Content-Type", "text/javascript; charset=utf-8")


class Statics:
    """Read once: a page asks for them each time."""

    def __init__(self, settings: AccessSettings, guards: Guards) -> None:
        self._headers = [*guards.of_archived(None, downloads=False), _KEPT, _TYPE]
        script = resources.files("armarium.access") / "static" / OWN
        self._files = {OWN: script.read_bytes().replace(b"@READING@", settings.reading.encode("ascii"))}
        folder = wombat_folder(settings)
        if folder is not None:
            self._files |= {name: (folder / name).read_bytes() for name in FILES if (folder / name).is_file()}

    def get(self, name: str) -> Reply | None:
        content = self._files.get(name)
        if content is None:
            return None
        return Reply(200, [*self._headers, ("Content-Length", str(len(content)))], content)

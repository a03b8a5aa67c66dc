"""The files that the readers' pages need: those of the house's design, and their own."""

import re
from functools import lru_cache
from hashlib import sha256
from importlib import resources

from starlette.responses import Response

from armarium.access.door.site import Visit
from armarium.core.errors import NotFound
from armarium.core.message import message

BELOW = "/-/static/"
_PACKAGES = ("armarium.access", "armarium.web")  # the first that has the file
_NAME = re.compile(r"[a-z][a-z0-9_-]*\.(?:css|js|svg)\Z")
_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
_YEAR_SECONDS = 31_536_000


@lru_cache(maxsize=200)
def content_of(name: str) -> tuple[bytes, str]:
    """A file, and a mark that changes with it; raises `NotFound`."""
    if _NAME.match(name):
        for package in _PACKAGES:
            file = resources.files(package) / "static" / name
            if file.is_file():
                content = file.read_bytes()
                return content, sha256(content).hexdigest()[:12]
    raise NotFound(message("There is no such file."))


def address(name: str) -> str:
    """With a mark of its content, so that browsers may keep it for long."""
    return f"{BELOW}{name}?v={content_of(name)[1]}"


def serve(visit: Visit) -> Response:
    name, _, asked = visit.rest.partition("?")
    content, mark = content_of(name)
    # During an upgrade an old process may be asked for a new file: its content must not be kept as such.
    kept = f"max-age={_YEAR_SECONDS}, immutable" if asked == f"v={mark}" else "max-age=60"
    kind = _TYPES[name.rpartition(".")[2]]
    return Response(content, media_type=kind, headers={"Cache-Control": f"public, {kept}"})

"""Where wombat lies, which rewrites addresses inside the browser. It is installed, never part of Armarium."""

import sys
from pathlib import Path

from armarium.access.settings import AccessSettings

FILES = ("wombat.js", "wombatWorkers.js", "wombatProxyMode.js", "autoFetchWorker.js")
_INSTALLED = Path("apart") / "pywb" / "static"  # below the environment, as ./run installs it


def wombat_folder(settings: AccessSettings) -> Path | None:
    """The folder; None where there is none: scripts of archived pages then meet addresses of the live web."""
    folder = settings.wombat or Path(sys.prefix) / _INSTALLED
    return folder if (folder / FILES[0]).is_file() else None

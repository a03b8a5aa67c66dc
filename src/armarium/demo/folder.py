"""The folder of the demonstration: beside that of the archive, and known by a file in it."""

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path

from armarium.core.errors import Refused
from armarium.core.folders import make_private
from armarium.core.message import Message, message
from armarium.settings.load import DEFAULT_HOME, FILE_NAME
from armarium.settings.section import HOME

SUFFIX = "-demo"
MARKER = "demonstration.json"
WHAT = "A demonstration of Armarium: `armarium demo --clean` removes this folder with all that is in it."


class DemoState(StrEnum):
    BUILDING = "building"  # or killed while it was built
    BUILT = "built"
    BY_HAND = "by-hand"  # a house in which nothing was entered


@dataclass(frozen=True)
class Ports:
    """Of the loopback. The last two are part of what is archived, and stay."""

    staff: int
    readers: int
    web: int
    names: int


@dataclass(frozen=True)
class Facts:
    """What a later start has to know."""

    state: DemoState
    ports: Ports
    password: str  # of all accounts: it is a toy, and only this machine reaches it
    figures: Mapping[str, int] = field(default_factory=dict)  # of the summary
    example: Mapping[str, str] = field(default_factory=dict)  # the page to look at, with its two dates


@dataclass(frozen=True)
class DemoFolder:
    path: Path

    @classmethod
    def beside(cls, home: Path | None, environ: Mapping[str, str]) -> "DemoFolder":
        """The one that goes with the data folder that is meant."""
        chosen = (home or Path(environ.get(HOME) or DEFAULT_HOME)).absolute()
        return cls(chosen.parent / (chosen.name + SUFFIX))

    @classmethod
    def around(cls, inside: Path) -> "DemoFolder":
        """The one in which something lies."""
        for folder in inside.absolute().parents:
            if (folder / MARKER).is_file():
                return cls(folder)
        raise Refused(message("%(path)s lies in no demonstration of Armarium.", path=str(inside)))

    @property
    def marker(self) -> Path:
        return self.path / MARKER

    @property
    def settings(self) -> Path:
        return self.path / FILE_NAME

    @property
    def web(self) -> Path:
        """Where the small web keeps which edition it serves."""
        return self.path / "web"

    @property
    def serving(self) -> Path:
        """It is there while the small web answers: another program may have its port."""
        return self.web / "serving"

    @property
    def mishap(self) -> Path:
        """While it is there, the next job fails."""
        return self.web / "mishap"

    @property
    def log(self) -> Path:
        return self.path / "logs" / "house.log"

    def facts(self) -> Facts | None:
        """None: there is no demonstration."""
        try:
            written = json.loads(self.marker.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValueError):  # killed by a full disk, or by somebody's editor
            written = {}
        try:
            return Facts(
                DemoState(written["state"]),
                Ports(**written["ports"]),
                written["password"],
                written["figures"],
                written["example"],
            )
        except (KeyError, TypeError, ValueError):
            return Facts(DemoState.BUILDING, Ports(0, 0, 0, 0), "")

    def begin(self, facts: Facts) -> None:
        """Make the folder, with the file by which it is known before anything else."""
        self.refuse_foreign()
        make_private(self.path, way=True)
        self.write(facts)
        for folder in (self.web, self.log.parent):
            folder.mkdir(mode=0o700, exist_ok=True)

    def write(self, facts: Facts) -> None:
        half = self.marker.with_suffix(".half")
        half.unlink(missing_ok=True)
        half.touch(mode=0o600)
        half.write_text(json.dumps({"what": WHAT, **asdict(facts)}, indent=2) + "\n")
        half.replace(self.marker)

    def refuse_foreign(self) -> None:
        """Whatever is there and was not made by us is left alone, whatever it says of itself."""
        if self.path.is_symlink() or (self.path.exists() and not self.path.is_dir()):
            raise Refused(self._foreign())
        if not self.path.is_dir():
            return
        if self.path.stat().st_uid != os.geteuid():
            raise Refused(self._of_somebody())
        if self.marker.is_symlink() or (not self.marker.is_file() and any(self.path.iterdir())):
            raise Refused(self._foreign())

    def remove(self) -> None:
        """With all that is in it. The file by which it is known goes last: a removal may be interrupted.
        It is emptied first, which a full disk allows too: what is half removed must not be opened again."""
        self.refuse_foreign()
        if not self.path.is_dir():
            return
        if self.marker.is_file():
            os.truncate(self.marker, 0)
        for entry in self.path.iterdir():
            if entry == self.marker:
                continue
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()
        self.marker.unlink(missing_ok=True)
        self.path.rmdir()

    def _foreign(self) -> Message:
        return message(
            "%(path)s is no demonstration of Armarium: it has no file %(marker)s. Nothing in it was touched. "
            "Move it away, or choose another place with ARMARIUM_HOME: the demonstration lies beside that "
            "folder.",
            path=str(self.path),
            marker=MARKER,
        )

    def _of_somebody(self) -> Message:
        return message(
            "%(path)s belongs to another user of this machine. Nothing in it was touched. Choose another "
            "place with ARMARIUM_HOME: the demonstration lies beside that folder.",
            path=str(self.path),
        )

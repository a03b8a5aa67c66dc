"""What the name of a W/ARC file tells, under which name the archive keeps it, and by which rules."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from pydantic import ValidationError

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.storage.backends.place import FILE_NAME
from armarium.storage.model import FileKind

# `42-117-20051212141240-00000-host`: job and harvest, by NetarchiveSuite and by our own collectors, which may
# put a prefix before them, and behind them the number of a later attempt. The time has 14 digits, of newer
# crawlers 17.
_ATTEMPT = r"(?:\.\d{1,9})?"
_DATA = re.compile(
    r"(?:[A-Za-z0-9_]+-)?(?P<job>\d{1,18})-(?P<harvest>\d{1,18})"
    rf"{_ATTEMPT}-\d{{14}}(?:\d{{3}})?-\d{{1,9}}-.+"
)
# `42-metadata-1`, and `job-42-metadata-1` of our own.
_METADATA = re.compile(rf"(?P<ours>job-)?(?P<job>\d{{1,18}}){_ATTEMPT}-metadata-\d{{1,9}}(?:\D.*)?")
_IS_METADATA = re.compile(r"(?:^|-)metadata-\d+\.")
_SUFFIX = re.compile(r"(?:-metadata-\d{1,9}(?=\.))?(?:\.w?arc)?(?:\.(?:gz|zst))?\Z", re.IGNORECASE)
_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 150  # of a name that had to be changed, without its suffixes and the mark


@dataclass(frozen=True)
class NamedJob:
    """Job and harvest as a name tells them; they are numbers of whoever harvested."""

    job: int
    harvest: int | None = None

    def __str__(self) -> str:
        return str(self.job) if self.harvest is None else f"{self.job}-{self.harvest}"


def named_job(name: str) -> NamedJob | None:
    if found := _DATA.fullmatch(name):
        return NamedJob(int(found["job"]), int(found["harvest"]))
    found = _METADATA.fullmatch(name)
    return NamedJob(int(found["job"])) if found else None


def kind_of(name: str) -> FileKind:
    return FileKind.METADATA if _IS_METADATA.search(name) else FileKind.DATA


def is_fit(name: str) -> bool:
    """Whether a replica can keep a file under this name."""
    try:
        FILE_NAME.validate_python(name)
    except ValidationError:
        return False
    return True


def archive_name(name: str) -> str:
    """The name as it is, where a replica can keep it; else one made from it, the same each time.

    The mark is taken from the whole name: two odd names that look alike without their oddities stay two.
    """
    if is_fit(name):
        return name
    ends = _SUFFIX.search(name)
    suffix = ends[0] if ends else ""
    stem = _UNFIT.sub("_", name.removesuffix(suffix)).lstrip("._-")[:_LONGEST] or "unnamed"
    mark = hashlib.sha256(name.encode("utf-16", "surrogatepass")).hexdigest()[:8]
    return f"{stem}-{mark}{suffix}"


def rename_rule(text: str) -> tuple[str, str]:
    """What is to be found and what comes in its place, of a rule as sed has it: s/old/new/."""
    parts = text[2:].split(text[1:2] or "/")
    if not text.startswith("s") or len(parts) != 3 or not parts[0] or parts[2]:
        raise Refused(
            message(
                "“%(rule)s” is not a rule. Write s/old/new/; any other character may replace /.", rule=text
            ),
            field="rename",
        )
    return parts[0], parts[1]


@dataclass(frozen=True)
class Rules:
    """By which files of an import are named and admitted: said once, and written down with it."""

    prefix: str = ""  # before every name
    renames: Sequence[tuple[str, str]] = ()  # pattern and what comes in its place, one after the other
    damaged: bool = False  # also what cannot be read, if it claims to be a W/ARC file
    passed_over: Sequence[str] = ()  # names that need not be taken; * stands for anything

    def __post_init__(self) -> None:
        for pattern, replacement in self.renames:
            try:
                re.compile(pattern).sub(replacement, "")
            except (re.error, IndexError) as error:
                raise Refused(
                    message(
                        "The rule “%(pattern)s” → “%(replacement)s” cannot be used: %(reason)s.",
                        pattern=pattern,
                        replacement=replacement,
                        reason=error,
                    ),
                    field="rename",
                ) from error

    def renamed(self, name: str) -> str:
        for pattern, replacement in self.renames:
            name = re.sub(pattern, replacement, name)
        return f"{self.prefix}{name}"

    def passes_over(self, name: str) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in self.passed_over)

    def described(self) -> dict[str, object]:
        """What differs from an import without rules, for the audit log."""
        told: dict[str, object] = {
            "prefix": self.prefix,
            "rename": [f"{pattern} → {replacement}" for pattern, replacement in self.renames],
            "damaged": self.damaged,
            "pass_over": list(self.passed_over),
        }
        return {name: value for name, value in told.items() if value}

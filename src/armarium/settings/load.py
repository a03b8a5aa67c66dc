"""Load the settings: defaults, over them the file, over that the environment; or every problem at once."""

import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import SecretStr, ValidationError

from armarium.settings.document import read
from armarium.settings.kinds import Location, Unfit
from armarium.settings.layers import Layer, from_environment, from_file
from armarium.settings.plain import described, shown
from armarium.settings.problems import Argument, Default, InFile, Origin, Problem, Variable, WrongSettings
from armarium.settings.section import FILE, HOME, Catalogue, Key, Section, keys_of

# --- From the given values of a section to the section itself, or to problems in our own words.


SIZE_WORDS = {
    "greater_than_equal": "must be at least {ge}",
    "greater_than": "must be more than {gt}",
    "less_than_equal": "must be at most {le}",
    "less_than": "must be less than {lt}",
}
SHAPE_WORDS = {
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
    "string_pattern_mismatch": "must match the pattern {pattern}",
    "too_short": "must have at least {min_length} {unit}",  # pydantic says this of lists and of secrets
    "too_long": "must have at most {max_length} {unit}",
}


def build(section: type[Section], layer: Layer, *, complete: bool = True) -> Section | list[Problem]:
    """Make the section from its part of the layer.

    `complete` is False when some of its values were already refused: then its rules about several keys
    together would judge defaults that nobody chose, and are not reported.
    """
    name = section.section_name
    given = {key: layer[name, key].value for key in section.model_fields if (name, key) in layer}
    try:
        return section(**given)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
    keys = {key.name: key for key in keys_of(section)}
    problems = []
    for detail in details:
        key = keys[str(detail["loc"][0])] if detail["loc"] else None
        if key is not None or complete:
            sentence = (
                f"{key} {_about_key(key, detail, given)}." if key else f"[{name}] {_said(detail, given)}."
            )
            problems.append(Problem(_where(name, key, given, layer), sentence, section=name))
    return problems


def _where(section: str, key: Key | None, given: Mapping[str, object], layer: Layer) -> Origin:
    """The place of the key; for a rule about the whole section, the first of its values that was given."""
    names = [key.name] if key else list(given)
    places = [layer[section, name].origin for name in names if (section, name) in layer]
    return places[0] if places else Default()


def _about_key(key: Key, detail: Mapping[str, Any], given: Mapping[str, object]) -> str:
    limits = {**detail.get("ctx", {}), **key.limits}  # as declared: pydantic has made 0 into 0.0
    if detail["type"] in SIZE_WORDS:
        value = given.get(key.name, key.default)
        return f"{SIZE_WORDS[detail['type']].format(**limits)}, but is {described(value)}"
    if detail["type"] in SHAPE_WORDS:
        if limits.get("min_length") == 1 and detail["type"].endswith("too_short"):
            return "must not be empty"
        unit = "items" if key.several else "characters"
        return SHAPE_WORDS[detail["type"]].format(**limits, unit=unit)
    return _said(detail, given)


def _said(detail: Mapping[str, Any], given: Mapping[str, object]) -> str:
    """The words of a section's own rule, which may have repeated a password that it was given."""
    error = detail.get("ctx", {}).get("error")
    said = str(error) if error is not None else str(detail["msg"])
    secrets = [value.get_secret_value() for value in given.values() if isinstance(value, SecretStr)]
    if any(secret and secret in said for secret in secrets):
        return "is not acceptable (the reason is not shown, as it repeats a secret)"
    return shown(said, longest=300).rstrip(".")


# --- Everything together.


DEFAULT_HOME = Path("armarium-data")
FILE_NAME = "armarium.toml"

S = TypeVar("S", bound=Section)


@dataclass(frozen=True)
class Settings:
    home: Path  # the data folder, absolute; it need not exist yet
    home_origin: Origin
    file: Path | None  # the file that was read, absolute
    sections: Mapping[type[Section], Section]
    origins: Mapping[tuple[str, str], Origin]  # (section, key); those not in it are defaults

    def __getitem__(self, section: type[S]) -> S:
        """The section with its values; `KeyError` means that it is missing in the list given to `load`."""
        found = self.sections[section]
        assert isinstance(found, section)
        return found

    def origin(self, section: type[Section], key: str) -> Origin:
        return self.origins.get((section.section_name, key), Default())


def load(
    sections: Iterable[type[Section]],
    *,
    home: Path | None = None,
    file: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """Read the settings of these sections; raises `WrongSettings` with every problem there is.

    `home` and `file` are what the command line says; without them the environment decides, then the defaults.
    """
    environ = os.environ if environ is None else environ
    catalogue = Catalogue(sections)
    problems: list[Problem] = []
    folder, home_origin = _home(home, environ, problems)
    path = _file(folder, file, environ, problems)
    written = _written(path, catalogue, problems)
    overriding, refused = from_environment(environ, catalogue)
    problems += refused
    built = _build(catalogue, written, overriding, problems)
    if problems:
        raise WrongSettings(problems)
    origins = {name: given.origin for name, given in (written | overriding).items()}
    return Settings(folder, home_origin, path, built, origins)


def _home(argument: Path | None, environ: Mapping[str, str], problems: list[Problem]) -> tuple[Path, Origin]:
    origin: Origin = (
        Argument() if argument is not None else Variable(HOME) if environ.get(HOME) else Default()
    )
    named = str(argument) if argument is not None else environ.get(HOME) or str(DEFAULT_HOME)
    folder = _absolute(named, origin, problems)
    if folder is not None:
        _check_folder(folder, origin, problems)
    return folder or DEFAULT_HOME, origin


def _check_folder(folder: Path, origin: Origin, problems: list[Problem]) -> None:
    try:
        if folder.is_dir() or not folder.exists():
            return
        reason = "it is not a folder"
    except OSError as error:
        reason = str(error.strerror)
    what = f"{shown(str(folder), longest=4096)} cannot be the data folder: {reason}."
    problems.append(Problem(origin, what, "Name another folder; it is made when it does not exist."))


def _file(
    home: Path, argument: Path | None, environ: Mapping[str, str], problems: list[Problem]
) -> Path | None:
    """The file to read: one that somebody named must exist, the one in the data folder may be missing."""
    if argument is not None:
        return _absolute(str(argument), Argument(), problems)
    if environ.get(FILE):
        return _absolute(environ[FILE], Variable(FILE), problems)
    standard = home / FILE_NAME
    try:
        standard.lstat()  # not exists(): a link to nowhere was meant to be a settings file
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        pass  # whoever reads it says what is wrong
    return standard


def _absolute(named: str, origin: Origin, problems: list[Problem]) -> Path | None:
    try:
        return Location().from_text(named).absolute()
    except Unfit as unfit:
        problems.append(Problem(origin, f"{shown(named)} must be {unfit.expected}."))
    except OSError as error:
        what = f"{shown(named)} cannot be found from the current folder: {error.strerror}."
        problems.append(Problem(origin, what, "Go to a folder that exists, or give the whole path."))
    return None


def _written(path: Path | None, catalogue: Catalogue, problems: list[Problem]) -> Layer:
    if path is None:
        return {}
    document = read(path)
    if isinstance(document, Problem):
        problems.append(document)
        return {}
    layer, refused = from_file(document, catalogue)
    problems += refused
    return layer


def _build(
    catalogue: Catalogue, written: Layer, overriding: Layer, problems: list[Problem]
) -> dict[type[Section], Section]:
    damaged = {problem.section for problem in problems}
    built: dict[type[Section], Section] = {}
    for name, section in catalogue.sections.items():
        # The file is judged by itself too: a wrong value that a variable covers today comes back tomorrow.
        alone = build(section, written, complete=False)
        whole = build(section, written | overriding, complete=name not in damaged)
        problems += [] if isinstance(alone, Section) else alone
        if isinstance(whole, Section):
            built[section] = whole
        else:
            problems += whole
    return built


# --- Whether the settings file shows a secret to everybody on the machine.


def exposed_secrets(settings: Settings) -> list[str]:
    """The secrets in a file that everybody may read, as `mail.password`; none if it is closed."""
    try:
        if settings.file is None or not settings.file.stat().st_mode & stat.S_IROTH:
            return []
    except OSError:  # taken away since it was read
        return []
    return [
        f"{key.section}.{key.name}"
        for section in settings.sections
        for key in keys_of(section)
        if key.secret and isinstance(settings.origin(section, key.name), InFile)
    ]


def exposure_warning(settings: Settings) -> str | None:
    """What to say about it."""
    if not (exposed := exposed_secrets(settings)):
        return None
    return (
        f"Everybody on this machine can read {settings.file}, which holds {', '.join(exposed)}. "
        f"Close it: chmod o-rwx {settings.file}"
    )

"""Load the settings: defaults, over them the file, over that the environment; or every problem at once."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from armarium.settings.document import read
from armarium.settings.kinds import Location, Unfit
from armarium.settings.layers import Layer, from_environment, from_file
from armarium.settings.origin import Argument, Default, Origin, Variable
from armarium.settings.plain import shown
from armarium.settings.problems import Problem, WrongSettings
from armarium.settings.section import FILE, HOME, Catalogue, Section
from armarium.settings.validation import build

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

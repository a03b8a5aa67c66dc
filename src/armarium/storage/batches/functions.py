"""Which functions can be run over the archive: those that we ship, and those of the site's own folder.

A function's name begins with `batch_`; it takes a `BatchFile` and further arguments that are text, numbers or
yes/no, and returns something that JSON can hold. The folder is read anew each time: a new function needs no
restart, and a worker runs what lies there when it begins a part.
"""

import importlib.util
import inspect
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

from armarium.core.errors import NotFound
from armarium.core.message import message
from armarium.storage.batches import builtin
from armarium.storage.batches.model import Function, Functions, Parameter

PREFIX = "batch_"
KINDS: dict[Any, type] = {kind: kind for kind in (str, int, float, bool)} | {
    kind.__name__: kind
    for kind in (str, int, float, bool)  # annotations may be written as text
}


class Unfit(ValueError):  # noqa: N818  (reads as what happened)
    """A function whose arguments nobody could give in a form."""


def functions(folder: Path | None) -> Functions:
    """All of them, and the troubles of files that could not be read."""
    found = {one.name: one for one in functions_of(builtin)}
    troubles: dict[str, str] = {}
    if folder is None:
        return Functions(found, troubles)
    if not folder.is_dir():
        return Functions(found, {str(folder): "There is no such folder."})
    for path in sorted(folder.glob("*.py")):
        try:
            for one in functions_of(loaded(path), path):
                found[one.name] = one
        except (Unfit, ImportError) as trouble:
            troubles[path.name] = str(trouble)
    return Functions(found, troubles)


def function_named(name: str, folder: Path | None) -> Function:
    known = functions(folder)
    if name not in known.found:
        raise NotFound(
            message(
                "There is no batch function %(name)s. Known functions: %(names)s.",
                name=name,
                names=", ".join(known.found),
            )
        )
    return known.found[name]


def loaded(path: Path) -> ModuleType:
    """The module of a file; `ImportError` says why it cannot be run.

    It runs as a future: that catches whatever a file of somebody else's may raise, `sys.exit` included.
    """
    spec = importlib.util.spec_from_file_location(f"armarium_batch_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file.")
    module = importlib.util.module_from_spec(spec)
    with ThreadPoolExecutor(1) as pool:
        failure = pool.submit(spec.loader.exec_module, module).exception()
    if failure is not None:
        raise ImportError(f"{type(failure).__name__}: {failure}") from failure
    return module


def functions_of(module: ModuleType, path: Path | None = None) -> Iterator[Function]:
    """The functions that the module itself defines; those of a folder carry its file's name in front."""
    before = f"{path.stem}." if path else ""
    for name, value in vars(module).items():
        if name.startswith(PREFIX) and inspect.isfunction(value) and value.__module__ == module.__name__:
            text = (inspect.getdoc(value) or "").partition("\n")[0]
            origin = path.name if path else ""
            short = name.removeprefix(PREFIX)
            yield Function(f"{before}{short}", value, text, tuple(_parameters(name, value)), origin)


def _parameters(name: str, function: Any) -> Iterator[Parameter]:
    _, *further = inspect.signature(function).parameters.values() or [None]
    for one in further:
        assert isinstance(one, inspect.Parameter)
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD, one.POSITIONAL_ONLY):
            raise Unfit(f"{name}: the argument {one.name} has to be named in the signature.")
        kind = KINDS.get(str if one.annotation is one.empty else one.annotation)
        if kind is None:
            raise Unfit(f"{name}: the argument {one.name} has to be str, int, float or bool.")
        required = one.default is one.empty
        yield Parameter(one.name, kind, None if required else one.default, required)

"""Prints the measures of the house, and fails when one is over its limit.

Comes in: a checkout (this one, unless a folder is named). Goes out: the figures of each area, then one line
for each breach, with file, line and measure. It must never change a file.
"""

import ast
import re
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import chain
from pathlib import Path

import grimp

# The few tools count with the program: an average of four files says nothing.
AREAS = {"program": ("src", "tools"), "tests": ("tests",)}
PACKAGE = "armarium"

MEDIAN_FILE = 150
MOST_FILES = 300  # 95 % of the Python files have at most so many lines
LONGEST_FILE = 500
MOST_FUNCTIONS = 40  # 95 % of the functions have at most so many lines
LONGEST_FUNCTION = 60
MOCKING_SHARE = 0.05

# A name that says nothing attracts everything; a helper lives with the noun it helps.
EMPTY_NAMES = {"util", "utils", "misc", "common", "helper", "helpers", "lib"}
WRITTEN_BY_HAND = {".py", ".js", ".css", ".html", ".sql"}
OUTERMOST_LOOP = re.compile(r"#.*\boutermost loop\b", re.IGNORECASE)
BROAD = {"Exception", "BaseException"}
IMPORT_ERRORS = {"ImportError", "ModuleNotFoundError"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Breach:
    where: str  # a file, a file and line, or an area
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclass(frozen=True)
class Module:
    """A Python file, read and parsed once."""

    path: str  # from the checkout, as people type it
    lines: Sequence[str]
    tree: ast.Module

    def at(self, line: int) -> str:
        return f"{self.path}:{line}"

    @cached_property
    def nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.tree))

    @cached_property
    def functions(self) -> list[Function]:
        return [node for node in self.nodes if isinstance(node, Function)]

    @cached_property
    def mock_names(self) -> set[str]:
        return mock_names(self)


# --- reading the checkout


def files_of(area: Path) -> list[Path]:
    return sorted(path for path in area.rglob("*") if path.suffix in WRITTEN_BY_HAND and path.is_file())


def read_module(path: Path, root: Path) -> Module:
    text = path.read_text(encoding="utf-8")
    return Module(path.relative_to(root).as_posix(), text.splitlines(), ast.parse(text, str(path)))


# --- sizes


def length(function: Function) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def ninety_five_percent(lengths: Sequence[int]) -> int:
    """The length that 95 % do not exceed."""
    return sorted(lengths)[max(0, -(-len(lengths) * 95 // 100) - 1)]


def long_files(paths: Sequence[Path], root: Path) -> Iterator[Breach]:
    for path in paths:
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > LONGEST_FILE:
            yield Breach(
                f"{path.relative_to(root).as_posix()}:1", f"{lines} lines; a file has at most {LONGEST_FILE}"
            )


def long_functions(module: Module) -> Iterator[Breach]:
    for function in module.functions:
        if length(function) > LONGEST_FUNCTION:
            yield Breach(
                module.at(function.lineno),
                f"{function.name} has {length(function)} lines; a function has at most {LONGEST_FUNCTION}",
            )


def over(area: str, measure: str, found: float, limit: int) -> Iterator[Breach]:
    if found > limit:
        yield Breach(area, f"{measure} is {found:g} lines; the limit is {limit}")


def sizes(area: str, modules: Sequence[Module]) -> tuple[str, list[Breach]]:
    files = [len(module.lines) for module in modules if module.lines]
    functions = [length(function) for module in modules for function in module.functions]
    if not files:
        return f"{area}: no Python files", []
    median = statistics.median(files)
    most = ninety_five_percent(files)
    figures = f"{area}: {len(files)} files, lines: median {median:g}, 95 % {most}, max {max(files)}"
    breaches = [
        *over(area, "the median of the file lengths", median, MEDIAN_FILE),
        *over(area, "the file length that 95 % keep", most, MOST_FILES),
    ]
    if functions:
        most = ninety_five_percent(functions)
        figures += f"; {len(functions)} functions, lines: 95 % {most}, max {max(functions)}"
        breaches += over(area, "the function length that 95 % keep", most, MOST_FUNCTIONS)
    return figures, breaches


# --- rules with a marked exception


def names(node: ast.expr | None) -> set[str]:
    """The last words of an exception expression: `Exception`, `(OSError, builtins.Exception)`."""
    if isinstance(node, ast.Tuple):
        return set().union(*map(names, node.elts))
    if isinstance(node, ast.Attribute):
        return {node.attr}
    return {node.id} if isinstance(node, ast.Name) else set()


def broad_excepts(module: Module) -> Iterator[Breach]:
    for node in module.nodes:
        if isinstance(node, ast.Call) and names(node.func) == {"suppress"}:
            if any(names(argument) & BROAD for argument in node.args):
                yield Breach(
                    module.at(node.lineno), "suppress(Exception) hides damage; name the errors you expect"
                )
        elif isinstance(node, ast.ExceptHandler):
            yield from broad_handler(module, node)


def broad_handler(module: Module, handler: ast.ExceptHandler) -> Iterator[Breach]:
    if handler.type is None:
        yield Breach(module.at(handler.lineno), "bare except; name the errors you expect")
        return
    last = handler.body[-1]
    raised_again = isinstance(last, ast.Raise) and last.exc is None
    if not names(handler.type) & BROAD or raised_again:
        return
    heading = "\n".join(module.lines[handler.lineno - 1 : handler.body[0].lineno])
    if not OUTERMOST_LOOP.search(heading):
        yield Breach(
            module.at(handler.lineno),
            "except Exception belongs to a process's outermost loop; mark it there with `# outermost loop`",
        )


def hidden_imports(module: Module) -> Iterator[Breach]:
    optional = set(chain.from_iterable(map(guarded_imports, module.nodes)))
    inside = set(
        chain.from_iterable(
            range(function.lineno, (function.end_lineno or 0) + 1) for function in module.functions
        )
    )
    hidden = {
        node.lineno
        for node in module.nodes
        if isinstance(node, ast.Import | ast.ImportFrom) and node.lineno in inside and node not in optional
    }
    for line in sorted(hidden):
        yield Breach(
            module.at(line),
            "import inside a function; only an optional dependency in try/except ImportError may be there",
        )


def guarded_imports(node: ast.AST) -> Iterator[ast.stmt]:
    if isinstance(node, ast.Try) and any(names(handler.type) & IMPORT_ERRORS for handler in node.handlers):
        yield from node.body


def empty_names(paths: Sequence[Path], root: Path) -> Iterator[Breach]:
    for path in paths:
        inside = path.relative_to(root)
        for part in (*inside.parts[1:-1], inside.stem):
            if part.strip("_").rpartition("_")[2].lower() in EMPTY_NAMES:
                yield Breach(
                    f"{inside.as_posix()}:1", f"the name “{part}” says nothing; name it after its content"
                )


# --- the whole


def mock_names(module: Module) -> set[str]:
    """What this file calls the things that stand in for real ones."""
    found = {"mocker", "monkeypatch.setattr"}  # setting an environment variable or a folder replaces nothing
    for node in module.nodes:
        if isinstance(node, ast.ImportFrom):
            origin = {"unittest.mock": "", "unittest": "mock"}.get(node.module or "")
            found |= {alias.asname or alias.name for alias in node.names if origin in ("", alias.name)}
        elif isinstance(node, ast.Import):
            found |= {
                alias.asname or "unittest.mock" for alias in node.names if alias.name == "unittest.mock"
            }
    return found


def words(function: Function) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Name | ast.Attribute | ast.arg):
            yield node.arg if isinstance(node, ast.arg) else ast.unparse(node)


def mocks(modules: Sequence[Module]) -> tuple[str, list[Breach]]:
    tests = sum(function.name.startswith("test_") for module in modules for function in module.functions)
    found = [
        module.at(function.lineno)
        for module in modules
        for function in module.functions
        if not module.mock_names.isdisjoint(words(function))
    ]
    share = len(found) / max(tests, 1)
    figures = f"tests: {tests} test functions, {len(found)} with mocks ({share:.1%})"
    if share <= MOCKING_SHARE:
        return figures, []
    return figures, [Breach(where, f"mocks in more than {MOCKING_SHARE:.0%} of the tests") for where in found]


def import_cycle(source: Path) -> list[Breach]:
    if not (source / PACKAGE).is_dir():
        return []
    sys.path.insert(0, str(source))
    graph = grimp.build_graph(PACKAGE, cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        # The sorter names each module before the ones that import it.
        return [Breach(f"src/{PACKAGE}", "import cycle: " + " → ".join(reversed(error.args[1])))]
    return []


def measure_area(root: Path, area: str) -> tuple[list[str], list[Breach]]:
    paths = [path for folder in AREAS[area] for path in files_of(root / folder)]
    modules = [read_module(path, root) for path in paths if path.suffix == ".py"]
    figures, breaches = sizes(area, modules)
    rules = (long_functions, broad_excepts, hidden_imports)
    breaches += chain.from_iterable(rule(module) for module in modules for rule in rules)
    breaches += chain(long_files(paths, root), empty_names(paths, root))
    if area != "tests":
        return [figures], breaches
    mock_figures, mock_breaches = mocks(modules)
    return [figures, mock_figures], breaches + mock_breaches


def main(root: Path) -> int:
    breaches = import_cycle(root / "src")
    for area in AREAS:
        figures, found = measure_area(root, area)
        breaches += found
        for line in figures:
            print(f"  {line}")
    for breach in breaches:
        print(breach)
    print(f"  limits broken: {len(breaches)}")
    return 1 if breaches else 0


if __name__ == "__main__":
    checkout = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]
    sys.exit(main(checkout.resolve()))

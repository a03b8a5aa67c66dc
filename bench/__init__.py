"""Measurements, each a command: `.venv/bin/python -m bench.crawl`. docs/performance.md has what they found.

Some compare with other programs, which come with the extra `test`: `./test` sets it up, `./run` does not.
"""

import ast
import sys
from pathlib import Path
from types import TracebackType


def _say_what_is_missing(
    kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    if isinstance(error, ModuleNotFoundError):
        sys.stderr.write(
            f"The package {error.name} is not installed. What a measurement needs besides the program comes "
            "with the extra test:\n\n    .venv/bin/python -m pip install -c constraints.txt -e '.[test]'\n"
        )
        return
    sys.__excepthook__(kind, error, traceback)


def _tell(command: str) -> None:
    """Of one that knows no options: what stands above its source. No peer is needed for that."""
    path = Path(__file__).parents[1].joinpath(*command.split("."))
    source = (path / "__main__.py" if path.is_dir() else path.with_suffix(".py")).read_text("utf-8")
    if "argparse" not in source:
        sys.stdout.write(f"{ast.get_docstring(ast.parse(source))}\n")
        sys.exit()


if sys.argv[:1] == ["-m"]:  # a measurement is being started, not imported by a test
    sys.excepthook = _say_what_is_missing
    if {"-h", "--help"} & set(sys.argv):
        _tell(sys.orig_argv[sys.orig_argv.index("-m") + 1])

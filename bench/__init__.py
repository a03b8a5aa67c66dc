"""Measurements, each a command: `.venv/bin/python -m bench.crawl`. docs/performance.md has what they found.

Some compare with other programs, which come with the extra `test`: `./test` sets it up, `./run` does not.
"""

import sys
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


if sys.argv[:1] == ["-m"]:  # a measurement is being started, not imported by a test
    sys.excepthook = _say_what_is_missing

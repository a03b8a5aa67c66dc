"""The whole suite under fire: python -m tests.acceptance.whole --minutes 30 --seed 1."""

import argparse
import logging
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

import structlog

from tests.acceptance.whole.mischief import DEEDS
from tests.acceptance.whole.run import run


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Kill, freeze, cut, fill and flip, and see whether it matters."
    )
    parser.add_argument("--minutes", type=float, default=30.0, help="how long mischief is done")
    parser.add_argument("--seed", type=int, default=1, help="the same number shuffles the same deck")
    parser.add_argument("--keep", action="store_true", help="leave the folder where it is")
    parser.add_argument("--folder", type=Path, help="where everything happens; else a temporary one")
    parser.add_argument("--only", choices=sorted(DEEDS), nargs="+", default=(), help="only these deeds")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that nobody is left behind
    # What this process says as a guest of the house is no news here: the diary has it.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    folder = Path(tempfile.mkdtemp(prefix="armarium-whole-", dir=asked.folder)).resolve()
    verdict = run(folder, seconds=asked.minutes * 60, seed=asked.seed, say=_say, only=asked.only)
    _say(verdict.told())
    if asked.keep or verdict.faults:
        _say(f"kept: {folder}")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if verdict.faults else 0


def _say(line: str) -> None:
    sys.stdout.write(f"{time.strftime('%H:%M:%S')} {line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())

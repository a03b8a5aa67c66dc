"""Everything that `formats` is measured by, beside the tools of the field, in one run.

    python -m bench.formats              all of it
    python -m bench.formats reading …    these parts

Each part runs in an interpreter of its own: what one leaves in memory is not counted for another.
"""

import platform
import subprocess
import sys
from pathlib import Path

PARTS = ("reading", "writing", "indexing", "validation", "urls", "http", "texts")


def machine() -> str:
    """What the figures were taken on."""
    cpuinfo = Path("/proc/cpuinfo")
    models = (
        [line.partition(":")[2].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        if cpuinfo.exists()
        else []
    )
    return f"{models[0] if models else platform.machine()}, {len(models)} cores, Python {platform.python_version()}"  # noqa: E501


def main(parts: list[str]) -> int:
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        print(f"There is no {', '.join(unknown)}; there are {', '.join(PARTS)}.", file=sys.stderr)  # noqa: T201
        return 2
    print(machine())  # noqa: T201
    failed = 0
    for part in parts or PARTS:
        print(f"\n{part}", flush=True)  # noqa: T201
        failed |= subprocess.run([sys.executable, "-m", f"bench.formats.{part}"], check=False).returncode  # noqa: S603
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

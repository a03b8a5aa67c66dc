"""The PATH index: where each file is, for tools that read W/ARC files themselves."""

import os
from collections.abc import Iterable
from pathlib import Path

from armarium.core.folders import make_private
from armarium.core.storing import Places
from armarium.formats.cdx.parsing import PathLine


def write_path_index(places: Iterable[Places], target: Path) -> int:
    """Whole or not at all; the number of lines. Files of which no copy can be read have none."""
    make_private(target.parent)
    fresh = target.with_name(f"{target.name}.fresh")
    lines = 0
    with fresh.open("wb") as file:
        for place in places:
            if place.addresses:
                file.write(PathLine(place.name, place.addresses).to_bytes() + b"\n")
                lines += 1
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(target)
    return lines

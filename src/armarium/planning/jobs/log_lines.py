"""Lines of a crawl.log, so that they can be read on a small screen too."""

import re
from typing import NamedTuple

BEGINS_FACTS = " {"  # what stands behind the columns is JSON
_spaces = re.compile(r" {2,}")


class LogLine(NamedTuple):
    columns: str  # without the spaces that align them
    facts: str  # the JSON behind them, or ""


def parted(line: str) -> LogLine:
    columns, begins, facts = line.partition(BEGINS_FACTS)
    return LogLine(_spaces.sub(" ", columns).strip(), f"{{{facts}" if begins else "")


def in_short(line: str) -> str:
    return parted(line).columns

"""Whose a file is, by its name. The archive knows each name once: nobody must take those of others.

Not even those of jobs that are still to come: a job sends only what is called as its own order says.
"""

import re
from collections.abc import Mapping
from typing import Any

from armarium.core.crawl_order import Recording
from armarium.formats.warc.writer import safe

PLACE = re.compile(r"\{(\w+)\}")
ATTEMPT = r"(?:\.\d{1,9})?"  # a later attempt has names of its own, and may bring files of an earlier one
ENDS = r"\.warc(?:\.gz|\.zst)?(?:\.cdxj)?"
A_WORD = r"[A-Za-z0-9._]+"
CRAWLER_S = {"time": r"\d{17}", "serial": r"\d{5,18}", "host": A_WORD}  # what only the crawler knows


def names_of(order: Mapping[str, Any]) -> re.Pattern[str]:
    """What the files of a job are called: those of its captures, and those that describe the crawl."""
    recording = Recording().model_dump() | (order.get("recording") or {})
    literals = PLACE.split(recording["template"])
    values = {name: re.escape(safe(value)) for name, value in recording["values"].items()}
    places = {**values, "prefix": values.get("prefix", "") + ATTEMPT, **CRAWLER_S}
    captures = "".join(
        places.get(piece, A_WORD) if place % 2 else re.escape(piece) for place, piece in enumerate(literals)
    )
    metadata = re.escape(safe(order.get("name") or "")) + ATTEMPT + r"-metadata-\d{1,9}"
    return re.compile(f"(?:{captures}|{metadata}){ENDS}")

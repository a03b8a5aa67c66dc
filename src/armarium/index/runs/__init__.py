"""The CDX store: sorted immutable runs of CDXJ lines, in a folder or on S3.

Comes in: lines as bytes, sorted by bytes, or in any order for those who import. Goes out: the lines of any
range, forwards and backwards, and runs merged of runs.
It must never change a run that was published, answer from one that is cut or altered, or need more memory for
a longer run.
"""

from armarium.index.runs.facts import BadRun, DamagedRun, MissingRun, OtherRun, OutOfOrder, RunFacts
from armarium.index.runs.merging import merge, sort_into_run
from armarium.index.runs.place import BlockCache, RunPlace, open_run_place
from armarium.index.runs.reader import Run
from armarium.index.runs.writer import RunWriter

__all__ = [
    "BadRun",
    "BlockCache",
    "DamagedRun",
    "MissingRun",
    "OtherRun",
    "OutOfOrder",
    "Run",
    "RunFacts",
    "RunPlace",
    "RunWriter",
    "merge",
    "open_run_place",
    "sort_into_run",
]

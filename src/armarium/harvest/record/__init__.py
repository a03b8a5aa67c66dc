"""Recording: what was on the wire goes into WARC files, whole, and can be found again after a crash.

Comes in: an `Exchange` and what the crawl knows of it (`CaptureFacts`).
Goes out: groups of records (response or revisit, request, metadata) and `Recorded`, which says where; with
each sealed file its index (`companion`);
after a kill, `adopt` says which captures are safe on disk although the frontier had not heard of them.
It must never change a byte of a message, part a group, refer to a capture that could still be lost, or seal a
file whose index is not on the disk.
"""

from typing import TYPE_CHECKING

from armarium.core.late import late
from armarium.harvest.record.journal import journalled
from armarium.harvest.record.metadata import CaptureFacts, Outlink, Recorded
from armarium.harvest.record.recorder import JOURNAL, Recorder

if TYPE_CHECKING:
    from armarium.harvest.record.adoption import adopt, seal_rest
else:
    adopt = late("armarium.harvest.record.adoption:adopt")
    seal_rest = late("armarium.harvest.record.adoption:seal_rest")

__all__ = [
    "JOURNAL", "CaptureFacts", "Outlink", "Recorded", "Recorder", "adopt", "journalled", "seal_rest",
]  # fmt: skip

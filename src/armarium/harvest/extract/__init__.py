"""Finding addresses in what was fetched.

Comes in: a response (URL, head, type, decoded body) and the letters by which it was reached.
Goes out: ``Found``: references as the document holds them, each with a hop letter and the place it stood in,
the base and the encoding for resolving them.

``table.EXTRACTORS`` is the order in which the extractors are asked; each is one small class with ``takes``
and ``read``. They never raise for what a site sends, fetch nothing, submit no form, and take time in
proportion to the length of the body.
"""

from typing import TYPE_CHECKING

from armarium.core.late import late
from armarium.harvest.extract.findings import Found

if TYPE_CHECKING:
    from armarium.harvest.extract.table import extract
else:
    extract = late("armarium.harvest.extract.table:extract")

__all__ = ["Found", "extract"]

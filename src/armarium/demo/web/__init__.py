"""The small web of the demonstration: a few dozen sites, written for this project, on the loopback.

Comes in: requests to `<word>.localhost`, told apart by their Host header, and questions for names.
Goes out: pages, pictures, sound, film and papers, in the edition that a small file names: as they were
a month ago, or as they are today; before that, with fewer pages. `truth` says what a crawl of each must
bring.
It must never listen on anything but the loopback, answer differently to the same request, or reach for
something outside.
"""

from armarium.demo.web.describing import all_sites
from armarium.demo.web.model import Edition, Site, read_edition, write_edition
from armarium.demo.web.serving import Web, running
from armarium.demo.web.youth import Youth, write_youth

SITES = all_sites()

__all__ = [
    "SITES",
    "Edition",
    "Site",
    "Web",
    "Youth",
    "read_edition",
    "running",
    "write_edition",
    "write_youth",
]

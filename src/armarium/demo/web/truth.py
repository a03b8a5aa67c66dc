"""What a crawl of each site must bring, in each edition: the measure of everything behind it.

A crawl that obeys robots.txt and starts at the site's first page brings all of `addresses`. It may bring
more: pages within a trap, as many as its limits allow, and guesses of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from armarium.demo.web.building import answers
from armarium.demo.web.describing import all_sites
from armarium.demo.web.model import Edition, Site


@dataclass(frozen=True)
class Truth:
    site: Site
    edition: Edition
    addresses: Mapping[str, int]  # path to status
    unchanged: frozenset[str]  # the same bytes in both editions: a second harvest keeps revisits of them
    forbidden: frozenset[str]  # closed by robots.txt, and linked all the same
    trap: str  # the folder that has no end; empty: none

    def url(self, path: str, port: int) -> str:
        return f"http://{self.site.name}:{port}{path}"


def truth(site: Site, edition: Edition) -> Truth:
    if not site.lives(edition):
        return Truth(site, edition, _absent(site, edition), frozenset(), frozenset(), "")
    served = answers(site, edition)
    closed = frozenset(path for path in served if path.startswith(site.forbidden))
    found = {path: answer.status for path, answer in served.items() if path not in closed}
    found |= dict.fromkeys(site.broken, 404)
    return Truth(
        site=site,
        edition=edition,
        addresses=dict(sorted(found.items())),
        unchanged=_unchanged(site) - closed,
        forbidden=closed,
        trap=site.trap[1] if site.trap else "",
    )


def whole_truth(edition: Edition) -> tuple[Truth, ...]:
    return tuple(truth(site, edition) for site in all_sites())


def _absent(site: Site, edition: Edition) -> dict[str, int]:
    if edition is Edition.FIRST:
        return {"/": 404}
    return {"/": {"gone": 410, "sale": 200}.get(site.end, 301)}


def _unchanged(site: Site) -> frozenset[str]:
    if not (site.lives(Edition.FIRST) and site.lives(Edition.SECOND)):
        return frozenset()
    first, second = answers(site, Edition.FIRST), answers(site, Edition.SECOND)
    return frozenset(
        path for path, answer in second.items() if answer.status == 200 and first.get(path) == answer
    )

"""The last act: whoever sits at this machine may read, and a page is asked for as it was at both dates."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

import httpx

from armarium.access.model import EVERYTHING
from armarium.access.networks.model import NewNetwork
from armarium.access.networks.service import Networks
from armarium.access.policy.model import AddressMatch, Audience, RuleEffect, Terms
from armarium.access.rules.service import Rules
from armarium.core.errors import Unavailable
from armarium.core.message import message
from armarium.demo.acts.harvesting import edition_of
from armarium.demo.acts.settling_in import World
from armarium.demo.stage import Step
from armarium.demo.web import SITES, Edition, read_edition, write_edition
from armarium.formats.cdx.query import Query
from armarium.index.chain.service import Chain

LOOPBACK = ("127.0.0.0/8", "::1/128")
SECONDS = 20.0  # for one answer


@dataclass(frozen=True)
class Example:
    """A page, and when it was captured."""

    url: str
    first: str  # 14 digits
    second: str

    def frame(self, readers: int, timestamp: str) -> str:
        """Where a person reads it."""
        return f"http://localhost:{readers}/{EVERYTHING}/{timestamp}/{self.url}"

    def facts(self) -> Mapping[str, str]:
        return {"url": self.url, "first": self.first, "second": self.second}


def open_doors(world: World) -> None:
    administrator = world.actor("administrator")
    here = NewNetwork("This machine", tuple(LOOPBACK), "Of the demonstration.")
    network = world.get(Networks).add(administrator, here)
    terms = Terms(
        RuleEffect.ALLOW,
        audience=Audience(networks=frozenset({network.id})),
        reason="In the demonstration everything may be read, at this machine.",
    )
    world.get(Rules).add(administrator, terms, AddressMatch.EVERYTHING)


def read(world: World, step: Step) -> Example:
    """What the archive shows for each date must be, to the byte, what the small web served then."""
    open_doors(world)
    example = chosen(world)
    shown: dict[Edition, bytes] = {}
    for edition, timestamp in ((Edition.FIRST, example.first), (Edition.SECOND, example.second)):
        step.show(f"{example.url} on {timestamp[:8]}", len(shown), 2)
        shown[edition] = _replayed(world, example.url, timestamp)
        if shown[edition] != served(world, example.url, edition):
            raise _differs(example.url, timestamp)
    if shown[Edition.FIRST] == shown[Edition.SECOND]:
        raise _differs(example.url, example.second)
    _framed(world, example)
    step.end("a page at both dates, as the web served it then")
    return example


def chosen(world: World) -> Example:
    """The first site whose front page was captured at two dates, with two contents; a newspaper if it was."""
    lookup = world.get(Chain).lookup()
    for site in sorted(SITES, key=lambda site: site.theme != "News"):
        url = f"http://{site.name}:{world.ports.web}/"
        lines = [line for line in lookup.search(Query(url)).lines if line.status == 200]
        found = {edition_of(line): line for line in lines}
        first, second = found.get(Edition.FIRST), found.get(Edition.SECOND)
        if first and second and first.digest != second.digest:
            return Example(url, first.timestamp, second.timestamp)
    raise Unavailable(message("No front page of the small web was captured twice with two contents."))


def served(world: World, url: str, edition: Edition) -> bytes:
    """By the small web itself, as it was or is."""
    before = read_edition(world.folder.web)
    write_edition(world.folder.web, edition)
    try:
        port = world.ports.web
        host = url.split("/")[2]
        path = url.partition(host)[2]
        return _got(f"http://127.0.0.1:{port}{path}", Host=host).content
    finally:
        write_edition(world.folder.web, before)


def _replayed(world: World, url: str, timestamp: str) -> bytes:
    """The record as it is, from the readers' site; the rule that opens it is heard of within a moment."""
    answers: list[httpx.Response] = []

    def answered() -> bool:
        with suppress(Unavailable):
            answers[:] = [_got(f"http://localhost:{world.ports.readers}/{EVERYTHING}/{timestamp}id_/{url}")]
        return bool(answers) and answers[0].status_code == 200

    late = message(
        "It took too long to read an archived page. The demonstration is unfinished: run it again, which "
        "begins anew. %(log)s says more.",
        log=world.log,
    )
    world.wait(answered, late)
    return answers[0].content


def _framed(world: World, example: Example) -> None:
    """The page with the banner, as a person sees it."""
    for timestamp in (example.first, example.second):
        answer = _got(example.frame(world.ports.readers, timestamp), Accept="text/html")
        if answer.status_code != 200:
            raise Unavailable(
                message(
                    "The readers' site answered %(status)s for %(url)s.",
                    status=answer.status_code,
                    url=example.url,
                )
            )


def _got(url: str, **headers: str) -> httpx.Response:
    try:
        return httpx.get(url, headers=headers, timeout=SECONDS, follow_redirects=True, trust_env=False)
    except httpx.HTTPError as error:
        raise Unavailable(
            message(
                "%(url)s did not answer: %(reason)s. The demonstration is unfinished: run it again, which "
                "begins anew.",
                url=url,
                reason=str(error) or type(error).__name__,
            )
        ) from error


def _differs(url: str, timestamp: str) -> Unavailable:
    return Unavailable(
        message(
            "What the archive shows of %(url)s for %(timestamp)s is not what the small web served then.",
            url=url,
            timestamp=timestamp,
        )
    )

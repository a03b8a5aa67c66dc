"""A question to the index in the terms that all dialects share."""

from collections.abc import Iterator
from dataclasses import dataclass

from armarium.access.cdxserver.lines import Patience, Span, Told, captures, nearest
from armarium.access.cdxserver.parameters import Parameters, address, span_of
from armarium.access.view import View
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.formats.cdx.query import Match
from armarium.formats.url import asked_for, surt

MATCHES = (Match.EXACT, Match.PREFIX, Match.HOST, Match.DOMAIN)


@dataclass(frozen=True)
class Asked:
    """Which captures, in which order."""

    url: str
    match: Match
    key: str  # of the address; empty where more than one is asked for
    span: Span
    from_: str = ""
    to: str = ""
    closest: str = ""
    reverse: bool = False

    def captures(self, view: View, patience: Patience) -> Iterator[Told]:
        if self.closest:
            return nearest(view, self.key, self.closest, patience, from_=self.from_, to=self.to)
        # The span of one address ends at its dates; others have to look at each line.
        from_, to = ("", "") if self.key else (self.from_, self.to)
        return captures(view, self.span, patience, from_=from_, to=to, reverse=self.reverse)


def asked(
    parameters: Parameters, *, key: str = "", matches: tuple[str, ...] = MATCHES, from_url: str = ""
) -> Asked:
    """`key` or `from_url` where a dialect has another way to name the address."""
    url, match = (from_url, Match.EXACT) if from_url or key else address(parameters, *matches)
    url = asked_for(url)
    sort = parameters.choice("sort", "default", "reverse", "closest")
    from_, to, closest = parameters.date("from"), parameters.date("to"), parameters.date("closest")
    # A client that fills a template in leaves the moment empty where it wants all captures.
    if sort == "closest" and not closest and not parameters.has("closest"):
        raise Refused(message("Name the moment to be close to, in the parameter closest."), field="closest")
    if closest and match is not Match.EXACT:
        raise Refused(message("The nearest capture can be asked for one address only."), field="closest")
    exact = (key or surt(url)) if match is Match.EXACT else ""
    span = Span.of_key(exact, from_, to) if exact else span_of(url, match)
    reverse = sort == "reverse" or parameters.flag("reverse")
    return Asked(url, match, exact, span, from_, to, closest, reverse)

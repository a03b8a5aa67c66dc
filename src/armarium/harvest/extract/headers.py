"""The fields of a response: read whatever the body is."""

import re
from collections.abc import Iterator

from armarium.formats.http import Fields, Response
from armarium.formats.url import InvalidUrl, resolve
from armarium.harvest.extract.attributes import hop_of_relation
from armarium.harvest.extract.document import Document
from armarium.harvest.extract.findings import Findings, fetchable
from armarium.harvest.model import Hop

_LONGEST = 65_536
# HTML Standard, "shared declarative refresh steps": seconds, a separator, perhaps "url=", an address.
_refresh = re.compile(
    r"\s*+(?:[0-9]++(?:\.[0-9.]*+)?+|\.[0-9.]*+)(?:\s*+[;,]\s*+|\s++)(?:[uU][rR][lL]\s*+=\s*+)?+(.*)",
    re.DOTALL,
).match
# RFC 8288, 3: <target> and parameters; a comma inside quotes does not end a link.
_link_value = re.compile(r"<([^<>]*+)>((?:[^,\"<]++|\"(?:[^\"\\]++|\\.)*+\"?+)*+)", re.DOTALL).finditer
_relation = re.compile(r";\s*+rel\s*+=\s*+(?:\"([^\"]*+)\"|([^\s;,\"]++))", re.IGNORECASE).search


def refresh_url(value: str) -> str:
    """The address of a Refresh field or a meta refresh; empty when it only reloads."""
    found = _refresh(value)
    if found is None:
        return ""
    rest = found[1]
    if rest[:1] in ("'", '"'):
        rest = rest[1:].partition(rest[0])[0]
    return rest.strip()


class HeaderExtractor:
    """Location, Refresh, Content-Location, Link and Speculation-Rules."""

    name = "headers"

    def takes(self, document: Document) -> bool:
        return document.head is not None

    def read(self, document: Document, findings: Findings) -> None:
        head = document.head
        assert head is not None
        for reference, hop, context in _references(head):
            # The page may name another base, which does not hold for its header.
            try:
                url = resolve(document.url, fetchable(reference)) if fetchable(reference) else ""
            except InvalidUrl:
                continue
            findings.add(url, hop, context)


def _references(head: Response) -> Iterator[tuple[str, Hop, str]]:
    fields = head.fields
    status = head.status or 0
    redirects = 300 <= status < 400 or status == 201
    if redirects and (location := fields.get("location")):
        yield location[:_LONGEST], Hop.REDIRECT, "location:"
    if refresh := fields.get("refresh"):
        yield refresh_url(refresh[:_LONGEST]), Hop.REDIRECT, "refresh:"
    if location := fields.get("content-location"):
        yield location[:_LONGEST], Hop.LINK, "content-location:"
    if fields.get_bytes("link") is not None:
        yield from _link_field(fields)
    # HTML Standard, 7.6.2: a structured list of strings.
    for rules in fields.listed("speculation-rules"):
        yield rules[:_LONGEST].strip('"'), Hop.EMBED, "speculation-rules:"


def _link_field(fields: Fields) -> Iterator[tuple[str, Hop, str]]:
    written = ", ".join(fields.get_all("link"))[:_LONGEST]
    for found in _link_value(written):
        relation = _relation(found[2])
        hop = hop_of_relation((relation[1] or relation[2]) if relation else "")
        if hop is not None:
            yield found[1], hop, "link:"


def says_nofollow(fields: Fields) -> bool:
    """Whether X-Robots-Tag asks not to follow the links of this page, without naming another crawler."""
    if fields.get_bytes("x-robots-tag") is None:
        return False
    return any(member.lower() in ("nofollow", "none") for member in fields.listed("x-robots-tag"))

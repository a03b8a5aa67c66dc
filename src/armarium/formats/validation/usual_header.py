"""Headers as nearly all records have them, judged in one match.

A writer puts the fields of a type in the same order in every record, each in its usual form. From the first
good header of an order a pattern is made; a header that fits it as a whole has nothing that the closer look
in `header` would find, which is much slower. What does not fit is left to it.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from armarium.formats.validation.values import address_fault, date_fault, is_media_type

UUID_ID = r"<urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}>"
TEXT = r"[!-~](?:[ -~]*+(?<=[!-~]))?+"  # printable, without white space around it
NUMBER = r"[0-9]{1,18}"
DIGEST = r"sha1:[A-Z2-7]{32}"
URI = r"[A-Za-z][A-Za-z0-9+.-]*+:[A-Za-z0-9._~!$&'()*+,;=:@/?-]*+"  # escapes get the closer look
# The usual form of each field; what has two good forms gets the closer look in the rarer one.
FORMS: Mapping[str, str] = {
    "warc-type": r"[a-z]+",
    "warc-record-id": UUID_ID,
    "warc-concurrent-to": UUID_ID,
    "warc-refers-to": UUID_ID,
    "warc-warcinfo-id": UUID_ID,
    "warc-date": r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?Z",
    "content-length": NUMBER,
    "warc-target-uri": URI,
    "warc-refers-to-target-uri": URI,
    "warc-profile": URI,
    "warc-ip-address": r"[0-9a-f.:]+",
    "content-type": TEXT,
    "warc-block-digest": DIGEST,
    "warc-payload-digest": DIGEST,
    "warc-filename": TEXT,
}
BEGINNING = 20  # characters by which the orders of fields are told apart
MOST_BEGINNINGS = 64
MOST_ORDERS = 4  # with the same beginning


class Order(NamedTuple):
    """The fields of a header in one order, under the rules of one version."""

    rules: str
    keys: tuple[str, ...]  # names in lower case
    kind: str  # the record type for which the fields are right
    pattern: re.Pattern[str]


class UsualHeaders:
    """The orders learnt from the headers of a file."""

    def __init__(self) -> None:
        self._orders: dict[str, list[Order]] = {}

    def values(self, text: str, rules: str) -> dict[str, str] | None:
        """The values of a header by name, if it is as usual; None if it needs a closer look."""
        for order in self._orders.get(text[:BEGINNING], ()):
            match = order.pattern.fullmatch(text)
            if match is None or order.rules != rules:
                continue
            first = dict(zip(order.keys, match.groups(), strict=True))
            return first if first["warc-type"] == order.kind and _is_sound(first, rules) else None
        return None

    def learn(self, text: str, rules: str, pairs: Sequence[tuple[str, str]]) -> None:
        """Remember the order of a header in which nothing was found."""
        keys = tuple(name.lower() for name, _ in pairs)
        orders = self._orders.setdefault(text[:BEGINNING], [])
        if len(orders) >= MOST_ORDERS or len(self._orders) > MOST_BEGINNINGS or len(set(keys)) < len(keys):
            return
        if not set(keys) <= FORMS.keys():
            return
        lines = (rf"{re.escape(name)}:[ ]({FORMS[name.lower()]})\r\n" for name, _ in pairs)
        kind = dict(zip(keys, (value for _, value in pairs), strict=True))["warc-type"]
        orders.append(Order(rules, keys, kind, re.compile("".join(lines))))


def _is_sound(first: Mapping[str, str], rules: str) -> bool:
    """What a pattern cannot tell; nearly always known from the record before."""
    address = first.get("warc-ip-address")
    content_type = first.get("content-type")
    return (
        not date_fault(first["warc-date"], rules)
        and (address is None or not address_fault(address))
        and (content_type is None or is_media_type(content_type))
    )

"""Headers as nearly all records have them, judged in one match.

A writer puts the fields of a type in the same order in every record, each in its usual form. From the first
good header of an order a pattern is made; a header that fits it as a whole has nothing that the closer look
in `header` would find, which is much slower. What does not fit is left to it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from armarium.formats.validation.policy import EXTENSIONS
from armarium.formats.validation.values import WORD, address_fault, is_day, is_media_type

UUID_ID = r"<urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}>"
TEXT = r"[!-~](?:[ -~]*+(?<=[!-~]))?+"  # printable, without white space around it
NUMBER = r"[0-9]{1,18}"
TIME = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"  # a leap second gets the closer look
DATE = rf"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}T{TIME}"  # whether the calendar has the day, no pattern can tell
DATES = {"1.0": DATE + "Z", "1.1": DATE + r"(?:\.[0-9]{1,9})?Z"}
URI = r"[A-Za-z][A-Za-z0-9+.-]*+:[A-Za-z0-9._~!$&'()*+,;=:@/?-]*+"  # escapes get the closer look
# The usual form of each field; what has two good forms gets the closer look in the rarer one.
FORMS: Mapping[str, str] = {
    "warc-record-id": UUID_ID,
    "warc-concurrent-to": UUID_ID,
    "warc-refers-to": UUID_ID,
    "warc-warcinfo-id": UUID_ID,
    "content-length": NUMBER,
    "warc-target-uri": URI,
    "warc-refers-to-target-uri": URI,
    "warc-profile": URI,
    "warc-ip-address": r"[0-9a-f.:]+",
    "content-type": TEXT,
    "warc-identified-payload-type": f"{WORD}/{WORD}",
    "warc-filename": TEXT,
    **dict.fromkeys(EXTENSIONS, TEXT),
}
DIGESTS = ("warc-block-digest", "warc-payload-digest")
# What the annotated WARC 1.1 asks writers for; a writer uses one algorithm for all its records.
DIGEST_FORMS: Mapping[str, str] = {
    "sha1": "[A-Z2-7]{32}",
    "sha256": "[0-9a-f]{64}",
    "blake3": "[0-9a-f]{64}",
    "md5": "[0-9a-f]{32}",
}
HTTP = "application/http"  # of this content type, a writer has one spelling for each type of record
BEGINNING = 20  # characters by which the orders of fields are told apart
LONGEST = 16 * 1024  # bytes of a header; a longer one gets the closer look
MOST_BEGINNINGS = 64
MOST_ORDERS = 4  # with the same beginning
ABSENT = -1  # the place of a value that the order does not have: behind the others stands an empty one


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """The fields of a header in one order, under the rules of one version."""

    rules: str
    kind: str  # the record type for which the fields are right
    keys: tuple[str, ...]  # names in lower case
    pattern: re.Pattern[str]
    date: int  # places among the values
    address: int
    content_type: int  # where it is not the same in all headers of the order

    def place(self, key: str) -> int:
        return self.keys.index(key) if key in self.keys else ABSENT

    def matched(self, text: str) -> tuple[str, ...] | None:
        """The values in the order of `keys`, and an empty one, if the header is good; None otherwise."""
        match = self.pattern.fullmatch(text)
        if match is None:
            return None
        values: tuple[str, ...] = match.groups()
        address, content_type = values[self.address], values[self.content_type]
        # What a pattern cannot tell is nearly always known from the record before.
        if not is_day(values[self.date][:10]) or (address and address_fault(address)):
            return None
        return values if not content_type or is_media_type(content_type) else None


class UsualHeaders:
    """The orders learnt from the headers of a file."""

    def __init__(self) -> None:
        self._orders: dict[str, list[Order]] = {}

    def match(self, text: str, rules: str) -> tuple[Order, tuple[str, ...]] | None:
        """The order and the values of a header, if it is as usual; None if it needs a closer look."""
        for order in self._orders.get(text[:BEGINNING], ()):
            if order.rules == rules and (values := order.matched(text)) is not None:
                return order, values
        return None

    def values(self, text: str, rules: str) -> dict[str, str] | None:
        """The values of a header by name, if it is as usual; None if it needs a closer look."""
        found = self.match(text, rules)
        return dict(zip(found[0].keys, found[1], strict=False)) if found is not None else None

    def learn(self, text: str, rules: str, pairs: Sequence[tuple[str, str]]) -> None:
        """Remember the order of a header in which nothing was found."""
        orders = self._orders.setdefault(text[:BEGINNING], [])
        if len(orders) >= MOST_ORDERS or len(self._orders) > MOST_BEGINNINGS or len(text) > LONGEST:
            return
        order = order_of(rules, pairs)
        if order is not None:
            orders.append(order)


def order_of(rules: str, pairs: Sequence[tuple[str, str]]) -> Order | None:
    """The order of a good header; None where a field in it has no usual form."""
    keys: list[str] = []
    lines: list[str] = []
    fixed = {key: value for name, value in pairs if is_fixed(key := name.lower(), value)}
    for name, value in pairs:
        key, form = name.lower(), _form(name.lower(), value, rules)
        if form is None or (key in keys and key not in EXTENSIONS):
            return None
        capture = "(" if key not in keys else "(?:"  # of a field that stands twice, the first counts
        if key not in keys:
            keys.append(key)
        lines.append(rf"{re.escape(name)}:[ ]{capture}{form})\r\n")
    places = {key: place for place, key in enumerate(keys) if key not in fixed}
    pattern = re.compile("".join(lines) + "()")
    judged = [places.get(key, ABSENT) for key in ("warc-date", "warc-ip-address", "content-type")]
    return Order(rules, fixed["warc-type"], tuple(keys), pattern, *judged)


def is_fixed(key: str, value: str) -> bool:
    """Whether all headers of an order have this very value."""
    return key == "warc-type" or (key == "content-type" and value.startswith(HTTP))


def _form(key: str, value: str, rules: str) -> str | None:
    if is_fixed(key, value):
        return re.escape(value)
    if key == "warc-date":
        return DATES[rules]
    if key in DIGESTS:
        label = value.partition(":")[0]
        return f"{label}:{DIGEST_FORMS[label]}" if label in DIGEST_FORMS else None
    return FORMS.get(key)

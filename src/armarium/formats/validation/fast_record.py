"""Records as nearly all are, judged in one go: requests and responses that break no rule.

All that the closer look (`warc_record`) would find wrong is asked here too, but only whether there is
anything: at the first doubt the record is left to the closer look, untouched. What a record leaves behind for
those after it (its id, its date, what it refers to) is taken down as the closer look does it.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from armarium.formats.validation.digests import HASHERS, Algorithm, from_base32
from armarium.formats.validation.fast_header import HTTP, Order, UsualHeaders
from armarium.formats.validation.http_body import BODILESS, HTML_STARTS, SIGNATURES
from armarium.formats.validation.policy import EXTENSIONS
from armarium.formats.validation.record_types import http_type_fault
from armarium.formats.validation.relations import Pairs, Place, Relations
from armarium.formats.validation.values import EARLIEST_YEAR, essence
from armarium.formats.warc.block import WholeBlock
from armarium.formats.warc.records import Record

# --- HTTP messages as nearly all are recorded, judged in one match.
#
# A head whose lines are all as RFC 9112 asks, with a body that fits it and no transfer coding, has nothing
# that
# the closer look (`http_body` and the parser) would find. What does not fit is left to these.


FIELDS = rb"(?:[!#$%&'*+.^_`|~0-9A-Za-z-]++:[\t\x20-\x7e]*+\r\n)*+\r\n"
RESPONSE = re.compile(rb"HTTP/1\.[01] ([1-5][0-9]{2}) [\x20-\x7e]*+\r\n" + FIELDS)
REQUEST = re.compile(rb"[A-Z]++ [\x21-\x7e]++ HTTP/1\.[01]\r\n" + FIELDS)
BODILESS_TEXTS = frozenset(b"%d" % status for status in BODILESS)
LONGEST_HEAD = 65_536  # bytes; a longer one gets the closer look


def usual_entity(block: bytes, kind: str) -> int:
    """Where the entity begins in a message in which nothing is to be found; -1: it needs a closer look."""
    return entity_within(block, 0, len(block), kind)


def entity_within(data: bytes, begin: int, end: int, kind: str) -> int:
    """The same for a message that stands between other bytes: copying it would take longer than judging."""
    pattern = REQUEST if kind == "request" else RESPONSE
    match = pattern.match(data, begin, end if end - begin < LONGEST_HEAD else begin + LONGEST_HEAD)
    if match is None:
        return -1
    entity = match.end()
    head = data[begin:entity].lower()
    if not _length_fits(head, end - begin):
        return -1
    if pattern is REQUEST:
        return entity if b"\nhost:" in head else -1
    start = data[entity : entity + 4] if end - entity >= 4 else data[entity:end]
    if match[1] in BODILESS_TEXTS or not _looks_as_declared(head, start):
        return -1
    return entity


def _length_fits(head: bytes, length: int) -> bool:
    if b"\ntransfer-encoding:" in head:
        return False
    at = head.find(b"\ncontent-length:")
    if at < 0:
        return True
    announced = head[at + 16 : head.find(b"\r", at)].strip(b" \t")
    return announced == b"%d" % (length - len(head)) and head.count(b"content-length") == 1


def _looks_as_declared(head: bytes, start: bytes) -> bool:
    """Whether coding and type, as far as the first bytes tell, are those of the head."""
    if b"\ncontent-encoding:" in head:
        return start[:2] == b"\x1f\x8b" and b"\ncontent-encoding: gzip\r" in head
    found = SIGNATURES.get(start)
    if found is None:
        return start not in HTML_STARTS or b"\ncontent-type: text/html" in head
    at = head.find(b"\ncontent-type:")
    declared = head[at + 14 : head.find(b"\r", at + 1)].decode("ascii") if at >= 0 else ""
    return essence(declared) in found[1]


# --- Records as nearly all are, judged in one go: requests and responses that break no rule.


WEB = ("http://", "https://")
NEEDED = {
    "request": frozenset({"warc-target-uri", "content-type"}),
    "response": frozenset({"warc-target-uri", "content-type", "warc-ip-address"}),
}
OPTIONAL = EXTENSIONS | {
    "warc-type",
    "warc-date",
    "warc-record-id",
    "content-length",
    "warc-ip-address",
    "warc-concurrent-to",
    "warc-warcinfo-id",
    "warc-block-digest",
    "warc-payload-digest",
    "warc-identified-payload-type",
}


class Check(NamedTuple):
    """How one digest of a header is compared."""

    place: int  # among the values
    label: int  # characters before the digest
    algorithm: Algorithm
    decode: Callable[[str], bytes]


class Plan(NamedTuple):
    """Where the records of one order have what is asked of them."""

    record_id: int
    date: int
    address: int
    concurrent_to: int
    warcinfo_id: int
    block: Check | None
    payload: Check | None


def plan_of(order: Order, values: tuple[str, ...]) -> Plan | None:
    """The plan for an order, made from its first record; None where its records all need the closer look."""
    needed, keys = NEEDED.get(order.kind), set(order.keys)
    if needed is None or not needed <= keys or not keys <= OPTIONAL | needed:
        return None
    content_type = values[order.place("content-type")]
    if not content_type.startswith(HTTP) or http_type_fault(order.kind, content_type):
        return None  # the same for all records of the order: what begins so is part of it, word by word
    return Plan(
        record_id=order.place("warc-record-id"),
        date=order.date,
        address=order.place("warc-target-uri"),
        concurrent_to=order.place("warc-concurrent-to"),
        warcinfo_id=order.place("warc-warcinfo-id"),
        block=_check(order, values, "warc-block-digest"),
        payload=_check(order, values, "warc-payload-digest"),
    )


def _check(order: Order, values: tuple[str, ...], name: str) -> Check | None:
    if name not in order.keys:
        return None
    label = values[order.place(name)].partition(":")[0]
    decode = from_base32 if label == "sha1" else bytes.fromhex
    return Check(order.place(name), len(label) + 1, HASHERS[label], decode)


class UsualRecords:
    """The quick look at the records of one file."""

    def __init__(
        self, headers: UsualHeaders, relations: Relations, pairs: Pairs, begin: str, end: str
    ) -> None:
        self._headers = headers
        self._relations = relations
        self._pairs = pairs
        self._begin = max(begin, EARLIEST_YEAR)  # dates in UTC compare as text
        self._end = end
        self._plans: dict[Order, Plan | None] = {}
        self._warcinfo_id = ""  # that is known to be that of a warcinfo

    def check(self, record: Record, rules: str) -> tuple[str, int] | None:
        """The record type and how many digests match, if there is nothing to find; None for a closer look."""
        block, raw = record.block, record.fields.raw
        if not isinstance(block, WholeBlock) or not raw.isascii():
            return None
        found = self._headers.match(raw.decode("ascii"), rules)
        if found is None:
            return None
        order, values = found
        plan = self._plans.get(order) or self._plan(order, values)
        if plan is None or not values[plan.address].startswith(WEB):
            return None
        if not self._begin <= values[plan.date] <= self._end:
            return None
        matched = _matched(plan, values, block, order.kind)
        if matched < 0 or not self._relate(plan, values, record, order.kind):
            return None
        return order.kind, matched

    def _plan(self, order: Order, values: tuple[str, ...]) -> Plan | None:
        if order not in self._plans:
            self._plans[order] = plan_of(order, values)
        return self._plans[order]

    def _relate(self, plan: Plan, values: tuple[str, ...], record: Record, kind: str) -> bool:
        """Take the record in among the others; False, and nothing done, where it does not fit them."""
        record_id, date = values[plan.record_id], values[plan.date]
        concurrent, warcinfo = values[plan.concurrent_to], values[plan.warcinfo_id]
        key = _key(record_id)
        named = [_key(concurrent)] if concurrent else []
        relations = self._relations
        if not relations.is_usual(key, named, date):
            return False
        place = Place(record.number, record.offset)
        relations.add_usual(key, date, record_id)
        if concurrent:
            relations.concurrent(named[0], concurrent, place)
        if warcinfo and warcinfo != self._warcinfo_id:
            relations.described(_key(warcinfo), warcinfo, place)
            self._warcinfo_id = warcinfo  # the first of several references is the one that is told
        address = hash((values[plan.address], date))
        if kind == "request":
            self._pairs.ask(key, named, address, place)
        else:
            self._pairs.answer(key, named, address)
        return True


def _matched(plan: Plan, values: tuple[str, ...], block: WholeBlock, kind: str) -> int:
    """How many digests match the block; -1 where one does not, or where its message is not as usual."""
    data, begin, end = block.whole()
    entity = entity_within(data, begin, end, kind)
    if entity < 0:
        return -1
    view, matched = memoryview(data), 0
    if plan.block is not None:
        place, label, algorithm, decode = plan.block
        if algorithm(view[begin:end]).digest() != decode(values[place][label:]):
            return -1
        matched = 1
    if plan.payload is not None:
        place, label, algorithm, decode = plan.payload
        if algorithm(view[entity:end]).digest() != decode(values[place][label:]):
            return -1
        matched += 1
    return matched


def _key(record_id: str) -> bytes:
    """As `key_of`, for what is known to be <urn:uuid:…>."""
    return bytes.fromhex(record_id[10:-1].replace("-", ""))

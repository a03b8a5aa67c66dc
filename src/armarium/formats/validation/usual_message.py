"""HTTP messages as nearly all are recorded, judged in one match.

A head whose lines are all as RFC 9112 asks, with a body that fits it and no transfer coding, has nothing that
the closer look (`http_body` and the parser) would find. What does not fit is left to these.
"""

import re

from armarium.formats.validation.http_body import BODILESS, HTML_STARTS, SIGNATURES
from armarium.formats.validation.values import essence

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

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
LONGEST_HEAD = 65_536  # bytes; a longer one gets the closer look


def usual_entity(block: bytes, kind: str) -> int:
    """Where the entity begins in a message in which nothing is to be found; -1: it needs a closer look."""
    if kind == "request":
        match = REQUEST.match(block, 0, LONGEST_HEAD)
        if match is None:
            return -1
        head = block[: match.end()].lower()
        return match.end() if b"\nhost:" in head and _length_fits(head, len(block)) else -1
    match = RESPONSE.match(block, 0, LONGEST_HEAD)
    if match is None or int(match[1]) in BODILESS:
        return -1
    end = match.end()
    head = block[:end].lower()
    return end if _length_fits(head, len(block)) and _looks_as_declared(head, block[end : end + 4]) else -1


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

"""The metadata record of a capture: Heritrix's fields, enough to resume a crawl from it.

    seed:                         or  via, hopsFromSeed
    sourceTag: <tag of the seed>
    fetchTimeMs: 12
    charsetForLinkExtraction: utf-8
    payloadDigest: sha1:…         for chunked responses, see docs/decisions/payload-digests.md
    annotations: dol:12           what was left out of its links, in the words of crawl.log
    outlink: http://example.org/a L a/@href

Heritrix writes nothing but `seed:` for seeds. A redirect of a seed is one too, and the tag of a seed may
differ from its address: so what is known is written in either case.
"""

import re
from functools import lru_cache

from armarium.harvest.record.facts import CaptureFacts, Outlink

_FETCH_TIME = re.compile(rb"^fetchTimeMs: ([0-9]{1,12})\r$", re.MULTILINE)
_DIGEST = re.compile(rb"^payloadDigest: ([!-~]+)\r$", re.MULTILINE)
_NEXT_LINK = "\r\noutlink: "
_SPACE = re.compile(r"[\s\x00-\x1f\x7f]+")


def metadata_block(facts: CaptureFacts, milliseconds: int, payload_digest: str = "") -> bytes:
    """`payload_digest` where the record of the response does not tell it."""
    lines = ["seed: "] if facts.seed else []
    if facts.via:
        lines.append(f"via: {_one_line(facts.via)}")
    if facts.hops:
        lines.append(f"hopsFromSeed: {facts.hops}")
    if facts.source:
        lines.append(f"sourceTag: {_one_line(facts.source)}")
    lines.append(f"fetchTimeMs: {milliseconds}")
    if facts.charset:
        lines.append(f"charsetForLinkExtraction: {_one_line(facts.charset)}")
    if payload_digest:
        lines.append(f"payloadDigest: {payload_digest}")
    if facts.noted:
        lines.append(f"annotations: {_one_line(','.join(facts.noted))}")
    if facts.outlinks:
        lines.append(f"outlink: {_NEXT_LINK.join(map(' '.join, facts.outlinks))}")
    text = "\r\n".join(lines) + "\r\n"
    # What pages hold may break a line; few do, and only then every link is looked at.
    expected = len(lines) + max(len(facts.outlinks) - 1, 0)
    if text.count("\n") != expected or text.count("\r") != expected:
        links = (f"{_word(url)} {hop} {_one_line(context)}" for url, hop, context in facts.outlinks)
        lines[-1] = f"outlink: {_NEXT_LINK.join(links)}"
        text = "\r\n".join(lines) + "\r\n"
    return text.encode(errors="replace")


def read_metadata(block: bytes) -> CaptureFacts:
    """What `metadata_block` wrote. Lines that are nothing of it are passed over."""
    known: dict[str, str] = {}
    outlinks: list[Outlink] = []
    for line in block.decode(errors="replace").split("\r\n"):
        name, colon, value = line.partition(":")
        value = value[1:] if value[:1] == " " else value
        if name == "outlink":
            url, _, rest = value.partition(" ")
            hop, _, context = rest.partition(" ")
            if url and hop:
                outlinks.append(Outlink(url, hop, context))
        elif colon:
            known.setdefault(name, value)
    return CaptureFacts(
        hops=known.get("hopsFromSeed", ""),
        via=known.get("via", ""),
        source=known.get("sourceTag", ""),
        seed="seed" in known,
        charset=known.get("charsetForLinkExtraction", ""),
        outlinks=outlinks,
        noted=tuple(filter(None, known.get("annotations", "").split(","))),
    )


def fetch_milliseconds(block: bytes) -> int:
    """How long the capture took; 0 where the record does not say."""
    found = _FETCH_TIME.search(block)
    return int(found[1]) if found else 0


def payload_digest(block: bytes) -> str:
    """The digest of a payload that came with a transfer coding; "" where the record does not say."""
    found = _DIGEST.search(block)
    return found[1].decode("ascii") if found else ""


@lru_cache(maxsize=1024)  # the captures of one page have one `via`, those of a seed one tag
def _one_line(value: str) -> str:
    return _SPACE.sub(" ", value)


def _word(value: str) -> str:
    return _SPACE.sub(lambda found: "".join(f"%{ord(letter):02X}" for letter in found.group()), value)

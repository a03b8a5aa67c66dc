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
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

# --- What a crawl knows of a capture beside the bytes, and what it is told when those are recorded.


BY_DIGEST = "digest"
BY_SERVER = "server-not-modified"


class Outlink(NamedTuple):
    """An address found in a capture, as the metadata record keeps it."""

    url: str
    hop: str
    context: str


class CaptureFacts(NamedTuple):
    """How a capture came about."""

    hops: str = ""
    via: str = ""
    source: str = ""
    seed: bool = False
    charset: str = ""
    outlinks: Sequence[tuple[str, str, str]] = ()  # url, hop letter, context
    noted: Sequence[str] = ()  # words for the log: what of its links was left out


class Recorded(NamedTuple):
    """Where a capture is, and what it turned out to be."""

    filename: str  # as the file will be called once it is sealed
    offset: int
    payload_digest: str  # labelled; "" where there is no payload
    length: int  # of the message as received
    duplicate: str | None  # "digest" or "server-not-modified": a revisit record stands for it
    content_size: int  # of the payload: the body without its transfer coding
    record_length: int = -1  # in the file

    @property
    def annotations(self) -> tuple[str, ...]:
        """What the crawl log says of it."""
        return () if self.duplicate is None else (f"duplicate:{self.duplicate}",)


# --- The record.


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


# --- WARC-Protocol and WARC-Cipher-Suite: how a message travelled.
#
# The IIPC's proposals (warc-specifications, issues 42 and 86): protocols by their short names, one field for
# each layer; the cipher suite by its name in IANA's registry, where OpenSSL has its own before TLS 1.3.


_KEY_EXCHANGE = re.compile(r"(?:(ECDHE|DHE)-(RSA|ECDSA|DSS)-)?(.+)\Z")
_CIPHERS = (
    (re.compile(r"AES(128|256)-GCM-(SHA\d+)\Z"), r"AES_\1_GCM_\2"),
    (re.compile(r"AES(128|256)-(CCM8?)\Z"), r"AES_\1_\2"),
    (re.compile(r"AES(128|256)-(SHA\d*)\Z"), r"AES_\1_CBC_\2"),
    (re.compile(r"CAMELLIA(128|256)-(SHA\d*)\Z"), r"CAMELLIA_\1_CBC_\2"),
    (re.compile(r"CHACHA20-POLY1305\Z"), "CHACHA20_POLY1305_SHA256"),
    (re.compile(r"DES-CBC3-SHA\Z"), "3DES_EDE_CBC_SHA"),
)


@lru_cache(maxsize=256)
def protocol_fields(version: str, tls: str, cipher: str) -> tuple[tuple[str, str], ...]:
    """The fields for a message of that HTTP version (`HTTP/1.1`) over that TLS (`TLSv1.3`), or none ("")."""
    fields = []
    if version.startswith("HTTP/"):
        fields.append(("WARC-Protocol", version.lower()))
    if tls:
        fields.append(("WARC-Protocol", layer(tls)))
    if cipher:
        fields.append(("WARC-Cipher-Suite", registered_cipher(cipher)))
    return tuple(fields)


def layer(tls: str) -> str:
    """`TLSv1.3` as `tls/1.3`, `TLSv1` as `tls/1.0`, `SSLv3` as `ssl/3`."""
    name, _, version = tls.lower().partition("v")
    return f"{name}/{'1.0' if name == 'tls' and version == '1' else version}"


def registered_cipher(name: str) -> str:
    """IANA's name for a cipher suite of OpenSSL; one that follows no rule is left as it is."""
    if name.startswith("TLS_"):
        return name
    exchange = _KEY_EXCHANGE.match(name)
    if exchange is None:
        return name
    keys = f"{exchange[1]}_{exchange[2]}" if exchange[1] else "RSA"
    for shape, registered in _CIPHERS:
        found = shape.match(exchange[3])
        if found is not None:
            return f"TLS_{keys}_WITH_{found.expand(registered)}"
    return name

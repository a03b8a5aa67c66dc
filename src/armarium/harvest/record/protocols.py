"""WARC-Protocol and WARC-Cipher-Suite: how a message travelled.

The IIPC's proposals (warc-specifications, issues 42 and 86): protocols by their short names, one field for
each layer; the cipher suite by its name in IANA's registry, where OpenSSL has its own before TLS 1.3.
"""

import re
from functools import lru_cache

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

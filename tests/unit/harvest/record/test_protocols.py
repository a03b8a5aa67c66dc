"""How a message travelled, in the words of the IIPC and of IANA."""

import pytest

from armarium.harvest.record.metadata import layer, protocol_fields, registered_cipher
from armarium.harvest.record.recorder import address_only


@pytest.mark.parametrize(
    ("openssl", "registered"),
    [
        ("TLS_AES_256_GCM_SHA384", "TLS_AES_256_GCM_SHA384"),
        ("ECDHE-ECDSA-CHACHA20-POLY1305", "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"),
        ("DHE-RSA-AES256-SHA256", "TLS_DHE_RSA_WITH_AES_256_CBC_SHA256"),
        ("AES128-SHA", "TLS_RSA_WITH_AES_128_CBC_SHA"),
        ("DES-CBC3-SHA", "TLS_RSA_WITH_3DES_EDE_CBC_SHA"),
        ("SOMETHING-NEW", "SOMETHING-NEW"),
    ],
)
def test_ciphers_get_their_registered_names(openssl: str, registered: str) -> None:
    assert registered_cipher(openssl) == registered


def test_layers_have_short_names() -> None:
    assert [layer(name) for name in ("TLSv1.3", "TLSv1", "SSLv3")] == ["tls/1.3", "tls/1.0", "ssl/3"]
    assert protocol_fields("HTTP/1.0", "", "") == (("WARC-Protocol", "http/1.0"),)
    assert protocol_fields("", "", "") == ()


def test_an_address_is_told_from_its_port() -> None:
    servers = ("192.0.2.1:53", "192.0.2.1", "[2001:db8::1]:53", "2001:db8::1", "")
    assert [address_only(server) for server in servers] == [
        "192.0.2.1",
        "192.0.2.1",
        "2001:db8::1",
        "2001:db8::1",
        None,
    ]

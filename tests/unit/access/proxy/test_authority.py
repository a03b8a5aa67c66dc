import ssl
import stat
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key, pkcs12

from armarium.access.proxy.authority import Authority
from armarium.core.errors import Misconfigured


def _shake_hands(authority: Authority, served: str, asked: str) -> x509.Certificate:
    """Real TLS in memory, with a client that trusts nobody else; gives the server's certificate."""
    trusting = ssl.create_default_context(cadata=authority.pem.decode())
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = trusting.wrap_bio(to_client, to_server, server_hostname=asked)
    server = authority.context(served).wrap_bio(to_server, to_client, server_side=True)
    for _ in range(3):
        for side in (client, server):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
    certificate = client.getpeercert(binary_form=True)
    assert certificate is not None
    return x509.load_der_x509_certificate(certificate)


@pytest.mark.parametrize(
    "host", ["example.org", "xn--bcher-kva.example", "192.0.2.1", "2001:db8::1", "a_b.example.org"]
)
def test_whoever_trusts_the_authority_trusts_the_site(host: str) -> None:
    found = _shake_hands(Authority.fresh(), host, host)
    names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert len(list(names)) == 1


def test_a_host_name_longer_than_a_common_name_may_be_gets_a_certificate() -> None:
    host = f"{'a' * 60}.{'b' * 60}.example.org"
    _shake_hands(Authority.fresh(), host, host)


def test_a_certificate_is_good_for_its_own_host_only() -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        _shake_hands(Authority.fresh(), "example.org", "www.example.org")


def test_the_authority_cannot_pretend_to_be_a_site_of_the_house() -> None:
    authority = Authority.fresh(excluded=["staff.example.org", "192.0.2.1"])
    for host in ("staff.example.org", "x.staff.example.org", "192.0.2.1"):
        with pytest.raises(ssl.SSLCertVerificationError):
            _shake_hands(authority, host, host)
    _shake_hands(authority, "www.example.org", "www.example.org")


def test_a_site_keeps_its_certificate() -> None:
    authority = Authority.fresh()
    assert authority.context("example.org") is authority.context("example.org")


def test_the_authority_is_made_once_and_read_by_nobody_else(tmp_path: Path) -> None:
    file = tmp_path / "secrets" / "proxy-ca"
    first, second = Authority.kept(file), Authority.kept(file)
    assert first.fingerprint == second.fingerprint
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(file.parent.iterdir()) == [file]
    _shake_hands(second, "example.org", "example.org")


def test_what_can_be_downloaded_holds_no_key() -> None:
    authority = Authority.fresh()
    assert b"PRIVATE" not in authority.pem
    with pytest.raises(ValueError, match=r"PEM|key"):
        load_pem_private_key(authority.pem, None)
    key, _, others = pkcs12.load_key_and_certificates(authority.p12, None)
    assert key is None
    assert others == [authority.certificate]
    assert x509.load_der_x509_certificate(authority.der) == authority.certificate


@pytest.mark.parametrize("content", [b"", b"rubbish", None])
def test_a_damaged_file_is_told_with_what_to_do(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "proxy-ca"
    Authority.kept(file)
    stranger = Authority.fresh().pem
    head = file.read_bytes().partition(b"-----BEGIN CERTIFICATE")[0]
    file.write_bytes(head + stranger if content is None else content)
    with pytest.raises(Misconfigured, match="backup"):
        Authority.kept(file)

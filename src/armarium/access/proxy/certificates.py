"""Certificates by which a browser believes that the proxy speaks for an archived site."""

import ipaddress
from collections.abc import Sequence
from datetime import timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from armarium.core import clock

Key = ec.EllipticCurvePrivateKey

AUTHORITY_LIFE = timedelta(days=3653)
# Shorter than what the strictest of the browsers bears (398 days); made anew long before.
SITE_LIFE = timedelta(days=60)
SLOW_CLOCKS = timedelta(days=2)  # a reader's clock may be behind ours
LONGEST_COMMON_NAME = 64  # RFC 5280, ub-common-name


def new_key() -> Key:
    return ec.generate_private_key(ec.SECP256R1())


def authority_certificate(key: Key, name: str, excluded: Sequence[str]) -> x509.Certificate:
    """The authority signs for every site of the web but `excluded`.

    An archive holds any site, so there is no list of names to which it could be limited. The sites of the
    house itself are never reached through the proxy: whoever steals the key cannot pretend to be them.
    """
    subject = _named(name)
    builder = (
        _begun(subject, subject, key, AUTHORITY_LIFE)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(authority=True), critical=True)
    )
    if excluded:
        constraints = x509.NameConstraints(None, [_subtree(host) for host in excluded])
        builder = builder.add_extension(constraints, critical=True)
    return builder.sign(key, hashes.SHA256())


def site_certificate(host: str, key: Key, authority: x509.Certificate, signing: Key) -> x509.Certificate:
    """For one host: a name in ASCII, or an IP address."""
    identifier = authority.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    known = x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier)
    return (
        _begun(_named(host), authority.subject, key, SITE_LIFE)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(authority=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName([_alternative(host)]), critical=False)
        .add_extension(known, critical=False)
        .sign(signing, hashes.SHA256())
    )


def address_of(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _begun(subject: x509.Name, issuer: x509.Name, key: Key, life: timedelta) -> x509.CertificateBuilder:
    now = clock.now()
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - SLOW_CLOCKS)
        .not_valid_after(now + life)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _named(name: str) -> x509.Name:
    # Browsers read only the alternative names; the common name is for people.
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name[:LONGEST_COMMON_NAME])])


def _alternative(host: str) -> x509.GeneralName:
    address = address_of(host)
    return x509.DNSName(host) if address is None else x509.IPAddress(address)


def _subtree(host: str) -> x509.GeneralName:
    address = address_of(host)
    return x509.DNSName(host) if address is None else x509.IPAddress(ipaddress.ip_network(address))


def _usage(*, authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=authority,
        crl_sign=authority,
        encipher_only=False,
        decipher_only=False,
    )

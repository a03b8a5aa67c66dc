"""The proxy's own certificate authority, and the certificates by which it speaks for archived sites."""

import ipaddress
import os
import secrets
import ssl
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import pkcs12
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from armarium.core import clock
from armarium.core.errors import Misconfigured
from armarium.core.folders import make_private
from armarium.core.message import message

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


FILE = "secrets/proxy-ca"  # in the data folder: the key and the certificate
NAME = "Armarium web archive proxy"

MOST_SITES = 2_000  # whose certificates are remembered; one takes about 20 KB
RENEWED_AFTER = timedelta(days=20)

_PEM, _DER = serialization.Encoding.PEM, serialization.Encoding.DER


class Authority:
    """Vouches for archived sites; called from any thread."""

    def __init__(self, key: Key, certificate: x509.Certificate) -> None:
        self._key = key
        self.certificate = certificate
        self._sites: OrderedDict[str, tuple[datetime, ssl.SSLContext]] = OrderedDict()
        self._lock = threading.Lock()

    @classmethod
    def fresh(cls, name: str = NAME, excluded: Sequence[str] = ()) -> "Authority":
        """One that lives as long as this process."""
        key = new_key()
        return cls(key, authority_certificate(key, name, excluded))

    @classmethod
    def kept(cls, file: Path, name: str = NAME, excluded: Sequence[str] = ()) -> "Authority":
        """The one of this file, made if it is not there; processes that start together get the same."""
        if not file.exists():
            _keep(cls.fresh(name, excluded), file)
        return _read(file)

    @property
    def pem(self) -> bytes:
        """The certificate, without the key."""
        return self.certificate.public_bytes(_PEM)

    @property
    def der(self) -> bytes:
        return self.certificate.public_bytes(_DER)

    @property
    def p12(self) -> bytes:
        """The certificate alone, in the form that some systems import; there is no key in it."""
        return pkcs12.serialize_key_and_certificates(
            NAME.encode(), None, None, [self.certificate], serialization.NoEncryption()
        )

    @property
    def fingerprint(self) -> str:
        """SHA-256, as browsers show it."""
        return self.certificate.fingerprint(hashes.SHA256()).hex(":").upper()

    def context(self, host: str) -> ssl.SSLContext:
        """What a server of this host needs to be believed."""
        with self._lock:
            made, context = self._sites.get(host, (None, None))
            if made is not None and context is not None and clock.now() - made < RENEWED_AFTER:
                self._sites.move_to_end(host)
                return context
        context = self._made(host)
        with self._lock:
            self._sites[host] = clock.now(), context
            self._sites.move_to_end(host)
            if len(self._sites) > MOST_SITES:
                self._sites.popitem(last=False)
        return context

    def _made(self, host: str) -> ssl.SSLContext:
        key = new_key()
        certificate = site_certificate(host, key, self.certificate, self._key)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_alpn_protocols(["http/1.1"])
        # The ssl module takes certificates only from files; this one is ours alone and gone at once.
        with tempfile.NamedTemporaryFile() as file:
            file.write(_private(key) + certificate.public_bytes(_PEM) + self.pem)
            file.flush()
            context.load_cert_chain(file.name)
        return context


def _private(key: Key) -> bytes:
    return key.private_bytes(_PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


def _keep(authority: Authority, file: Path) -> None:
    make_private(file.parent)
    fresh = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(_private(authority._key) + authority.pem)
            opened.flush()
            os.fsync(opened.fileno())
        os.link(fresh, file)  # refuses if another process was first
    except FileExistsError:
        pass
    finally:
        fresh.unlink()


def _read(file: Path) -> Authority:
    content = file.read_bytes()
    try:
        key = serialization.load_pem_private_key(content, password=None)
        certificate = x509.load_pem_x509_certificate(content)
    except (ValueError, TypeError) as error:
        raise _unusable(file, str(error)) from error
    if not isinstance(key, ec.EllipticCurvePrivateKey) or key.public_key() != certificate.public_key():
        raise _unusable(file, "key and certificate do not belong together")
    if certificate.not_valid_after_utc <= clock.now():
        raise _unusable(file, f"it ran out on {certificate.not_valid_after_utc:%Y-%m-%d}")
    return Authority(key, certificate)


def _unusable(file: Path, reason: str) -> Misconfigured:
    return Misconfigured(
        message(
            "The proxy's certificate authority in %(file)s cannot be used: %(reason)s. Bring the file back "
            "from a backup, or remove it: a new authority is made, which browsers must be told to trust.",
            file=str(file),
            reason=reason,
        )
    )

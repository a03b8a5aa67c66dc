"""A real chain of certificates, made for a test: an authority, one below it, and servers of all kinds."""

import datetime
import ipaddress
import ssl
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from armarium.core import clock

PEM = serialization.Encoding.PEM


@dataclass
class Authority:
    """Signs certificates; `file` is what somebody who trusts it keeps."""

    folder: Path
    file: Path
    _certificate: x509.Certificate
    _key: ec.EllipticCurvePrivateKey
    _chain: bytes  # what a server sends besides its own certificate

    @classmethod
    def create(cls, folder: Path) -> "Authority":
        """A root, and an authority below it that signs."""
        root_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
        root = _built("Root", "Root", root_key, root_key, authority=True).sign(root_key, hashes.SHA256())
        below = _built("Below", "Root", key, root_key, authority=True).sign(root_key, hashes.SHA256())
        file = folder / "root.pem"
        file.write_bytes(root.public_bytes(PEM))
        return cls(folder, file, below, key, below.public_bytes(PEM))

    def server(self, *names: str, days: int = 30, versions: ssl.TLSVersion | None = None) -> ssl.SSLContext:
        """What a server with these names needs; negative days: its certificate has run out."""
        key = ec.generate_private_key(ec.SECP256R1())
        builder = _built(names[0], "Below", key, self._key, days=days).add_extension(
            x509.SubjectAlternativeName([_alternative(name) for name in names]), critical=False
        )
        return self._context(builder.sign(self._key, hashes.SHA256()), key, self._chain, versions)

    def file_for(self, *names: str) -> Path:
        """Key, certificate and chain in one file, for a server that is a program of its own."""
        self.server(*names)
        return max(self.folder.glob("[0-9]*.pem"), key=lambda file: file.stat().st_mtime_ns)

    def self_signed(self, name: str) -> ssl.SSLContext:
        key = ec.generate_private_key(ec.SECP256R1())
        builder = _built(name, name, key, key).add_extension(
            x509.SubjectAlternativeName([_alternative(name)]), critical=False
        )
        return self._context(builder.sign(key, hashes.SHA256()), key, b"", None)

    def _context(
        self,
        certificate: x509.Certificate,
        key: ec.EllipticCurvePrivateKey,
        chain: bytes,
        version: ssl.TLSVersion | None,
    ) -> ssl.SSLContext:
        file = self.folder / f"{certificate.serial_number}.pem"
        private = key.private_bytes(PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        file.write_bytes(private + certificate.public_bytes(PEM) + chain)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        if version is not None:
            context.set_ciphers("ALL:@SECLEVEL=0")
            context.minimum_version = context.maximum_version = version
        context.load_cert_chain(file)
        return context


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _built(
    subject: str,
    issuer: str,
    key: ec.EllipticCurvePrivateKey,
    issuer_key: ec.EllipticCurvePrivateKey,
    *,
    days: int = 30,
    authority: bool = False,
) -> x509.CertificateBuilder:
    end = clock.now() + datetime.timedelta(days=days)
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(end - datetime.timedelta(days=60))
        .not_valid_after(end)
        .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), critical=False
        )
    )
    if authority:
        usage = dict.fromkeys(
            ("digital_signature", "content_commitment", "key_encipherment", "data_encipherment"), False
        )
        usage |= dict.fromkeys(("key_agreement", "encipher_only", "decipher_only"), False)
        builder = builder.add_extension(x509.KeyUsage(key_cert_sign=True, crl_sign=True, **usage), True)
    return builder

"""A real directory for a test: OpenLDAP's slapd as a child process, with people and groups of its own."""

import hashlib
import os
import shutil
import socket
import subprocess
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from ldap3 import MODIFY_REPLACE, NONE, Connection, Server
from ldap3.utils.dn import escape_rdn

from armarium.accounts.directory.settings import DirectorySettings
from armarium.settings import load
from tests.sites.certificates import Authority

PROGRAM = shutil.which("slapd", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
ROOT = "dc=example,dc=org"
PEOPLE = f"ou=people,{ROOT}"
GROUPS = f"ou=groups,{ROOT}"
MANAGER, MANAGER_PASSWORD = f"cn=manager,{ROOT}", "the manager's own secret"
SEARCHER, SEARCHER_PASSWORD = f"cn=searcher,{ROOT}", "the searcher's own secret"
PATIENCE = 60.0

#: `bind_anon_cred` makes it a server that takes a name without a password (RFC 4513, 5.1.2): the worst case.
CONFIGURATION = """
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload memberof
allow bind_anon_cred
TLSCertificateFile {certificate}
TLSCertificateKeyFile {certificate}
TLSCACertificateFile {authority}
database mdb
maxsize 33554432
dbnosync
suffix "{root}"
rootdn "{manager}"
rootpw "{manager_password}"
directory {data}
overlay memberof
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="{searcher}" read by anonymous auth by * none
"""


@dataclass(frozen=True)
class Directory:
    port: int
    secure_port: int
    authority: Path
    process: "subprocess.Popen[bytes]"

    @property
    def url(self) -> str:
        return f"ldaps://localhost:{self.secure_port}"

    @property
    def plain_url(self) -> str:
        return f"ldap://localhost:{self.port}"

    @property
    def environ(self) -> dict[str, str]:
        """The settings of a site that uses this directory."""
        return {
            "ARMARIUM_DIRECTORY_URL": self.url,
            "ARMARIUM_DIRECTORY_CA_FILE": str(self.authority),
            "ARMARIUM_DIRECTORY_BIND_DN": SEARCHER,
            "ARMARIUM_DIRECTORY_BIND_PASSWORD": SEARCHER_PASSWORD,
            "ARMARIUM_DIRECTORY_BASE_DN": PEOPLE,
            "ARMARIUM_DIRECTORY_GROUP_BASE": GROUPS,
            "ARMARIUM_DIRECTORY_ROLES": "curators = curator, it = engineer administrator",
        }

    def settings(self, **more: str) -> DirectorySettings:
        """The same for a test without a site; `more`: keys of the section."""
        added = {f"ARMARIUM_DIRECTORY_{name.upper()}": value for name, value in more.items()}
        chosen = load([DirectorySettings], home=self.authority.parent, environ=self.environ | added)
        return chosen[DirectorySettings]

    def person(self, uid: str, password: str, *, under: str = PEOPLE, **attributes: str) -> str:
        """Enter a person; the distinguished name."""
        dn = f"uid={uid},{under}"
        values = {"uid": uid, "cn": uid.title(), "sn": uid.title(), "userPassword": hashed(password)}
        self._add(dn, "inetOrgPerson", values | attributes)
        return dn

    def group(self, name: str, *members: str, under: str = GROUPS) -> str:
        dn = f"cn={escape_rdn(name)},{under}"
        self._add(dn, "groupOfNames", {"cn": name, "member": list(members) or [MANAGER]})
        return dn

    def unit(self, name: str, under: str = ROOT) -> str:
        self._add(f"ou={name},{under}", "organizationalUnit", {"ou": name})
        return f"ou={name},{under}"

    def set_members(self, group: str, *members: str) -> None:
        self.change(group, member=list(members) or [MANAGER])

    def change(self, dn: str, **attributes: list[str]) -> None:
        with self._managed() as connection:
            change = {name: [(MODIFY_REPLACE, values)] for name, values in attributes.items()}
            assert connection.modify(dn, change), connection.result

    def rename(self, dn: str, uid: str) -> None:
        with self._managed() as connection:
            assert connection.modify_dn(dn, f"uid={uid}"), connection.result

    def remove(self, dn: str) -> None:
        with self._managed() as connection:
            assert connection.delete(dn), connection.result

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE)

    def _add(self, dn: str, kind: str | list[str], values: object) -> None:
        with self._managed() as connection:
            assert connection.add(dn, kind, values), connection.result

    @contextmanager
    def _managed(self) -> Iterator[Any]:
        server = Server("127.0.0.1", self.port, get_info=NONE)
        with Connection(server, MANAGER, MANAGER_PASSWORD, auto_bind=True, check_names=False) as connection:
            yield connection


def hashed(password: str) -> str:
    salt = os.urandom(8)
    digest = hashlib.sha1(password.encode() + salt).digest()
    return "{SSHA}" + b64encode(digest + salt).decode()


@contextmanager
def running_directory(folder: Path) -> Iterator[Directory]:
    """A directory with two places and an account that searches; skips the test where there is no slapd."""
    if PROGRAM is None or not Path("/etc/ldap/schema/core.schema").exists():
        pytest.skip("slapd is not installed")
    folder.mkdir()
    authority = Authority.create(folder)
    configuration = _configured(folder, authority)
    directory = _started(folder, configuration, authority.file)
    try:
        _furnish(directory)
        yield directory
    finally:
        directory.process.terminate()
        directory.process.wait(PATIENCE)


def _configured(folder: Path, authority: Authority) -> Path:
    (folder / "data").mkdir()
    text = CONFIGURATION.format(
        certificate=authority.file_for("localhost"),
        authority=authority.file,
        root=ROOT,
        manager=MANAGER,
        manager_password=MANAGER_PASSWORD,
        searcher=SEARCHER,
        data=folder / "data",
    )
    file = folder / "slapd.conf"
    file.write_text(text)
    return file


def _started(folder: Path, configuration: Path, authority: Path) -> Directory:
    """Somebody else may take a port between our look and slapd's: then with others."""
    for _ in range(5):
        port, secure_port = _free_ports()
        addresses = f"ldap://127.0.0.1:{port} ldaps://127.0.0.1:{secure_port}"
        assert PROGRAM is not None
        with (folder / "slapd.log").open("wb") as log:
            command = [PROGRAM, "-f", str(configuration), "-h", addresses, "-d", "0"]
            process = subprocess.Popen(command, stdout=log, stderr=log)
        if _listens(process, port) and _listens(process, secure_port):
            return Directory(port, secure_port, authority, process)
    raise AssertionError((folder / "slapd.log").read_text())


def _free_ports() -> tuple[int, int]:
    with closing(socket.socket()) as first, closing(socket.socket()) as second:
        for each in (first, second):
            each.bind(("127.0.0.1", 0))
        return int(first.getsockname()[1]), int(second.getsockname()[1])


def _listens(process: "subprocess.Popen[bytes]", port: int) -> bool:
    until = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()
        except OSError:
            time.sleep(0.02)
        else:
            return True
    return False


def _furnish(directory: Directory) -> None:
    directory._add(ROOT, ["dcObject", "organization"], {"o": "Example", "dc": "example"})
    directory.unit("people")
    directory.unit("groups")
    searcher = {"cn": "searcher", "userPassword": hashed(SEARCHER_PASSWORD)}
    directory._add(SEARCHER, ["organizationalRole", "simpleSecurityObject"], searcher)

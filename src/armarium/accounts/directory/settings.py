"""Settings of the directories by which people sign in."""

import re
from collections.abc import Iterable
from ipaddress import ip_address
from pathlib import Path
from typing import TypeVar
from urllib.parse import SplitResult, urlsplit

from pydantic import SecretStr, field_validator, model_validator

from armarium.accounts.directory.model import Terms
from armarium.accounts.model import Role
from armarium.settings import Section, key

ATTRIBUTE = r"^[A-Za-z][A-Za-z0-9;-]*$"  # RFC 4512, section 1.4: attribute descriptions
PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
ROLES_HELP = (
    "Which group brings which roles: one text for each group, such as "
    '"web-curators = curator" or "it = engineer administrator".'
)


def roles_of_groups(lines: Iterable[str]) -> dict[str, frozenset[Role]]:
    """The roles by group; raises `ValueError` with words that complete “roles …”."""
    found: dict[str, frozenset[Role]] = {}
    for line in lines:
        # The last sign divides: a role has none in its name, a group may.
        group, sign, words = (part.strip() for part in line.rpartition("="))
        names = words.replace(",", " ").split()
        if not sign or not group or not names:
            raise ValueError(f"has the item “{line}”, which is not of the form “group = role”")
        unknown = [name for name in names if name not in set(Role)]
        if unknown:
            known = ", ".join(Role)
            raise ValueError(f"names the role “{unknown[0]}”, which does not exist; there are {known}")
        found[group] = found.get(group, frozenset()) | {Role(name) for name in names}
    return found


def is_loopback(host: str | None) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host or "").is_loopback
    except ValueError:
        return False


class DirectorySettings(Section, name="directory"):
    """Signing in by a directory (LDAP): people use the name and password that they have in the library, and
    their groups bring their roles."""

    url: str | None = key(
        None,
        "Address of the directory, such as ldaps://ldap.example.org. Empty: there is none, and only local "
        "accounts can sign in with a password.",
    )
    start_tls: bool = key(False, "Encrypt a connection to ldap:// before anything is said (StartTLS).")
    allow_plain: bool = key(
        False,
        "Whether passwords may travel unencrypted, with ldap:// and without start_tls. Only for a directory "
        "on the same machine.",
    )
    ca_file: Path | None = key(
        None, "File with the certificates (PEM) that may sign the directory's own. Empty: the system's."
    )
    bind_dn: str = key("", "Distinguished name of the account that searches. Empty: search anonymously.")
    bind_password: SecretStr | None = key(None, "Password of the account that searches.")
    base_dn: str = key("", "Where people are searched, such as ou=people,dc=example,dc=org.")
    user_filter: str = key("(uid={name})", "Filter (RFC 4515) that finds a person; {name} is what was typed.")
    name_attribute: str = key("uid", "Attribute that becomes the name of the account.", pattern=ATTRIBUTE)
    subject_attribute: str = key(
        "entryUUID",
        "Attribute that stays the same when a person is renamed or moved: entryUUID, or objectGUID in Active "
        "Directory; dn takes the distinguished name itself.",
        pattern=ATTRIBUTE,
    )
    display_name_attribute: str = key("cn", "Attribute with the person's full name.", pattern=ATTRIBUTE)
    mail_attribute: str = key("mail", "Attribute with the mail address.", pattern=ATTRIBUTE)
    group_base: str = key("", "Where groups are searched. Empty: base_dn. Groups elsewhere do not count.")
    group_filter: str = key(
        "(member={dn})",
        "Filter that finds the groups of a person; {dn} is the person's distinguished name, {name} the name.",
    )
    group_name_attribute: str = key("cn", "Attribute with the name of a group.", pattern=ATTRIBUTE)
    member_of: str | None = key(
        None,
        "Attribute of a person that names the groups, such as memberOf. If it is given, groups are not "
        "searched with group_filter.",
        pattern=ATTRIBUTE,
    )
    roles: list[str] = key([], ROLES_HELP)
    required_group: str | None = key(
        None, "Group of which everybody must be a member who comes in by the directory. Empty: none."
    )
    create_accounts: bool = key(
        True, "Make an account at the first sign-in. Otherwise an administrator has to make it before."
    )
    connect_seconds: int = key(5, "Seconds to wait for a connection to the directory.", ge=1, le=60)
    answer_seconds: int = key(10, "Seconds to wait for each answer of the directory.", ge=1, le=120)

    @field_validator("url")
    @classmethod
    def _is_address(cls, value: str | None) -> str | None:
        parts = _split(value or "ldap://localhost")
        if parts.scheme not in {"ldap", "ldaps"} or not parts.hostname or parts.path.strip("/"):
            raise ValueError("must be of the form ldaps://host or ldaps://host:port")
        return value

    @field_validator("ca_file")
    @classmethod
    def _is_there(cls, value: Path | None) -> Path | None:
        return _existing(value)

    @field_validator("user_filter", "group_filter")
    @classmethod
    def _is_filter(cls, value: str) -> str:
        if not value.startswith("(") or not value.endswith(")") or not _is_balanced(value):
            raise ValueError("must be a filter in brackets, each of which is closed, such as (uid={name})")
        unknown = set(PLACEHOLDER.findall(value)) - {"name", "dn"}
        if unknown:
            raise ValueError(f"has the placeholder {{{min(unknown)}}}, which means nothing here")
        return value

    @field_validator("roles")
    @classmethod
    def _are_roles(cls, value: list[str]) -> list[str]:
        roles_of_groups(value)
        return value

    @model_validator(mode="after")
    def _fits_together(self) -> "DirectorySettings":
        if self.url is None:
            return self
        encrypted = self.start_tls or self.url.startswith("ldaps:")
        if not encrypted and not self.allow_plain:
            raise ValueError(
                "would send passwords unencrypted: use ldaps:// or start_tls = true. If the directory is on "
                "this machine, say allow_plain = true"
            )
        if self.start_tls and self.url.startswith("ldaps:"):
            raise ValueError("has start_tls, but ldaps:// is encrypted from the beginning: use one of them")
        if bool(self.bind_dn) != bool(self.bind_password and self.bind_password.get_secret_value()):
            raise ValueError("needs bind_dn and bind_password together: without a password nothing is proven")
        if not self.base_dn:
            raise ValueError("needs base_dn: where people are searched")
        if "{name}" not in self.user_filter or "{dn}" in self.user_filter:
            raise ValueError("needs {name}, and cannot have {dn}, in user_filter: it has to find a person")
        if not self.member_of and not PLACEHOLDER.search(self.group_filter):
            raise ValueError("needs {dn} or {name} in group_filter, or everybody is in all groups")
        return _opens_for_somebody(self)

    @property
    def terms(self) -> Terms:
        roles = roles_of_groups(self.roles)
        return Terms(roles, self.required_group, self.create_accounts, ignores_case=True)


class OpenIdSettings(Section, name="openid"):
    """Signing in by a provider of OpenID Connect, such as the single sign-on of a university. Register the
    address of the site followed by /sign-in/openid/answer there."""

    issuer: str | None = key(
        None, "The provider's issuer, exactly as the provider writes it. Empty: there is none."
    )
    title: str = key("OpenID", "Name of the provider on the sign-in page.", min_length=1, max_length=60)
    client_id: str = key("", "Name under which the provider knows Armarium.")
    client_secret: SecretStr | None = key(
        None, "Secret that the provider gave to Armarium. Empty: a public client, proven by PKCE alone."
    )
    scopes: list[str] = key(
        ["openid", "profile", "email"], "What to ask the provider for; some want a scope for groups."
    )
    name_claim: str = key("preferred_username", "Claim that becomes the name of the account.", min_length=1)
    display_name_claim: str = key("name", "Claim with the person's full name.", min_length=1)
    mail_claim: str = key("email", "Claim with the mail address.", min_length=1)
    groups_claim: str = key(
        "groups", "Claim with the groups; dots lead into objects: realm_access.roles.", min_length=1
    )
    roles: list[str] = key([], ROLES_HELP)
    required_group: str | None = key(
        None, "Group of which everybody must be a member who comes in by the provider. Empty: none."
    )
    create_accounts: bool = key(
        True, "Make an account at the first sign-in. Otherwise an administrator has to make it before."
    )
    ca_file: Path | None = key(
        None, "File with the certificates (PEM) that may sign the provider's own. Empty: the system's."
    )
    proxy: str | None = key(None, "Proxy through which the provider is reached. Empty: directly.")
    answer_seconds: int = key(10, "Seconds to wait for each answer of the provider.", ge=1, le=60)

    @field_validator("issuer")
    @classmethod
    def _is_issuer(cls, value: str | None) -> str | None:
        parts = _split(value or "https://localhost")
        # OpenID Connect Core 1.0, section 2: no query, no fragment.
        if not parts.hostname or parts.query or parts.fragment or parts.scheme not in {"http", "https"}:
            raise ValueError("must be an address such as https://login.example.org")
        if parts.scheme == "http" and not is_loopback(parts.hostname):
            raise ValueError("must begin with https://; http:// is for a provider on this machine")
        return value

    @field_validator("proxy")
    @classmethod
    def _is_proxy(cls, value: str | None) -> str | None:
        parts = _split(value or "http://localhost")
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("must be an address such as http://proxy.example.org:3128")
        return value

    @field_validator("ca_file")
    @classmethod
    def _is_there(cls, value: Path | None) -> Path | None:
        return _existing(value)

    @field_validator("roles")
    @classmethod
    def _are_roles(cls, value: list[str]) -> list[str]:
        roles_of_groups(value)
        return value

    @model_validator(mode="after")
    def _fits_together(self) -> "OpenIdSettings":
        if self.issuer is None:
            return self
        if not self.client_id:
            raise ValueError("needs client_id: the name under which the provider knows Armarium")
        if "openid" not in self.scopes:
            raise ValueError("needs the scope openid: without it a provider does not say who somebody is")
        return _opens_for_somebody(self)

    @property
    def terms(self) -> Terms:
        return Terms(roles_of_groups(self.roles), self.required_group, self.create_accounts)


S = TypeVar("S", DirectorySettings, OpenIdSettings)


def _opens_for_somebody(settings: S) -> S:
    if not settings.roles:
        raise ValueError("needs roles: without a group that brings a role nobody could come in")
    return settings


def _split(address: str) -> SplitResult:
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        return urlsplit("")
    return parts


def _existing(file: Path | None) -> Path | None:
    if file is not None and not file.is_file():
        raise ValueError(f"names {file}, which is not a file that can be read here")
    return file


def _is_balanced(text: str) -> bool:
    depth = 0
    for letter in text:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth < 0:
            return False
    return depth == 0

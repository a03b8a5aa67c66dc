"""What may be said about a domain, and what its configurations change of their profiles."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from armarium.core.crawl_order import RobotsPolicy, merged
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.formats.url.domain import fits_dns, registered_domain
from armarium.formats.url.whatwg import InvalidUrl, parse
from armarium.planning.domains.model import CredentialKind, NewCredential
from armarium.planning.profiles import toml
from armarium.planning.profiles.rules import MACHINE, RESERVED, BadOrder, check_depth, order_of
from armarium.planning.profiles.toml import LONGEST

LONGEST_SEEDS = 8 * 1024 * 1024

_plain = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+").fullmatch
_letter = re.compile(r"[a-z]").search


def domain_of(url_or_name: str) -> str:
    """The registered domain in ASCII small letters, or the host where there is none, such as an address."""
    host = host_of(url_or_name)
    return registered_domain(host) or host


def host_of(url_or_name: str) -> str:
    text = url_or_name.strip()
    name = text.lower().removesuffix(".")
    # Most names of a list of millions are plain: those need no parser of URLs.
    if _plain(name) and "xn--" not in name and _letter(name.rpartition(".")[2]) and fits_dns(name):
        return name
    return _parsed_host(text)


def _parsed_host(text: str) -> str:
    address = text if "://" in text else f"http://{text}/"
    if not text or any(sign.isspace() for sign in text):
        raise _no_domain(text)
    try:
        host = (parse(address).host or "").removesuffix(".")
    except InvalidUrl:
        raise _no_domain(text) from None
    named = re.fullmatch(r"[a-z0-9_.-]+", host) and "." in host and fits_dns(host)
    if not address.lower().startswith(("http://", "https://")) or not (named or host.startswith("[")):
        raise _no_domain(text)
    return host


def _no_domain(text: str) -> Refused:
    return Refused(
        message(
            "“%(text)s” is neither the name of a domain nor the address of a page. Write it as example.fr or "
            "https://www.example.fr/.",
            text=text[:200],
        ),
        field="name",
    )


def check_registrable(host: str, name: str) -> None:
    """Lists hold what somebody registered: no addresses of machines, no registries, no impossible names.

    One by one people may enter them, and mean it. Hosting services such as github.io are registered names.
    """
    if host.startswith("[") or not _letter(host.rpartition(".")[2]):
        raise Refused(
            message("%(host)s is the address of a machine, not a domain. Add it by itself.", host=host)
        )
    if registered_domain(host, private=False) is None:
        raise Refused(
            message("%(host)s is a registry: name the domains below it, such as name.%(host)s.", host=host)
        )
    if not _plain(name):
        raise Refused(
            message(
                "%(name)s cannot be registered: the parts of a name are letters, digits and hyphens, and "
                "neither begin nor end with a hyphen.",
                name=name,
            )
        )


def default_seeds(name: str) -> str:
    """Where a domain is begun if nobody says otherwise; `www.` only before a registered domain."""
    first = f"http://{name}/"
    return f"{first}\nhttp://www.{name}/" if registered_domain(name) == name else first


# Seeds ----------------------------------------------------------------------------------------------


def seeds_in(text: str) -> list[str]:
    """The seeds of a list: without empty lines and those after a #."""
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def check_seeds(text: str) -> str:
    """The text as it is kept: one seed a line, each an address of the web. Comments stay."""
    if len(text) > LONGEST_SEEDS:
        raise Refused(
            message("A list of seeds has at most %(most)s characters.", most=LONGEST_SEEDS), field="seeds"
        )
    lines = [line.strip() for line in text.strip().splitlines()]
    kept = [_seed(line, number) for number, line in enumerate(lines, 1)]
    if not any(line and not line.startswith("#") for line in kept):
        raise Refused(message("A list needs at least one seed."), field="seeds")
    return "\n".join(kept)


def _seed(line: str, number: int) -> str:
    if not line or line.startswith("#"):
        return line
    address = line if "://" in line else f"http://{line}"
    try:
        host_of(address)
    except Refused:
        raise Refused(
            message("Line %(line)s is no address of the web: %(text)s", line=number, text=line[:200]),
            field="seeds",
        ) from None
    return address if address.partition("://")[2].count("/") else f"{address}/"


def foreign_seeds(text: str, name: str) -> list[str]:
    """Seeds of a list that belong to other domains: allowed, but often a slip."""
    return [seed for seed in seeds_in(text) if domain_of(seed) != name]


# Traps ----------------------------------------------------------------------------------------------


# Names, limits, credentials -------------------------------------------------------------------------


def check_credential(given: NewCredential) -> NewCredential:
    if given.kind is CredentialKind.FORM:
        if not given.login_url.lower().startswith(("http://", "https://")):
            raise Refused(message("Enter the web address of the page with the form."), field="login_url")
        host_of(given.login_url)
        if not given.fields:
            raise Refused(message("Say what is sent with the form, as name=value."), field="fields")
    elif not given.user_name or not given.password:
        raise Refused(message("A user name and a password are needed."), field="user_name")
    return given


def parse_form_fields(text: str) -> Mapping[str, str]:
    """What a form sends, written `name=value`, one a line."""
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        name, equals, value = line.partition("=")
        if not equals or not name.strip():
            raise Refused(
                message("Line %(line)s is not of the form name=value.", line=number), field="fields"
            )
        found[name.strip()] = value.strip("\r")
    return found


# What a configuration changes of its profile: three attributes with fields of their own, and the rest


@dataclass(frozen=True)
class Attributes:
    """Empty: as the profile says."""

    max_hops: int | None = None
    robots: RobotsPolicy | None = None
    javascript: bool | None = None

    def overrides(self) -> dict[str, Any]:
        said: dict[str, Any] = {}
        if self.max_hops is not None:
            said["scope"] = {"max_hops": self.max_hops}
        if self.robots is not None:
            said["robots"] = self.robots.value
        if self.javascript is not None:
            said["extraction"] = {"javascript": self.javascript}
        return said


def taken_apart(overrides: Mapping[str, Any]) -> tuple[Attributes, dict[str, Any]]:
    """The attributes, and the rest."""
    rest = {key: dict(value) if isinstance(value, Mapping) else value for key, value in overrides.items()}
    robots = rest.pop("robots", None)
    attributes = Attributes(
        max_hops=_taken(rest, "scope", "max_hops"),
        robots=RobotsPolicy(robots) if robots in set(RobotsPolicy) else None,
        javascript=_taken(rest, "extraction", "javascript"),
    )
    return attributes, rest


def _taken(rest: dict[str, Any], section: str, key: str) -> Any:
    table = rest.get(section)
    if not isinstance(table, dict):
        return None
    value = table.pop(key, None)
    if not table:
        del rest[section]
    return value


def check_overrides(given: Mapping[str, Any]) -> dict[str, Any]:
    """Overrides as they are kept: every value they name, even one that is the default of crawl orders."""
    overrides = dict(given)
    for key in (*RESERVED, *sorted(MACHINE)):
        section, _, inner = key.rpartition(".")
        table = overrides.get(section, {}) if section else overrides
        if isinstance(table, Mapping) and inner in table:
            raise Refused(RESERVED.get(key) or _of_the_machine(key), field="overrides")
    try:
        check_depth(overrides)
        order_of({}, overrides)
    except BadOrder as bad:
        raise Refused(bad.message, field="overrides") from None
    if "\\u0000" in json.dumps(overrides, default=str):  # PostgreSQL keeps none
        raise Refused(message("The overrides contain a NUL character."), field="overrides")
    return overrides


def _of_the_machine(key: str) -> Message:
    return message(
        "“%(key)s” concerns the machines that crawl and the networks they reach. It can stand in a profile "
        "only.",
        key=key,
    )


def read_overrides(text: str, attributes: Attributes = Attributes()) -> dict[str, Any]:  # noqa: B008
    """Overrides written as TOML, or as JSON, with the attributes over them."""
    if len(text) > LONGEST:
        raise Refused(message("Overrides have at most %(most)s characters.", most=LONGEST), field="overrides")
    return check_overrides(merged(_parsed(text.strip()), attributes.overrides()))


def _parsed(text: str) -> dict[str, Any]:
    if not text:
        return {}
    if not text.startswith("{"):
        return toml.read(text, "overrides")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Refused(
            message("The overrides are neither TOML nor JSON: %(fault)s", fault=str(error)), field="overrides"
        ) from None
    assert isinstance(found, dict)  # a text that begins with a brace is an object
    return found


def written(overrides: Mapping[str, Any]) -> str:
    """Overrides for a text field; JSON, since it can be read back without loss."""
    return json.dumps(overrides, indent=2, ensure_ascii=False) if overrides else ""

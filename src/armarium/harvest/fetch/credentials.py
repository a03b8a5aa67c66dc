"""User names and passwords: given to the domain they belong to, when it asks, and never to another."""

import base64
import hashlib
import re
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from armarium.core.crawl_order import Credential
from armarium.formats.http import Response
from armarium.harvest.fetch.request import Target

CHALLENGE = re.compile(r"(?:^|,)\s*(basic|digest)\b", re.IGNORECASE)
PARAMETER = re.compile(r"(?<![\w-])([A-Za-z0-9_-]++)\s*+=\s*+(?:\"((?:[^\"\\]|\\.)*)\"|([^\s,]*))")
HASHES = {"md5": "md5", "sha-256": "sha256", "sha-512-256": "sha512_256"}
MOST_REMEMBERED = 10_000
LONGEST_CHALLENGE = 4096


@dataclass
class Challenge:
    """What a server wants to be told."""

    scheme: str  # basic, digest
    parameters: dict[str, str] = field(default_factory=dict)
    count: int = 0  # how often the nonce was used


class Credentials:
    """Answers challenges, and remembers them, so that the next request need not wait to be asked."""

    def __init__(self, credentials: Sequence[Credential]) -> None:
        self._credentials = [each for each in credentials if each.kind in ("basic", "digest")]
        self.forms = [each for each in credentials if each.kind == "form"]
        self._known: dict[tuple[str, str, int], tuple[Credential, Challenge]] = {}

    def header(self, method: str, target: Target) -> str:
        """Authorization for a server that asked before, or an empty string."""
        known = self._known.get(target.origin[:3]) if self._known else None
        return authorization(known[0], known[1], method, target) if known else ""

    def answer(self, head: Response, method: str, target: Target, *, sent: bool) -> str:
        """Authorization for a server that has just answered 401; empty if we have none that it would take.

        `sent`: the request carried one already; only a nonce that has run out is then worth another try.
        """
        if not self._credentials:
            return ""
        for challenge in challenges(head):
            if sent and challenge.parameters.get("stale", "").lower() != "true":
                continue
            credential = self._fitting(challenge, target.origin.host)
            if credential is not None:
                if len(self._known) >= MOST_REMEMBERED:
                    self._known.clear()
                self._known[target.origin[:3]] = credential, challenge
                return authorization(credential, challenge, method, target)
        if sent:
            self._known.pop(target.origin[:3], None)
        return ""

    def _fitting(self, challenge: Challenge, host: str) -> Credential | None:
        realm = challenge.parameters.get("realm", "")
        return next(
            (
                each
                for each in self._credentials
                if each.kind == challenge.scheme and belongs(host, each.domain) and each.realm in ("", realm)
            ),
            None,
        )

    def form_for(self, target: Target) -> Credential | None:
        host = target.origin.host
        return next((each for each in self.forms if belongs(host, each.domain)), None)


def belongs(host: str, domain: str) -> bool:
    domain = domain.lower().strip(".")
    return bool(domain) and (host == domain or host.endswith("." + domain))


def challenges(head: Response) -> Iterator[Challenge]:
    """Those that we understand, the strongest first."""
    found = []
    for line in [each[:LONGEST_CHALLENGE] for each in head.fields.get_all("www-authenticate")[:10]]:
        starts = list(CHALLENGE.finditer(line))
        for start, following in zip_longest(starts, starts[1:]):
            part = line[start.end() : following.start() if following else len(line)]
            parameters = {
                name.lower(): re.sub(r"\\(.)", r"\1", quoted) or bare
                for name, quoted, bare in PARAMETER.findall(part)
            }
            found.append(Challenge(start[1].lower(), parameters))
    return iter(sorted(found, key=lambda each: each.scheme != "digest"))


def authorization(credential: Credential, challenge: Challenge, method: str, target: Target) -> str:
    password = credential.password.get_secret_value()
    if challenge.scheme == "basic":
        return "Basic " + base64.b64encode(f"{credential.user}:{password}".encode()).decode()
    return digest(credential.user, password, challenge, method, target.path)


def digest(user: str, password: str, challenge: Challenge, method: str, path: str) -> str:
    """RFC 7616, 3.4; empty where the server wants something that we cannot do."""
    given = challenge.parameters
    algorithm = given.get("algorithm", "MD5")
    base = algorithm.lower().removesuffix("-sess")
    offered = [each.strip().lower() for each in given.get("qop", "").split(",")]
    if base not in HASHES or ("qop" in given and "auth" not in offered):
        return ""
    challenge.count += 1
    count, once = f"{challenge.count:08x}", secrets.token_hex(8)
    realm, nonce = given.get("realm", ""), given.get("nonce", "")
    secret = _hash(base, f"{user}:{realm}:{password}")
    if algorithm.lower().endswith("-sess"):
        secret = _hash(base, f"{secret}:{nonce}:{once}")
    asked = _hash(base, f"{method}:{path}")
    middle = f"{nonce}:{count}:{once}:auth" if "qop" in given else nonce
    fields = {"username": user, "realm": realm, "nonce": nonce, "uri": path}
    fields["response"] = _hash(base, f"{secret}:{middle}:{asked}")
    if "opaque" in given:
        fields["opaque"] = given["opaque"]
    quoted = ", ".join(f'{name}="{_escaped(value)}"' for name, value in fields.items())
    used = f', qop=auth, nc={count}, cnonce="{once}"' if "qop" in given else ""
    return f"Digest {quoted}, algorithm={algorithm}{used}"


def _hash(name: str, text: str) -> str:
    return hashlib.new(HASHES[name], text.encode(), usedforsecurity=False).hexdigest()


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')

"""User names and passwords: given to the domain they belong to, when it asks, and never to another."""

import asyncio
import base64
import hashlib
import re
import secrets
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from urllib.parse import urlencode, urlsplit

import structlog

from armarium.core.crawl_order import Credential
from armarium.formats.http import Response
from armarium.formats.text import charset_of_content_type
from armarium.formats.url import InvalidUrl, resolve
from armarium.harvest.fetch.exchange import Exchange
from armarium.harvest.fetch.login_form import LoginForm, leads_astray, login_form
from armarium.harvest.fetch.request import Target

log = structlog.get_logger(__name__)

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


# --- Forms of sites that want a login: sent once, before anything else of their domain.


Ask = Callable[[str, str, Sequence[tuple[str, str]], bytes], Awaitable[Exchange]]
ATTEMPTS = 3  # of a form whose server does not answer; then the crawl goes on without
LONGEST_PAGE = 2_000_000  # bytes of a page in which a form is looked for
MOST_REDIRECTS = 5  # after the form: some sites set their cookies on the way
FORM = (("Content-Type", "application/x-www-form-urlencoded"),)


class Logins:
    """Those who fetch from a domain wait until its form has been sent."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._sending: dict[str, asyncio.Task[bool]] = {}
        self._attempts: dict[str, int] = {}

    async def wait_for(self, form: Credential) -> None:
        """Return when the form has been sent; at once for what belongs to the login itself."""
        if asyncio.current_task() in self._sending.values():
            return  # the login itself, or where it redirects to
        task = self._sending.get(form.login_url)
        if task is None or (task.done() and self._may_try_again(form, task)):
            self._attempts[form.login_url] = self._attempts.get(form.login_url, 0) + 1
            task = self._sending[form.login_url] = asyncio.ensure_future(self._send(form))
        await asyncio.shield(task)

    def close(self) -> None:
        for task in self._sending.values():
            task.cancel()

    def _may_try_again(self, form: Credential, task: "asyncio.Task[bool]") -> bool:
        return not task.cancelled() and not task.result() and self._attempts[form.login_url] < ATTEMPTS

    async def _send(self, form: Credential) -> bool:
        """Whether the server answered, with whatever.

        Most forms hold a token that counts only together with the cookie of their page, so the page is read
        first. Where it has no form, the address is that to which one is sent.
        """
        given = {name: value.get_secret_value() for name, value in form.fields.items()}
        page, url = await self._followed(form.login_url, "GET")
        found = _form_of(page, url, given)
        page.response.close()
        if page.status <= 0:
            return False
        if found is None:
            answer, at = await self._followed(form.login_url, "POST", FORM, urlencode(given).encode())
        elif leads_astray(found.action, url) or not belongs(
            urlsplit(found.action).hostname or "", form.domain
        ):
            log.warning("login form leads away from its site; not sent", page=url, to=found.action)
            return True
        else:
            answer, at = await self._followed(found.action, "POST", _as_sent_from(url), found.filled(given))
        if (again := _form_of(answer, at, given)) and again.has_password:
            log.warning("login was not accepted", page=form.login_url)
        answer.response.close()
        return answer.status > 0

    async def _followed(
        self, url: str, method: str, headers: Sequence[tuple[str, str]] = (), body: bytes = b""
    ) -> tuple[Exchange, str]:
        """The answer in the end, and its address; what was sent is not sent again elsewhere."""
        exchange = await self._ask(url, method, headers, body)
        for _ in range(MOST_REDIRECTS):
            location = exchange.head.location if exchange.head is not None else None
            if location is None or not 300 <= exchange.status < 400:
                break
            exchange.response.close()
            try:
                url = resolve(url, location)
            except InvalidUrl:
                break
            exchange = await self._ask(url, "GET", (), b"")
        return exchange, url


def _form_of(answer: Exchange, url: str, given: Mapping[str, str]) -> LoginForm | None:
    if answer.status != 200 or answer.head is None:
        return None
    charset = charset_of_content_type(answer.head.content_type or "")
    return login_form(answer.content(LONGEST_PAGE), charset, url, given)


def _as_sent_from(url: str) -> Sequence[tuple[str, str]]:
    """Servers that check tokens ask where a form was, too."""
    parts = urlsplit(url)
    origin = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    return (*FORM, ("Origin", origin), ("Referer", f"{origin}{parts.path or '/'}"))

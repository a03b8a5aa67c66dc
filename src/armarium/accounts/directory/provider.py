"""A provider of OpenID Connect on the wire: what it says about itself, its keys, its answers to us."""

import json
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Any
from urllib.parse import quote_plus, urlsplit

import httpx
import structlog
from joserfc.errors import JoseError
from joserfc.jwk import Key, import_key

from armarium.accounts.directory.model import Untrusted
from armarium.accounts.directory.settings import OpenIdSettings, is_loopback
from armarium.core.errors import Unavailable
from armarium.core.message import message

log = structlog.get_logger(__name__)

DISCOVERY = "/.well-known/openid-configuration"
MOST_BYTES = 1_000_000
FRESH = 3600.0  # seconds for which the provider's description and keys are believed to be today's
PATIENCE = 3.0  # seconds to wait while another thread asks; threads must not queue up behind a dead provider
AFTER_FAILURE = 5.0  # seconds for which a provider that did not answer is not asked again
RELOAD_EVERY = 60.0  # seconds: tokens with invented keys must not make us ask the provider all the time
BASIC, POST = "client_secret_basic", "client_secret_post"
PUBLIC_KEYS = frozenset({"RSA", "EC", "OKP"})  # a symmetric key that everybody can read proves nothing


@dataclass(frozen=True)
class Description:
    """What the provider says about itself (OpenID Connect Discovery 1.0, section 3)."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None
    proofs: frozenset[str]  # how a client may prove that it is the client
    names_itself: bool  # RFC 9207: its answers to browsers say who they are from


class Provider:
    def __init__(self, settings: OpenIdSettings) -> None:
        self.settings = settings
        self._lock = Lock()
        self._description: tuple[float, Description] | None = None
        self._keys: tuple[float, list[Key]] | None = None
        self._failed = -AFTER_FAILURE

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if not self._lock.acquire(timeout=PATIENCE):
            raise _away(self.settings.title)
        try:
            if time.monotonic() - self._failed < AFTER_FAILURE:
                raise _away(self.settings.title)
            try:
                yield
            except Unavailable:
                self._failed = time.monotonic()
                raise
        finally:
            self._lock.release()

    # What it says about itself

    def described(self) -> Description:
        with self._turn():
            if self._description is None or time.monotonic() - self._description[0] > FRESH:
                self._description = time.monotonic(), self._discovered()
            return self._description[1]

    def _discovered(self) -> Description:
        issuer = self.settings.issuer or ""
        told = self._asked("GET", issuer.rstrip("/") + DISCOVERY)
        # Discovery 1.0, section 4.3: it must be exactly the issuer that was asked.
        if told.get("issuer") != issuer:
            raise untrusted("the description is of another issuer", issuer=str(told.get("issuer"))[:200])
        endpoints = ("authorization_endpoint", "token_endpoint", "jwks_uri")
        found = {name: self._endpoint(told.get(name), name) for name in endpoints}
        userinfo = told.get("userinfo_endpoint")
        proofs = told.get("token_endpoint_auth_methods_supported")
        return Description(
            issuer=issuer,
            **found,
            userinfo_endpoint=self._endpoint(userinfo, "userinfo_endpoint") if userinfo else None,
            proofs=frozenset(map(str, proofs)) if isinstance(proofs, list) else frozenset({BASIC}),
            names_itself=told.get("authorization_response_iss_parameter_supported") is True,
        )

    def _endpoint(self, value: object, name: str) -> str:
        address = str(value or "")
        parts = urlsplit(address)
        plain = parts.scheme == "http" and is_loopback(parts.hostname)
        if not parts.hostname or parts.fragment or not (parts.scheme == "https" or plain):
            raise untrusted("an endpoint is missing or not https", endpoint=name, address=address[:200])
        return address

    # Its keys

    def key(self, kid: str | None) -> Key | None:
        """The key of this name. One that is not known yet may be new: the keys are then asked for again."""
        with self._turn():
            keys = self._known_keys()
            found = _of_name(keys, kid)
            if found is None and self._keys and time.monotonic() - self._keys[0] > RELOAD_EVERY:
                found = _of_name(self._reloaded_keys(), kid)
            return found

    def _known_keys(self) -> list[Key]:
        if self._keys is None or time.monotonic() - self._keys[0] > FRESH:
            return self._reloaded_keys()
        return self._keys[1]

    def _reloaded_keys(self) -> list[Key]:
        assert self._description is not None, "described before"
        told = self._asked("GET", self._description[1].jwks_uri)
        self._keys = time.monotonic(), _public_keys(told.get("keys"))
        return self._keys[1]

    # Asking it

    def redeemed(self, code: str, verifier: str, callback: str) -> Mapping[str, Any]:
        """The tokens for a code (OpenID Connect Core 1.0, section 3.1.3)."""
        described, chosen = self.described(), self.settings
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": callback,
            "code_verifier": verifier,
        }
        secret = chosen.client_secret.get_secret_value() if chosen.client_secret else ""
        # RFC 6749, section 2.3.1: both are form-encoded before they are joined, unlike in plain Basic. Some
        # providers forget that, so what would look different goes into the form if it may.
        pair = quote_plus(chosen.client_id), quote_plus(secret)
        by_post = POST in described.proofs and (
            BASIC not in described.proofs or pair != (chosen.client_id, secret)
        )
        if not secret or by_post:
            form |= {"client_id": chosen.client_id} | ({"client_secret": secret} if secret else {})
            return self._asked("POST", described.token_endpoint, data=form)
        return self._asked("POST", described.token_endpoint, data=form, auth=httpx.BasicAuth(*pair))

    def userinfo(self, access_token: str) -> Mapping[str, Any]:
        described = self.described()
        assert described.userinfo_endpoint, "asked only where there is one"
        headers = {"Authorization": f"Bearer {access_token}"}
        return self._asked("GET", described.userinfo_endpoint, headers=headers)

    def _asked(self, method: str, address: str, **more: Any) -> dict[str, Any]:
        chosen = self.settings
        try:
            context = ssl.create_default_context(cafile=chosen.ca_file)
            timeout = float(chosen.answer_seconds)
            with (
                httpx.Client(verify=context, timeout=timeout, proxy=chosen.proxy, trust_env=False) as client,
                client.stream(method, address, **more) as answer,
            ):
                body = _bounded(answer)
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as problem:
            log.warning("provider does not answer", address=address, reason=str(problem)[:300])
            raise _away(chosen.title) from problem
        return self._read(address, answer.status_code, body)

    def _read(self, address: str, status: int, body: bytes) -> dict[str, Any]:
        if status >= 500:
            log.warning("provider failed", address=address, status=status)
            raise _away(self.settings.title)
        try:
            told = json.loads(body)
        except (ValueError, RecursionError):
            told = None
        if status != 200 or not isinstance(told, dict):
            error = told.get("error") if isinstance(told, dict) else "no JSON object"
            raise untrusted("the provider refuses", address=address, status=status, error=str(error)[:200])
        return told


def _bounded(answer: httpx.Response) -> bytes:
    body = b""
    for piece in answer.iter_bytes():
        body += piece
        if len(body) > MOST_BYTES:
            raise httpx.DecodingError("the answer is too large")
    return body


def _of_name(keys: list[Key], kid: str | None) -> Key | None:
    if kid is None:  # Core 1.0, section 10.1: a name may be missing where there is one key
        return keys[0] if len(keys) == 1 else None
    return next((key for key in keys if key.kid == kid), None)


def _public_keys(told: object) -> list[Key]:
    """Keys that sign and that we can read; providers publish others beside them."""
    found: list[Key] = []
    for given in told if isinstance(told, list) else []:
        if not isinstance(given, dict) or given.get("kty") not in PUBLIC_KEYS or given.get("use") == "enc":
            continue
        try:
            found.append(import_key(given))
        except (JoseError, ValueError, TypeError, KeyError) as problem:
            log.warning(
                "provider has a key that cannot be read", kid=str(given.get("kid"))[:80], why=str(problem)
            )
    return found


def untrusted(reason: str, **facts: object) -> Untrusted:
    """The reason is for the log: to the one who forges it would be a help, to a reader it is none."""
    log.warning("answer of the provider is not believed", reason=reason, **facts)
    return Untrusted(
        message(
            "What the provider answered cannot be trusted, so you are not signed in. Begin again; if it "
            "happens again, tell an administrator, who finds the reason in the log."
        )
    )


def _away(title: str) -> Unavailable:
    return Unavailable(
        message(
            "%(title)s does not answer. Try again in a moment; accounts with a password can still sign in.",
            title=title,
        )
    )

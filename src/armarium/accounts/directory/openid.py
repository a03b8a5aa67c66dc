"""Signing in by OpenID Connect: the code flow with PKCE, from the button to the person.

A browser that is sent to the provider gets one random key in a cookie. State, nonce and the verifier of PKCE
are derived from it, so that the database has no secret and an answer fits the browser that asked, or nobody.
"""

import hmac
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import structlog

from armarium.accounts import keys
from armarium.accounts.directory import tables
from armarium.accounts.directory.model import Person, Untrusted, tidy
from armarium.accounts.directory.settings import OpenIdSettings
from armarium.accounts.model import Source
from armarium.core import clock
from armarium.core.errors import Refused, Unavailable
from armarium.core.late import LateModule, late
from armarium.core.message import message
from armarium.db.database import Database

if TYPE_CHECKING:  # what only an installation with a provider needs
    from armarium.accounts.directory import id_token
    from armarium.accounts.directory.provider import Description, Provider, untrusted
else:
    id_token = LateModule("armarium.accounts.directory.id_token")
    Provider = late("armarium.accounts.directory.provider:Provider")
    untrusted = late("armarium.accounts.directory.provider:untrusted")


# --- From a provider's claims to a person.


MOST_GROUPS = 1000


def person_of(claims: Mapping[str, Any], issuer: str, settings: OpenIdSettings) -> Person:
    return Person(
        source=Source.OPENID,
        subject=f"{issuer} {claims['sub']}",  # a subject means something only together with its issuer
        name=_text(claims, settings.name_claim).lower(),
        display_name=_text(claims, settings.display_name_claim),
        mail=_text(claims, settings.mail_claim),
        groups=_groups(claims, settings.groups_claim),
    )


def tells_enough(claims: Mapping[str, Any], settings: OpenIdSettings) -> bool:
    """Whether the token itself has all that is wanted; else the provider is asked a second time."""
    wanted = (settings.name_claim, settings.display_name_claim, settings.mail_claim, settings.groups_claim)
    return all(found(claims, claim) is not None for claim in wanted)


def found(claims: Mapping[str, Any], claim: str) -> object:
    """The claim of this name, or the one to which its dots lead: some names have dots themselves."""
    if claim in claims:
        return claims[claim]
    place: object = claims
    for step in claim.split("."):
        place = place.get(step) if isinstance(place, Mapping) else None
    return place


def _text(claims: Mapping[str, Any], claim: str) -> str:
    value = found(claims, claim)
    return tidy(value) if isinstance(value, str) else ""


def _groups(claims: Mapping[str, Any], claim: str) -> frozenset[str]:
    value = found(claims, claim)
    several = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    names = (tidy(name) for name in several[:MOST_GROUPS] if isinstance(name, str))
    return frozenset(name for name in names if name)


# --- Signing in by OpenID Connect: the code flow with PKCE, from the button to the person.


log = structlog.get_logger(__name__)

AT_ONCE = 4  # more would take the threads that serve everybody else, should the provider become slow

TIME = timedelta(minutes=10)  # between the button and the provider's answer


@dataclass(frozen=True)
class Departure:
    """A browser on its way to the provider."""

    address: str
    key: str  # for the cookie of this browser, and nobody else


@dataclass(frozen=True)
class Answer:
    """What the provider let the browser bring back."""

    code: str
    state: str
    issuer: str | None
    error: str
    description: str


class OpenId:
    def __init__(self, database: Database, settings: OpenIdSettings) -> None:
        self.database = database
        self.settings = settings
        self.provider = Provider(settings)
        self._turns = BoundedSemaphore(AT_ONCE)

    def begin(self, target: str, callback: str) -> Departure:
        described, key = self.provider.described(), keys.new_key()
        with self.database.transaction() as connection:
            tables.insert_attempt(connection, keys.digest(key), target, clock.now() + TIME)
        asked = {
            "response_type": "code",
            "client_id": self.settings.client_id,
            "redirect_uri": callback,
            "scope": " ".join(self.settings.scopes),
            "state": derived(key, "state"),
            "nonce": derived(key, "nonce"),
            "code_challenge": challenge_of(derived(key, "verifier")),
            "code_challenge_method": "S256",
        }
        joint = "&" if "?" in described.authorization_endpoint else "?"
        return Departure(f"{described.authorization_endpoint}{joint}{urlencode(asked)}", key)

    def finish(self, key: str | None, answer: Answer, callback: str) -> tuple[Person, str]:
        """Who came back, and where they wanted to go. The attempt is spent, however it ends."""
        target = self._taken(key, answer.state)
        assert key is not None, "or nothing had been taken"
        if not self._turns.acquire(timeout=1):
            raise Unavailable(message("Too many people are signing in. Try again in a moment."))
        try:
            return self._person(key, answer, callback), target
        finally:
            self._turns.release()

    def _person(self, key: str, answer: Answer, callback: str) -> Person:
        described = self.provider.described()
        self._check_answer(answer, described)
        tokens = self.provider.redeemed(answer.code, derived(key, "verifier"), callback)
        expected = id_token.Expected(
            described.issuer, self.settings.client_id, derived(key, "nonce"), clock.now()
        )
        try:
            claims = id_token.believed(tokens.get("id_token"), self.provider.key, expected)
        except id_token.Disbelieved as problem:
            raise untrusted(str(problem)) from problem
        claims = self._completed(claims, tokens, described)
        return person_of(claims, described.issuer, self.settings)

    def check(self) -> None:
        """Raise if the provider cannot be asked: connection, certificate, description, keys."""
        self.provider.described()
        self.provider.key(None)

    # Steps

    def _taken(self, key: str | None, state: str) -> str:
        fits = key is not None and hmac.compare_digest(derived(key, "state").encode(), state.encode())
        target = None
        if key is not None and fits:
            with self.database.transaction() as connection:
                target = tables.take_attempt(connection, keys.digest(key), clock.now())
        if target is None:
            log.warning("answer of a provider fits no browser on its way", has_cookie=key is not None)
            raise Untrusted(
                message(
                    "This sign-in was started in another browser or too long ago, or has been used. Start "
                    "again."
                )
            )
        return target

    def _check_answer(self, answer: Answer, described: "Description") -> None:
        # RFC 9207: an answer of another provider must not be redeemed at ours.
        if (answer.issuer is not None or described.names_itself) and answer.issuer != described.issuer:
            raise untrusted("the answer names another issuer", issuer=str(answer.issuer)[:200])
        if answer.error or not answer.code:
            log.warning("provider refused", error=answer.error[:80], description=answer.description[:200])
            title = self.settings.title
            if answer.error == "access_denied":
                raise Refused(
                    message("You did not sign in at %(title)s, or it does not let you.", title=title)
                )
            raise Refused(
                message(
                    "%(title)s did not sign you in (%(error)s). Try again; if it happens again, tell an "
                    "administrator.",
                    title=title,
                    error=answer.error[:80] or "no code",
                )
            )

    def _completed(
        self, claims: Mapping[str, Any], tokens: Mapping[str, Any], described: "Description"
    ) -> Mapping[str, Any]:
        """Claims that the token lacks, from the provider's other place for them."""
        access = tokens.get("access_token")
        if (
            tells_enough(claims, self.settings)
            or not described.userinfo_endpoint
            or not isinstance(access, str)
        ):
            return claims
        told = self.provider.userinfo(access)
        # Core 1.0, section 5.3.2: if the subjects differ, nothing of it may be used.
        if told.get("sub") != claims["sub"]:
            raise untrusted("userinfo speaks of another person")
        return {**told, **claims}


def derived(key: str, purpose: str) -> str:
    """43 letters that only the holder of the key can know, and that tell nothing about the other purposes."""
    return _letters(hmac.digest(key.encode(), purpose.encode(), "sha256"))


def challenge_of(verifier: str) -> str:
    return _letters(sha256(verifier.encode()).digest())  # RFC 7636, section 4.2


def _letters(digest: bytes) -> str:
    return urlsafe_b64encode(digest).rstrip(b"=").decode()

"""From a provider's claims to a person."""

from collections.abc import Mapping
from typing import Any

from armarium.accounts.directory.model import Person, tidy
from armarium.accounts.directory.settings import OpenIdSettings
from armarium.accounts.model import Source

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

"""Which ID tokens are believed; the integration tests try the same lies on a whole site."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from joserfc import jwt
from joserfc.jwk import ECKey, Key, OKPKey

from armarium.accounts.directory.id_token import Disbelieved, Expected, believed

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
AT = int(NOW.timestamp())
EXPECTED = Expected("https://login.example.org", "armarium", "our nonce", NOW)
CLAIMS = {
    "iss": EXPECTED.issuer,
    "aud": "armarium",
    "sub": "1",
    "exp": AT + 60,
    "iat": AT,
    "nonce": "our nonce",
}
KEY = ECKey.generate_key("P-256", {"kid": "one"})


def token(key: Key = KEY, algorithm: str = "ES256", **claims: Any) -> str:
    told = {name: value for name, value in {**CLAIMS, **claims}.items() if value is not None}
    return jwt.encode({"alg": algorithm, "kid": key.kid}, told, key, algorithms=[algorithm])


def test_an_honest_token_is_believed() -> None:
    assert believed(token(), lambda _: KEY, EXPECTED)["sub"] == "1"
    assert believed(token(aud=["armarium"]), lambda _: KEY, EXPECTED)
    assert believed(token(aud=["armarium", "other"], azp="armarium"), lambda _: KEY, EXPECTED)


def test_keys_of_other_kinds_are_taken_too() -> None:
    key = OKPKey.generate_key("Ed25519", {"kid": "ed"})
    assert believed(token(key, "EdDSA"), lambda _: key, EXPECTED)


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://evil.example"},
        {"iss": None},
        {"aud": "other"},
        {"aud": []},
        {"aud": None},
        {"aud": {"armarium": 1}},
        {"aud": ["armarium", "other"]},
        {"azp": "other"},
        {"sub": ""},
        {"sub": "x" * 256},
        {"sub": "é"},
        {"sub": "a\nb"},
        {"sub": ["1"]},
        {"exp": AT - 61},
        {"exp": True},
        {"exp": 1e300},
        {"iat": AT + 61},
        {"iat": AT - 601},
        {"iat": None},
        {"nbf": AT + 61},
        {"nonce": "Our nonce"},
        {"nonce": 7},
        {"nonce": None},
    ],
)
def test_a_token_with_a_wrong_claim_is_not(claims: dict[str, Any]) -> None:
    with pytest.raises(Disbelieved):
        believed(token(**claims), lambda _: KEY, EXPECTED)


def test_clocks_may_differ_by_a_minute() -> None:
    assert believed(token(exp=AT - 59, iat=AT - 300, nbf=AT + 59), lambda _: KEY, EXPECTED)
    assert believed(token(iat=AT + 59), lambda _: KEY, EXPECTED)


def test_a_key_that_the_provider_does_not_have_proves_nothing() -> None:
    with pytest.raises(Disbelieved, match="a key that the provider does not have"):
        believed(token(), lambda _: None, EXPECTED)


def test_a_changed_letter_breaks_the_signature() -> None:
    head, body, proof = token().split(".")
    other = token(sub="2").split(".")[1]
    with pytest.raises(Disbelieved, match="signature is wrong"):
        believed(f"{head}.{other}.{proof}", lambda _: KEY, EXPECTED)
    with pytest.raises(Disbelieved):
        believed(f"{head}.{body}.", lambda _: KEY, EXPECTED)


@given(
    st.one_of(st.none(), st.text(), st.integers(), st.from_regex(r"[\w-]*\.[\w-]*\.[\w-]*", fullmatch=True))
)
def test_whatever_else_comes_is_disbelieved_and_nothing_worse(value: object) -> None:
    with pytest.raises(Disbelieved):
        believed(value, lambda _: KEY, EXPECTED)

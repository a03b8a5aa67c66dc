"""Keys, proofs and task tokens: what holds, and everything that must not."""

import json
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from joserfc import jwe, jws
from joserfc.jwk import OctKey
from pydantic import SecretStr

from armarium.core.collecting import TaskOrder
from armarium.core.crawl_order import CrawlOrder, Credential, Fetching, Seed
from armarium.formats.token import (
    WINDOW,
    CollectorKeys,
    Reason,
    SigningKey,
    Untrusted,
    claimed_name,
    make_task_token,
    open_task_token,
    prove,
    public_sealing_key,
    public_signing_key,
    verify_proof,
)
from armarium.formats.token.keys import SEALING, imported
from armarium.formats.token.task import KIND, SEAL, Seals

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
KEYS = CollectorKeys.generate()
OTHER = CollectorKeys.generate()
SERVER = SigningKey.derived(b"s" * 32)
TASK = TaskOrder(
    job=7,
    attempt=2,
    lease_until=NOW + timedelta(minutes=10),
    order=CrawlOrder(
        seeds=(Seed(url="http://a.example/", tag="a.example"),),
        fetching=Fetching(
            credentials=(Credential(domain="a.example", kind="basic", user="u", password=SecretStr("hush")),),
            proxy="http://me:secret@proxy.example:3128",
        ),
    ),
)


def token(**facts: Any) -> str:
    known = {
        "server": SERVER,
        "collector": "c1",
        "sealing_key": KEYS.public_sealing,
        "now": NOW,
        "expires_at": TASK.lease_until,
    }
    return make_task_token(TASK, **{**known, **facts})


def opened(text: str, **facts: Any) -> TaskOrder:
    known = {"collector": "c1", "server_key": SERVER.public, "now": NOW}
    return open_task_token(text, facts.pop("keys", KEYS), **{**known, **facts})


def refused(text: str, **facts: Any) -> Reason:
    with pytest.raises(Untrusted) as caught:
        opened(text, **facts)
    return caught.value.reason


# Keys


def test_keys_are_kept_as_text() -> None:
    again = CollectorKeys.load(KEYS.save())
    assert (again.public_signing, again.public_sealing) == (KEYS.public_signing, KEYS.public_sealing)
    assert set(KEYS.public_signing) == {"kty", "crv", "x"}


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"signing": {}, "sealing": {}}', '{"signing": 1}'])
def test_what_are_no_keys_is_said_to_be_none(text: str) -> None:
    with pytest.raises(ValueError, match="not the keys of a collector"):
        CollectorKeys.load(text)


def test_a_public_key_alone_does_not_load_as_a_private_one() -> None:
    half = json.dumps({"signing": KEYS.public_signing, "sealing": KEYS.public_sealing})
    with pytest.raises(ValueError, match="no private key"):
        CollectorKeys.load(half)


def test_the_same_seed_gives_the_same_key() -> None:
    assert SigningKey.derived(b"s" * 32).public == SERVER.public
    assert SigningKey.derived(b"t" * 32).public != SERVER.public


def test_a_private_half_that_was_sent_along_is_dropped() -> None:
    whole = json.loads(KEYS.save())["signing"]
    assert "d" in whole
    assert public_signing_key(whole) == KEYS.public_signing


@pytest.mark.parametrize("x", ["", "AAAA", "A" * 43, "AQ" + "A" * 41, "é" * 43, "A" * 10_000])
def test_a_sealing_key_that_protects_nothing_is_refused(x: str) -> None:
    with pytest.raises(ValueError, match="key"):
        public_sealing_key({"kty": "OKP", "crv": "X25519", "x": x})


def test_keys_of_one_purpose_do_not_serve_the_other() -> None:
    for check, key in ((public_signing_key, KEYS.public_sealing), (public_sealing_key, KEYS.public_signing)):
        with pytest.raises(ValueError, match="curve"):
            check(key)


# Proofs

TARGET = "/api/collector/lease?x=1"


def proof(**facts: Any) -> str:
    known = {"name": "c1", "method": "POST", "target": TARGET, "body": b"{}", "now": NOW}
    return prove(facts.pop("keys", KEYS), **{**known, **facts})


def unproved(text: str, *, body: bytes = b"{}", **facts: Any) -> Reason:
    known = {"method": "POST", "target": TARGET, "now": NOW}
    with pytest.raises(Untrusted) as caught:
        verify_proof(text, KEYS.public_signing, **{**known, **facts}).check_body(body)
    return caught.value.reason


def test_a_proof_tells_who_and_holds_for_this_request() -> None:
    text = proof()
    assert claimed_name(text) == "c1"
    found = verify_proof(text, KEYS.public_signing, method="POST", target=TARGET, now=NOW)
    found.check_body(b"{}")
    assert (found.collector, found.expires_at) == ("c1", NOW + WINDOW)
    assert found.id != verify_proof(proof(), KEYS.public_signing, method="POST", target=TARGET, now=NOW).id


def test_a_proof_holds_for_no_other_request_time_or_key() -> None:
    assert unproved(proof(method="PUT")) is Reason.OTHER_REQUEST
    assert unproved(proof(target="/api/collector/lease")) is Reason.OTHER_REQUEST
    assert unproved(proof(), body=b"{} ") is Reason.OTHER_REQUEST
    assert unproved(proof(), now=NOW + WINDOW + timedelta(seconds=1)) is Reason.EXPIRED
    assert unproved(proof(), now=NOW - WINDOW - timedelta(seconds=1)) is Reason.EARLY
    assert unproved(proof(keys=OTHER)) is Reason.SIGNATURE


PROVED = proof()  # one and the same: what is drawn must not depend on chance


@given(st.data())
def test_a_proof_altered_in_one_character_does_not_hold(data: st.DataObject) -> None:
    place = data.draw(st.integers(len("Collector "), len(PROVED) - 1))
    letter = data.draw(st.characters(codec="ascii", exclude_characters=PROVED[place]))
    altered = PROVED[:place] + letter + PROVED[place + 1 :]
    with pytest.raises(Untrusted):
        verify_proof(altered, KEYS.public_signing, method="POST", target=TARGET, now=NOW)


@given(st.text(max_size=300))
def test_no_text_makes_the_reading_of_a_proof_fail_otherwise(text: str) -> None:
    for shown in (text, f"Collector {text}"):
        with pytest.raises(Untrusted):
            claimed_name(shown)
        assert unproved(shown) in set(Reason)


def test_a_text_cannot_choose_how_it_is_verified() -> None:
    """The classics: no algorithm, the public key as a shared secret, a key that came along, detached."""
    claims = json.dumps({"jti": "x" * 20, "iat": NOW.timestamp(), "method": "POST", "path": TARGET})
    public = OctKey.import_key(json.dumps(KEYS.public_signing).encode())
    hmac = jws.serialize_compact({"alg": "HS256", "typ": "armarium-request", "kid": "c1"}, claims, public)
    parts = proof().removeprefix("Collector ").split(".")
    bare = encoded({"alg": "none", "typ": "armarium-request", "kid": "c1"})
    known = {"alg": "Ed25519", "typ": "armarium-request", "kid": "c1"}
    along = jws.serialize_compact(
        {**known, "jwk": OTHER.public_signing}, claims, OTHER.signing, algorithms=["Ed25519"]
    )
    own = jws.serialize_compact(
        {**known, "jwk": OTHER.public_signing}, claims, KEYS.signing, algorithms=["Ed25519"]
    )
    for text in (
        hmac,
        f"{bare}.{parts[1]}.",
        f"{bare}.{parts[1]}.{parts[2]}",
        along,
        own,
        f"{parts[0]}..{parts[2]}",
    ):
        assert unproved(f"Collector {text}") in {Reason.SIGNATURE, Reason.FOREIGN, Reason.MALFORMED}


def encoded(value: object) -> str:
    return urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


# Tasks


def test_a_token_brings_the_whole_task_with_its_secrets() -> None:
    found = opened(token())
    assert found == TASK
    [credential] = found.order.fetching.credentials
    assert credential.password.get_secret_value() == "hush"
    assert found.order.fetching.proxy == "http://me:secret@proxy.example:3128"


def test_a_token_shows_nothing_to_those_who_see_it_pass() -> None:
    text = token()
    seen = b"".join(urlsafe_b64decode(part + "=" * (-len(part) % 4)) for part in text.split("."))
    assert not any(word in seen for word in (b"hush", b"a.example", b"secret"))


def test_a_token_is_for_one_collector_of_one_server_and_for_a_while() -> None:
    text = token()
    assert refused(text, keys=OTHER) is Reason.SEALED
    assert refused(text, collector="c2") is Reason.FOREIGN
    assert refused(token(collector="c2")) is Reason.FOREIGN
    assert refused(text, server_key=SigningKey.derived(b"t" * 32).public) is Reason.SIGNATURE
    assert refused(text, now=TASK.lease_until) is Reason.EXPIRED
    assert refused(text, now=NOW - timedelta(minutes=3)) is Reason.EARLY
    assert refused(token(server=SigningKey.derived(b"t" * 32))) is Reason.SIGNATURE


SEALED = token()


@given(st.data())
def test_a_token_altered_in_one_character_cannot_be_opened(data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(SEALED) - 1))
    letter = data.draw(st.characters(codec="ascii", exclude_characters=SEALED[place]))
    assert refused(SEALED[:place] + letter + SEALED[place + 1 :]) in set(Reason)


@given(st.text(max_size=200))
def test_no_text_makes_the_opening_of_a_token_fail_otherwise(text: str) -> None:
    assert refused(text) in set(Reason)
    assert refused(f"{text}.....") in set(Reason)


def sealed(plain: bytes, **header: Any) -> str:
    known = {**SEAL, "typ": KIND, "cty": "JWT", "kid": "c1"}
    return jwe.encrypt_compact(
        {**known, **header}, plain, imported(KEYS.public_sealing, SEALING), registry=Seals()
    )


def test_whoever_knows_the_sealing_key_cannot_make_a_task() -> None:
    """It is public: only the signature inside says that the server made the task."""
    assert refused(sealed(b"{}")) is Reason.MALFORMED
    request = proof().removeprefix("Collector ")
    assert refused(sealed(request.encode())) is Reason.SIGNATURE
    assert refused(sealed(request.encode()), server_key=KEYS.public_signing) is Reason.FOREIGN


def test_a_few_bytes_that_inflate_without_end_are_not_inflated() -> None:
    bomb = sealed(bytes(5_000_000))
    assert len(bomb) < 10_000
    assert refused(bomb, seals=Seals(most=1_000_000)) is Reason.TOO_LARGE


def test_a_seal_with_another_algorithm_is_refused() -> None:
    key = imported(KEYS.public_sealing, SEALING)
    for header in ({"alg": "ECDH-ES", "enc": "A256GCM"}, {"alg": "ECDH-ES+A256KW", "enc": "A128CBC-HS256"}):
        text = jwe.encrypt_compact({**header, "typ": KIND}, b"x", key, algorithms=list(header.values()))
        assert refused(text) is Reason.SEALED
    plain = jwe.encrypt_compact({**SEAL, "typ": "other"}, b"x", key, registry=Seals())
    assert refused(plain) is Reason.FOREIGN


def test_an_order_with_a_hundred_thousand_seeds_travels_too() -> None:
    seeds = tuple(Seed(url=f"http://d{n}.example/", tag=f"d{n}.example") for n in range(100_000))
    large = TASK.model_copy(update={"order": CrawlOrder(seeds=seeds)})
    text = make_task_token(
        large,
        server=SERVER,
        collector="c1",
        sealing_key=KEYS.public_sealing,
        now=NOW,
        expires_at=TASK.lease_until,
    )
    assert len(opened(text).order.seeds) == 100_000
    assert len(text) < len(zlib.compress(large.model_dump_json().encode())) * 8

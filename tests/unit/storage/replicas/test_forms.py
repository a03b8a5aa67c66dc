"""The form of a replica, as people fill it in."""

from datetime import UTC, datetime

import pytest

from armarium.core.errors import Refused
from armarium.storage.model import Replica, ReplicaKind, ReplicaRole, ReplicaState
from armarium.storage.replicas.forms import as_form, rate_in, secrets_in, setup_in, written_rate
from armarium.storage.replicas.model import ReplicaDetails, Setup
from armarium.web.forms import Form, filled

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
BUCKET = Replica(
    7,
    "far",
    ReplicaKind.S3,
    ReplicaRole.COPY,
    ReplicaState.ACTIVE,
    "s3://heritage/one",
    {"endpoint": "http://127.0.0.1:9", "allow_http": "yes"},
    rate_bytes=2_500_000,
)
STANDING = ReplicaDetails(BUCKET, 30, 0, 4, NOON, "ada", None, "", None, 0, has_secrets=True)


def sent(form: Form) -> Form:
    """As a browser sends what it was shown: boxes that are not ticked are left out."""
    return filled(**{name: value for name, value in form.values.items() if value not in (False, None)})


def test_a_form_that_is_sent_back_as_it_was_moves_nothing() -> None:
    setup = setup_in(sent(as_form(STANDING)), ReplicaKind.S3, BUCKET)
    assert setup == Setup(ReplicaRole.COPY, rate_bytes=2_500_000, audit_days=30, audit_rate_bytes=0)


def test_another_location_takes_its_options_along() -> None:
    form = sent(as_form(STANDING))
    form.values["location"] = " s3://heritage/two "
    setup = setup_in(form, ReplicaKind.S3, BUCKET)
    assert setup.location == "s3://heritage/two"
    assert setup.options == dict(BUCKET.options)


def test_a_folder_has_no_options_and_checksums_are_a_witness() -> None:
    form = filled(location="/srv/one", role="primary", endpoint="https://x", audit_days="90")
    assert setup_in(form, ReplicaKind.FOLDER).options == {}
    assert setup_in(form, ReplicaKind.CHECKSUM).role is ReplicaRole.WITNESS


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({}, None),
        ({"access_key": "a", "secret_key": "b"}, {"access_key": "a", "secret_key": "b"}),
        ({"forget_keys": "yes"}, {}),
    ],
)
def test_keys_are_changed_only_if_typed_or_forgotten(
    given: dict[str, str], kept: dict[str, str] | None
) -> None:
    assert secrets_in(filled(**given)) == kept


def test_half_a_pair_of_keys_is_refused() -> None:
    with pytest.raises(Refused) as refusal:
        secrets_in(filled(access_key="a"))
    assert refusal.value.field == "secret_key"


@pytest.mark.parametrize(
    ("text", "rate"), [("", 0), ("0", 0), ("2.5", 2_500_000), ("2,5", 2_500_000), ("100", 100_000_000)]
)
def test_a_rate_is_written_in_megabytes(text: str, rate: int) -> None:
    assert rate_in(filled(rate_bytes=text), "rate_bytes") == rate
    assert rate_in(filled(rate_bytes=written_rate(rate)), "rate_bytes") == rate


@pytest.mark.parametrize("text", ["fast", "-1", "NaN", "Infinity", "1e30"])
def test_a_rate_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        rate_in(filled(rate_bytes=text), "rate_bytes")

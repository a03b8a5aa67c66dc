"""What may be the location of a replica."""

import pytest

from armarium.core.errors import Refused
from armarium.storage.backends.opening import bucket_address, check_location
from armarium.storage.model import ReplicaKind

FOLDER, S3, CHECKSUM = ReplicaKind.FOLDER, ReplicaKind.S3, ReplicaKind.CHECKSUM
ENDPOINT = {"endpoint": "https://s3.example.org:9000"}


@pytest.mark.parametrize(
    ("kind", "location", "options"),
    [
        (FOLDER, "/mnt/disk-1/armarium", {}),
        (FOLDER, "replicas/one", {}),
        (CHECKSUM, "sums", {}),
        (CHECKSUM, "s3://far-away/sums", ENDPOINT),
        (S3, "s3://archive", {}),
        (S3, "s3://archive/some/prefix", {**ENDPOINT, "region": "eu-1", "path_style": "no", "timeout": "30"}),
        (S3, "s3://archive/", {"endpoint": "http://[::1]:8333", "allow_http": "yes"}),
        (S3, "s3://archive", {**ENDPOINT, "conditional_copy": "multipart"}),
    ],
)
def test_a_location_that_makes_sense_is_taken(
    kind: ReplicaKind, location: str, options: dict[str, str]
) -> None:
    check_location(kind, location, options)


@pytest.mark.parametrize(
    ("kind", "location", "options", "field"),
    [
        (FOLDER, "", {}, "location"),
        (FOLDER, "  ", {}, "location"),
        (FOLDER, "/", {}, "location"),
        (FOLDER, ".", {}, "location"),
        (FOLDER, "../elsewhere", {}, "location"),
        (FOLDER, "/mnt/../etc", {}, "location"),
        (FOLDER, "a\0b", {}, "location"),
        (FOLDER, "s3://archive", {}, "location"),
        (FOLDER, "replicas/one", ENDPOINT, "options"),
        (CHECKSUM, "https://example.org", {}, "location"),
        (S3, "", {}, "location"),
        (S3, "/mnt/disk", {}, "location"),
        (S3, "s3://", {}, "location"),
        (S3, "s3:///prefix", {}, "location"),
        (S3, "s3://Upper_Case", {}, "location"),
        (S3, "s3://archive/a/../b", {}, "location"),
        (S3, "s3://archive/a//b", {}, "location"),
        (S3, "s3://archive/a?b", {}, "location"),
        (S3, "s3://archive", {"endpoint": "http://s3.example.org"}, "options"),
        (S3, "s3://archive", {"endpoint": "s3.example.org"}, "options"),
        (S3, "s3://archive", {"endpoint": "https://user:secret@s3.example.org"}, "options"),
        (S3, "s3://archive", {"endpoint": "https://s3.example.org/path"}, "options"),
        (S3, "s3://archive", {"allow_http": "perhaps"}, "options"),
        (S3, "s3://archive", {"timeout": "0"}, "options"),
        (S3, "s3://archive", {"timeout": "soon"}, "options"),
        (S3, "s3://archive", {"conditional_copy": "never"}, "options"),
        (S3, "s3://archive", {"colour": "blue"}, "options"),
    ],
)
def test_nonsense_is_refused_at_the_field_that_is_wrong(
    kind: ReplicaKind, location: str, options: dict[str, str], field: str
) -> None:
    with pytest.raises(Refused) as refused:
        check_location(kind, location, options)
    assert refused.value.field == field


def test_a_server_of_ones_own_is_asked_in_path_style_unless_said_otherwise() -> None:
    assert bucket_address("s3://archive/p/", ENDPOINT).path_style
    assert not bucket_address("s3://archive", {**ENDPOINT, "path_style": "no"}).path_style
    assert not bucket_address("s3://archive", {}).path_style
    assert bucket_address("s3://archive/p/", ENDPOINT).url == "s3://archive/p"

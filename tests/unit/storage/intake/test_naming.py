"""What names tell, and which the archive can keep."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.core.errors import Refused
from armarium.storage.intake.naming import Rules, archive_name, is_fit, kind_of, named_job, rename_rule


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("42-117-20051212141240-00000-sb-test-har-001.statsbiblioteket.dk.arc", "42-117"),
        ("12-3-20260102030405678-00000-host.warc.gz", "12-3"),
        ("kb-12-3-20260102030405678-00000-host.warc.gz", "12-3"),
        ("12-3.2-20260102030405678-00000-host.warc.gz", "12-3"),
        ("30-metadata-4.arc", "30"),
        ("job-30-metadata-4.warc.gz", "30"),
        ("job-30.2-metadata-1.warc.gz", "30"),
        ("IAH-20080430204825-00000-blackbook.arc.gz", None),
        ("example.warc.gz", None),
        ("2-2.warc", None),
    ],
)
def test_job_and_harvest_stand_in_names_by_custom(name: str, told: str | None) -> None:
    found = named_job(name)
    assert (str(found) if found else None) == told


def test_metadata_files_are_told_by_their_name() -> None:
    assert kind_of("30-metadata-4.arc") == "metadata"
    assert kind_of("30-4-20060731110420-00000-h.arc") == "data"


@pytest.mark.parametrize("name", ["my site-wacz-metadata-1.warc.gz", f"{'s' * 240}-metadata-12.arc"])
def test_a_metadata_file_whose_name_has_to_be_changed_is_still_one(name: str) -> None:
    assert kind_of(archive_name(name)) == "metadata"


def test_a_name_that_a_replica_can_keep_is_kept() -> None:
    assert archive_name("IAH-1_a.b.warc.gz") == "IAH-1_a.b.warc.gz"


def test_odd_names_are_changed_and_stay_different() -> None:
    one, other = archive_name("naïve name.warc.gz"), archive_name("naive_name.warc.gz ")
    assert one.startswith("na_ve_name-")
    assert one.endswith(".warc.gz")
    assert one != archive_name("naxve name.warc.gz") != other


@given(st.text(st.characters(exclude_characters="/\0"), min_size=1, max_size=255))
def test_every_name_becomes_one_that_can_be_kept_the_same_each_time(name: str) -> None:
    assert is_fit(archive_name(name))
    assert archive_name(name) == archive_name(name)
    assert archive_name(archive_name(name)) == archive_name(name)


def test_rules_are_applied_one_after_the_other_and_then_the_prefix() -> None:
    rules = Rules("attic-", [rename_rule(r"s/^(\d+)-/job\1_/"), rename_rule("s|_|-|")])
    assert rules.renamed("42-a.warc.gz") == "attic-job42-a.warc.gz"
    assert rules.described() == {"prefix": "attic-", "rename": [r"^(\d+)- → job\1_", "_ → -"]}


@pytest.mark.parametrize("text", ["", "s", "s/", "a=b", "s/a", "s/a/b", "s//b/", "s/a/b/g", "y/a/b/"])
def test_what_is_no_rule_is_refused_with_the_right_form(text: str) -> None:
    with pytest.raises(Refused, match="s/old/new/"):
        rename_rule(text)


@pytest.mark.parametrize("text", ["s/(/x/", r"s/a/\1/"])
def test_a_rule_that_cannot_be_used_is_refused_before_anything_is_taken(text: str) -> None:
    with pytest.raises(Refused, match="cannot be used"):
        Rules(renames=[rename_rule(text)])


def test_an_import_without_rules_has_nothing_to_tell() -> None:
    assert Rules().described() == {}
    assert Rules().renamed("a.warc.gz") == "a.warc.gz"

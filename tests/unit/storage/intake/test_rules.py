"""The rules of an import: what they make of names, and what is no rule."""

import pytest

from armarium.core.errors import Refused
from armarium.storage.intake.rules import Rules, rename_rule


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

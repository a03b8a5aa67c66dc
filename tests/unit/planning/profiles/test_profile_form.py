"""Profiles as forms made from the crawl order, and as TOML."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.core.crawl_order import CrawlOrder
from armarium.core.errors import Refused
from armarium.planning.profiles import toml
from armarium.planning.profiles.form import NOT_ASKED, Kind, all_keys, document_of, parts, typed
from armarium.planning.profiles.rules import BadOrder, checked
from armarium.planning.profiles.words import CHOICES, GROUPS
from armarium.planning.shipped import PROFILES
from armarium.web.forms import Form, Sparse

FULL = {
    "robots": "ignore-for-embeds",
    "scope": {"kind": "suffixes", "suffixes": ["fr", "re"], "reject": ["/calendar/", "x=(1|2)"]},
    "queues": {"by": "domain", "max_bytes": 10_000},
    "politeness": {"server_min_delay": 1.5},
    "fetching": {"headers": [["X-Purpose", "legal: deposit"]], "cookies": False},
    "recording": {"values": {"prefix": "A", "note": "é = 1"}},
}


def sent(values: dict[str, object]) -> Form:
    """As a browser sends it: boxes that are not ticked are left out."""
    return Form(values=Sparse({name: value for name, value in values.items() if value is not None}))


def test_every_key_of_a_crawl_order_is_asked_for_or_left_out_on_purpose() -> None:
    asked = {key.path for key in all_keys()}
    known = set()
    for name, value in CrawlOrder():
        section = hasattr(type(value), "model_fields") and name not in NOT_ASKED
        inner = type(value).model_fields if section else None
        known |= {f"{name}.{key}" for key in inner} if inner is not None else {name}
    assert asked | NOT_ASKED == known
    assert not asked & NOT_ASKED


def test_keys_are_asked_for_as_their_type_wants_it() -> None:
    kinds = {key.path: key for key in all_keys()}
    assert kinds["scope.kind"].choices == ("page", "path", "host", "domain", "suffixes", "any")
    assert kinds["recording.digest"].choices == ("sha1", "sha256", "blake3")
    assert kinds["scope.reject"].kind is Kind.LINES
    assert kinds["fetching.headers"].kind is Kind.HEADERS
    assert kinds["limits.max_bytes"].optional
    assert not kinds["limits.max_download_bytes"].optional
    assert kinds["scope.contain_traps"].kind is Kind.YES_NO


def test_every_key_stands_in_one_group_under_words_of_its_own() -> None:
    named = [path for group in GROUPS for path in group.keys]
    assert sorted(named) == sorted(key.path for key in all_keys())
    choices = {(key.path, one) for key in all_keys() for one in key.choices}
    assert choices == {(path, one) for path, words in CHOICES.items() for one in words}


def test_the_help_of_a_key_is_the_text_below_it_in_the_source() -> None:
    helps = {key.path: key.help for key in all_keys()}
    assert helps["scope.max_path_depth"] == "Segments of a path, at most."
    assert sum(bool(text) for text in helps.values()) > 50
    assert [part.name for part in parts()][:3] == ["", "scope", "queues"]


@pytest.mark.parametrize("document", [FULL, *(profile.document for profile in PROFILES)])
def test_a_form_sent_back_unchanged_changes_nothing(document: dict[str, object]) -> None:
    kept = checked(document)
    assert checked(document_of(sent(typed(kept)))) == kept


def test_digits_may_be_grouped_and_an_empty_number_is_the_default() -> None:
    values = typed({})
    values["limits.max_objects"], values["scope.max_hops"] = "10 000\u202f000", ""
    assert checked(document_of(sent(values))) == {
        "queues": {"by": "domain"},
        "limits": {"max_objects": 10_000_000},
    }


def test_a_wrong_number_is_named_by_its_input() -> None:
    values = {**typed({}), "scope.max_hops": "many", "queues.replenish": "0"}
    with pytest.raises(BadOrder) as refused:
        checked(document_of(sent(values)))
    assert set(refused.value.faults) == {"scope.max_hops", "queues.replenish"}


@pytest.mark.parametrize("document", [FULL, *(profile.document for profile in PROFILES)])
def test_toml_says_the_same(document: dict[str, object]) -> None:
    kept = checked(document)
    assert toml.read(toml.written(kept, head="Profile x")) == kept


@given(st.dictionaries(st.text(min_size=1), st.text(st.characters(exclude_categories=["Cs"]))))
def test_any_text_survives_toml(texts: dict[str, str]) -> None:
    document = {"recording": {"values": texts}}
    assert toml.read(toml.written(document)) == document


def test_what_is_no_toml_is_refused_with_its_line() -> None:
    with pytest.raises(Refused, match="line 2"):
        toml.read("[scope]\nkind = \n")

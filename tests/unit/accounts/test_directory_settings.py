"""Settings of directories: nonsense is refused when they are read, in words that say what to do."""

from pathlib import Path

import pytest

from armarium.accounts.directory.model import Terms
from armarium.accounts.directory.settings import DirectorySettings, OpenIdSettings, roles_of_groups
from armarium.accounts.model import Role
from armarium.core.errors import Misconfigured
from armarium.settings import Settings, load

GOOD_DIRECTORY = {
    "url": "ldaps://ldap.example.org",
    "base_dn": "dc=example,dc=org",
    "roles": "web-curators = curator",
}
GOOD_PROVIDER = {
    "issuer": "https://login.example.org",
    "client_id": "armarium",
    "roles": "web-curators = curator",
}


def read(home: Path, section: str, values: dict[str, str]) -> Settings:
    environ = {f"ARMARIUM_{section}_{name.upper()}": value for name, value in values.items()}
    return load([DirectorySettings, OpenIdSettings], home=home, environ=environ)


def test_without_an_address_nothing_else_is_needed(tmp_path: Path) -> None:
    settings = read(tmp_path, "DIRECTORY", {})
    assert settings[DirectorySettings].url is None
    assert settings[OpenIdSettings].issuer is None


def test_good_settings_give_the_terms(tmp_path: Path) -> None:
    settings = read(tmp_path, "DIRECTORY", {**GOOD_DIRECTORY, "required_group": "staff"})
    terms = settings[DirectorySettings].terms
    assert terms.roles == {"web-curators": {Role.CURATOR}}
    assert (terms.required_group, terms.creates_accounts, terms.ignores_case) == ("staff", True, True)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"url": "ldap://ldap.example.org"}, "would send passwords unencrypted"),
        ({"url": "https://ldap.example.org"}, "must be of the form ldaps://host"),
        ({"url": "ldaps://"}, "must be of the form ldaps://host"),
        ({"url": "ldaps://host:port"}, "must be of the form ldaps://host"),
        ({"url": "ldaps://host/dc=example"}, "must be of the form ldaps://host"),
        ({"start_tls": "yes"}, "ldaps:// is encrypted from the beginning"),
        ({"bind_dn": "cn=searcher"}, "needs bind_dn and bind_password together"),
        ({"bind_password": "secret"}, "needs bind_dn and bind_password together"),
        ({"base_dn": ""}, "needs base_dn"),
        ({"roles": ""}, "needs roles"),
        ({"roles": "curator"}, "not of the form “group = role”"),
        ({"roles": "web = king"}, "names the role “king”, which does not exist; there are administrator,"),
        ({"user_filter": "uid={name}"}, "must be a filter in brackets"),
        ({"user_filter": "((uid={name})"}, "must be a filter in brackets"),
        ({"user_filter": "(uid={name}))("}, "must be a filter in brackets"),
        ({"user_filter": "(uid={user})"}, "the placeholder {user}, which means nothing"),
        ({"user_filter": "(uid=anna)"}, "needs {name}"),
        ({"user_filter": "(&(uid={name})(manager={dn}))"}, "cannot have {dn}"),
        ({"group_filter": "(objectClass=group)"}, "or everybody is in all groups"),
        ({"ca_file": "/nowhere/at/all.pem"}, "names /nowhere/at/all.pem, which is not a file"),
        ({"name_attribute": "uid)(x"}, "name_attribute"),
        ({"answer_seconds": "0"}, "at least 1"),
    ],
)
def test_nonsense_about_the_directory_is_refused(tmp_path: Path, changed: dict[str, str], words: str) -> None:
    with pytest.raises(Misconfigured) as refused:
        read(tmp_path, "DIRECTORY", GOOD_DIRECTORY | changed)
    assert words in str(refused.value)


def test_an_open_connection_has_to_be_wanted(tmp_path: Path) -> None:
    plain = {**GOOD_DIRECTORY, "url": "ldap://127.0.0.1:389"}
    for also in ({"start_tls": "yes"}, {"allow_plain": "yes"}):
        assert read(tmp_path, "DIRECTORY", plain | also)[DirectorySettings].url == "ldap://127.0.0.1:389"


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"issuer": "http://login.example.org"}, "must begin with https://"),
        ({"issuer": "login.example.org"}, "must be an address such as https://"),
        ({"issuer": "https://login.example.org?tenant=1"}, "must be an address such as https://"),
        ({"issuer": "https://"}, "must be an address such as https://"),
        ({"client_id": ""}, "needs client_id"),
        ({"scopes": "profile"}, "needs the scope openid"),
        ({"roles": ""}, "needs roles"),
        ({"roles": "= curator"}, "not of the form"),
        ({"title": ""}, "must not be empty"),
        ({"proxy": "socks5://proxy"}, "must be an address such as http://proxy"),
        ({"ca_file": "/nowhere.pem"}, "which is not a file"),
    ],
)
def test_nonsense_about_the_provider_is_refused(tmp_path: Path, changed: dict[str, str], words: str) -> None:
    with pytest.raises(Misconfigured) as refused:
        read(tmp_path, "OPENID", GOOD_PROVIDER | changed)
    assert words in str(refused.value)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]"])
def test_a_provider_on_this_machine_may_do_without_encryption(tmp_path: Path, host: str) -> None:
    issuer = f"http://{host}:5000/realm"
    assert read(tmp_path, "OPENID", GOOD_PROVIDER | {"issuer": issuer})[OpenIdSettings].issuer == issuer


def test_a_secret_is_not_repeated_in_a_refusal(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured) as refused:
        read(tmp_path, "DIRECTORY", GOOD_DIRECTORY | {"bind_password": "my secret sentence"})
    assert "my secret sentence" not in str(refused.value)


def test_a_group_may_bring_several_roles_and_have_signs_in_its_name() -> None:
    lines = ["a = b = curator engineer", "it=administrator", "it = reader"]
    assert roles_of_groups(lines) == {
        "a = b": {Role.CURATOR, Role.ENGINEER},
        "it": {Role.ADMINISTRATOR, Role.READER},
    }


def test_case_counts_for_a_provider_and_not_for_a_directory() -> None:
    roles = {"Curators": frozenset({Role.CURATOR})}
    assert Terms(roles, ignores_case=True).roles_of(["CURATORS"]) == {Role.CURATOR}
    assert Terms(roles).roles_of(["CURATORS"]) == frozenset()
    assert Terms(roles, "Staff", ignores_case=True).lacks_required(["staff"]) is False
    assert Terms(roles, "Staff").lacks_required(["staff"]) is True
    assert Terms(roles).lacks_required([]) is False

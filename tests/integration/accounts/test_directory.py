"""The directory itself: whom it is asked about, how, and what is believed. A real slapd answers."""

import socket
from pathlib import Path

import pytest

from armarium.accounts.directory.ldap import AT_ONCE, Ldap
from armarium.accounts.directory.model import Person
from armarium.accounts.model import Source
from armarium.core.errors import Refused, Unavailable
from tests.sites.certificates import Authority
from tests.slapd import GROUPS, PEOPLE, Directory

SECRET = "a secret of the library"
#: What is prepared to nothing, a control character, letters of both directions.
UNFIT = ("\u00ad", "a\x01", "\u0627a")


def test_the_right_password_proves_the_person_with_names_mail_and_groups(directory: Directory) -> None:
    anna = directory.person("anna", SECRET, mail="anna@example.org", cn="Anna Häuser")
    directory.group("curators", anna)
    directory.group("others")
    found = Ldap(directory.settings()).proven("anna", SECRET)
    assert found is not None
    assert found == Person(
        Source.LDAP, found.subject, "anna", "Anna Häuser", "anna@example.org", frozenset({"curators"})
    )
    assert len(found.subject) == 36  # an entryUUID


@pytest.mark.parametrize("password", ["", "wrong", SECRET + "\0", "\0", SECRET[:-1], SECRET.upper(), *UNFIT])
def test_another_password_or_none_proves_nothing(directory: Directory, password: str) -> None:
    """This server takes a name without a password, as the standard lets it: it must not come to that. Nor may
    one of odd characters make the directory seem away, which it would for people whom it knows alone."""
    directory.person("anna", SECRET)
    assert Ldap(directory.settings()).proven("anna", password) is None


@pytest.mark.parametrize(
    "name",
    [
        "*",
        "a*",
        "anna)(uid=*",
        "*)(|(uid=*",
        "anna\\2a",
        "(anna)",
        "anna)(|(objectClass=*)",
        "\0",
        "",
        "ａnna",
    ],
)
def test_a_name_is_never_read_as_a_part_of_the_filter(directory: Directory, name: str) -> None:
    directory.person("anna", SECRET)
    ldap = Ldap(directory.settings())
    assert ldap.proven(name, SECRET) is None
    if name != "ａnna":  # wide letters: the directory itself takes them for the narrow ones
        assert ldap.look_up(name) is None


def test_two_people_of_one_name_are_both_refused(directory: Directory) -> None:
    east, west = directory.unit("east", PEOPLE), directory.unit("west", PEOPLE)
    directory.person("anna", SECRET, under=east)
    directory.person("anna", SECRET, under=west)
    ldap = Ldap(directory.settings())
    with pytest.raises(Refused, match="more than one person named anna"):
        ldap.proven("anna", SECRET)
    with pytest.raises(Refused, match="more than one person named anna"):
        ldap.look_up("anna")
    for under in ("south", "north"):  # more than the bound of the search
        directory.person("anna", SECRET, under=directory.unit(under, PEOPLE))
    with pytest.raises(Refused, match="more than one person"):
        ldap.proven("anna", SECRET)


def test_somebody_elsewhere_in_the_directory_is_nobody(directory: Directory) -> None:
    directory.person("guest", SECRET, under=directory.unit("guests"))
    assert Ldap(directory.settings()).proven("guest", SECRET) is None


def test_start_tls_encrypts_an_open_port(directory: Directory) -> None:
    directory.person("anna", SECRET)
    ldap = Ldap(directory.settings(url=directory.plain_url, start_tls="yes"))
    assert ldap.proven("anna", SECRET) is not None


@pytest.mark.parametrize("secure", [True, False])
def test_a_certificate_of_a_stranger_ends_the_conversation(
    directory: Directory, tmp_path: Path, secure: bool
) -> None:
    directory.person("anna", SECRET)
    (tmp_path / "other").mkdir()
    other = str(Authority.create(tmp_path / "other").file)
    open_port = {"url": directory.plain_url, "start_tls": "yes"}
    ldap = Ldap(directory.settings(ca_file=other, **({} if secure else open_port)))
    with pytest.raises(Unavailable, match="does not answer"):
        ldap.proven("anna", SECRET)


def test_a_certificate_for_another_name_ends_the_conversation(directory: Directory) -> None:
    directory.person("anna", SECRET)
    same_server = directory.url.replace("localhost", "127.0.0.1")  # of which the certificate does not speak
    with pytest.raises(Unavailable):
        Ldap(directory.settings(url=same_server)).proven("anna", SECRET)


def test_a_directory_that_is_away_says_so(directory: Directory) -> None:
    ldap = Ldap(directory.settings())
    ldap.check()
    directory.stop()
    with pytest.raises(Unavailable, match="does not answer"):
        ldap.check()
    with pytest.raises(Unavailable, match="does not answer"):
        ldap.proven("anna", SECRET)


def test_a_directory_that_never_answers_is_given_up(directory: Directory) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes connections, and says nothing
        url = f"ldap://127.0.0.1:{silent.getsockname()[1]}"
        ldap = Ldap(directory.settings(url=url, allow_plain="yes", answer_seconds="1"))
        with pytest.raises(Unavailable, match="does not answer"):
            ldap.proven("anna", SECRET)


def test_no_more_threads_wait_for_a_slow_directory_than_it_may_have(directory: Directory) -> None:
    directory.person("anna", SECRET)
    ldap = Ldap(directory.settings())
    for _ in range(AT_ONCE):
        ldap._turns.acquire()
    with pytest.raises(Unavailable):
        ldap.proven("anna", SECRET)
    ldap._turns.release()
    for _ in range(AT_ONCE + 1):  # every turn is given back
        assert ldap.proven("anna", SECRET) is not None


def test_wrong_settings_are_told_as_such(directory: Directory) -> None:
    with pytest.raises(Unavailable, match="refuses the account with which Armarium searches"):
        Ldap(directory.settings(bind_password="wrong")).check()
    with pytest.raises(Unavailable, match="nothing at ou=nowhere"):
        Ldap(directory.settings(base_dn="ou=nowhere,dc=example,dc=org")).check()
    directory.person("anna", SECRET)
    with pytest.raises(Unavailable, match="does not tell the attribute objectGUID of uid=anna"):
        Ldap(directory.settings(subject_attribute="objectGUID")).proven("anna", SECRET)


def test_the_distinguished_name_can_be_the_subject(directory: Directory) -> None:
    directory.person("Anna", SECRET)
    found = Ldap(directory.settings(subject_attribute="dn")).proven("anna", SECRET)
    assert found is not None
    assert (found.subject, found.name) == (f"uid=anna,{PEOPLE}", "anna")


def test_groups_can_be_read_from_the_person(directory: Directory) -> None:
    anna = directory.person("anna", SECRET)
    directory.group("curators", anna)
    elsewhere = directory.unit("elsewhere")
    directory.group("it", anna, under=elsewhere)  # somebody else's group of the same name
    found = Ldap(directory.settings(member_of="memberOf")).proven("anna", SECRET)
    assert found is not None
    assert found.groups == {"curators"}


def test_groups_outside_their_place_do_not_count(directory: Directory) -> None:
    anna = directory.person("anna", SECRET)
    directory.group("it", anna, under=directory.unit("elsewhere"))
    inner = directory.unit("inner", GROUPS)
    directory.group("curators", anna, under=inner)
    found = Ldap(directory.settings()).proven("anna", SECRET)
    assert found is not None
    assert found.groups == {"curators"}


def test_a_distinguished_name_with_signs_of_a_filter_finds_its_own_groups_only(directory: Directory) -> None:
    odd = directory.person("odd", SECRET, under=directory.unit("a*(b)", PEOPLE))
    plain = directory.person("plain", SECRET)
    directory.group("curators", odd)
    directory.group("it", plain)
    found = Ldap(directory.settings()).proven("odd", SECRET)
    assert found is not None
    assert found.groups == {"curators"}

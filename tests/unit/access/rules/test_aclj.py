"""Access lists of pywb."""

import pytest

from armarium.access.policy.model import AddressMatch, Audience, Period, Rule, RuleEffect
from armarium.access.rules import aclj, exchange
from armarium.accounts.model import Role

LIST = """\
# written by hand
org,iana)/domains/arpa - {"access": "allow", "url": "http://www.iana.org/domains/arpa", "before": "20140127"}
org,iana)/domains - {"access": "block"}
org,iana)/### - {"access": "exclude", "after": "2014"}
com,example, - {"access": "exclude"}
com, - {"access": "allow_ignore_embargo", "user": "staff"}
*, - {"access": "block", "newer": {"years": 1, "weeks": 2}}
"""


def test_the_lines_of_a_list_become_rules() -> None:
    found = exchange.read(LIST)
    said = [
        (one.effect.value, one.match.value, one.key, one.captured_from, one.captured_to)
        for one in found.terms
    ]
    assert said == [
        ("allow", "prefix", "org,iana)/domains/arpa", "", "20140126235959"),
        ("restrict", "prefix", "org,iana)/domains", "", ""),
        ("hide", "exact", "org,iana)/", "20140101000001", ""),
        ("hide", "domain", "com,example)/", "", ""),
        ("allow", "domain", "com)/", "", ""),
        ("embargo", "everything", "", "", ""),
    ]
    assert found.terms[-1].embargo == Period(years=1, days=14)
    assert Role.LIBRARIAN in found.terms[4].audience.roles
    assert Role.READER not in found.terms[4].audience.roles
    assert [(one.line, one.problem) for one in found.remarks] == [(5, False)]


def test_allowing_what_is_older_becomes_an_embargo_beside_a_rule_that_allows() -> None:
    [line] = aclj.read('org,iana)/ - {"access": "allow", "older": {"years": 1}}')
    assert [one.effect for one in line.terms] == [RuleEffect.ALLOW, RuleEffect.EMBARGO]


@pytest.mark.parametrize(
    "line",
    [
        "com,example)/",
        "com,example)/ - nothing",
        'com,example)/ - ["block"]',
        'com,example)/ - {"access": "burn"}',
        'com,exam - {"access": "block"}',
        'com,example)/ - {"access": "block", "user": "somebody"}',
        'com,example)/ - {"access": "block", "before": "yesterday"}',
        'com,example)/ - {"access": "allow", "newer": {"years": 1}}',
        'com,example)/ - {"access": "block", "older": {"years": 1}}',
        'com,example)/ - {"access": "block", "newer": {"hours": 1}}',
        'com,example)/ - {"access": "block", "newer": {"years": "1"}}',
        'com,example)/A - {"access": "block"}',
    ],
)
def test_a_line_that_cannot_be_a_rule_here_says_why(line: str) -> None:
    [found] = aclj.read(line)
    assert (found.terms, found.problem is not None) == ((), True)


def test_a_user_of_the_list_is_who_somebody_says() -> None:
    users = {"somebody": Audience(accredited=True)}
    [line] = aclj.read('*, - {"access": "allow", "user": "somebody"}', users)
    assert line.terms[0].audience.accredited


def test_what_is_written_is_read_as_the_same_rules() -> None:
    terms = [one for one in exchange.read(LIST).terms if not one.audience.weight]
    text, left_out = aclj.written(Rule(number, one) for number, one in enumerate(terms))
    assert left_out == []
    again = exchange.read(text)
    kept = {(one.effect, one.key, one.captured_from, one.captured_to, one.embargo) for one in again.terms}
    assert {(one.effect, one.key, one.captured_from, one.captured_to, one.embargo) for one in terms} <= kept
    assert text.splitlines() == sorted(text.splitlines(), reverse=True)


def test_a_folder_is_written_so_that_pywb_keeps_all_of_it() -> None:
    found = exchange.read(
        '[{"effect": "hide", "pattern": "example.org/secret/", "captured_to": "2020-02"}]'
    ).terms
    text, _ = aclj.written([Rule(1, found[0])])
    keys = [line.partition(" - ")[0] for line in text.splitlines()]
    assert keys == ["org,example)/secret?", "org,example)/secret/", "org,example)/secret###"]
    assert text.count('"before": "20200301000000"') == 3


def test_what_pywb_cannot_say_is_left_out_by_name() -> None:
    text = (
        '[{"effect": "allow", "pattern": "*", "accredited": true}, {"effect": "hide", "pattern": "a.org:81"}]'
    )
    rules = [Rule(number, one) for number, one in enumerate(exchange.read(text).terms)]
    assert aclj.written(rules) == ("", rules)
    assert rules[1].terms.match is AddressMatch.HOST

"""Which addresses may be visited."""

import pytest

from armarium.harvest.fetch.addresses import AddressRules


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.255.255.254",
        "0.0.0.0",
        "0.1.2.3",
        "10.1.2.3",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "192.0.0.192",
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "fe80::1",
        "fe80::1%eth0",
        "fd00:ec2::254",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::127.0.0.1",
        "64:ff9b::127.0.0.1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::1",
        "2002:7f00:1::",
        "2002:a00:1::1",
        "2001:0:7f00:1::",
        "localhost",
        "",
        "0x7f000001",
    ],
)
def test_what_is_not_on_the_public_internet_is_denied(address: str) -> None:
    assert not AddressRules().permitted(address)


@pytest.mark.parametrize(
    "address",
    [
        "93.184.216.34",
        "172.32.0.1",
        "100.128.0.1",
        "2606:2800:220:1::1",
        "64:ff9b::8.8.8.8",
        "2002:808:808::1",
    ],
)
def test_the_public_internet_is_permitted(address: str) -> None:
    assert AddressRules().permitted(address)


@pytest.mark.parametrize(
    ("seed", "opened", "closed"),
    [
        ("127.0.0.1", "127.9.9.9", "10.0.0.1"),
        ("10.1.2.3", "10.200.0.1", "192.168.0.1"),
        ("192.168.1.1", "192.168.255.1", "172.16.0.1"),
        ("::1", "::1", "fe80::1"),
        ("fd00::1", "fd12::9", "::1"),
        ("169.254.1.1", "169.254.169.254", "127.0.0.1"),
    ],
)
def test_the_range_of_a_seed_is_opened_and_no_other(seed: str, opened: str, closed: str) -> None:
    rules = AddressRules()
    assert not rules.permitted(opened)

    rules.open_range_of(seed)

    assert rules.permitted(seed)
    assert rules.permitted(opened)
    assert not rules.permitted(closed)


def test_a_public_seed_opens_nothing() -> None:
    rules = AddressRules()

    rules.open_range_of("93.184.216.34")
    rules.open_range_of("no address")

    assert not rules.permitted("127.0.0.1")


def test_what_the_order_denies_stays_denied_whatever_is_opened() -> None:
    rules = AddressRules(allowed=["10.0.0.0/8"], denied=["10.6.0.0/16", "93.184.216.34"])
    rules.open_range_of("10.6.0.1")

    assert rules.permitted("10.0.0.1")
    assert not rules.permitted("10.6.0.1")
    assert not rules.permitted("93.184.216.34")
    assert not rules.permitted("::ffff:10.6.0.1")


def test_an_opened_range_is_open_in_ipv6_clothes_too() -> None:
    rules = AddressRules(allowed=["127.0.0.0/8"])

    assert rules.permitted("::ffff:127.0.0.1")
    assert not rules.permitted("::ffff:10.0.0.1")


def test_a_network_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="not appear to be"):
        AddressRules(allowed=["everything"])

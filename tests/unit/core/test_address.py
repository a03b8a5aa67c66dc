import pytest

from armarium.core.text import is_address


@pytest.mark.parametrize("address", ["anna@library.example", "ops+web@a-b.example", "root@localhost"])
def test_addresses_that_are_accepted(address: str) -> None:
    assert is_address(address)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "anna",
        "anna@",
        "@library.example",
        "a b@c",
        "anna@x\nBcc: b@c",
        "<a@b>",
        "a@b,c@d",
        '"a"@b',
        "a@" + "b" * 300,
    ],
)
def test_addresses_that_are_refused(address: str) -> None:
    assert not is_address(address)

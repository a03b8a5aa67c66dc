"""Whose connection it is, and how many files a process may open."""

import resource
import subprocess
import sys

import pytest

from armarium.server.connections import _origin

RAISE = """
import resource
from armarium.server.connections import file_limit, raise_file_limit
raise_file_limit()
print(file_limit())
"""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2001:db8::1", "2001:db8::ffff:2"),
        ("fe80::1%eth0", "fe80::2%eth0"),
        ("192.0.2.1", "::ffff:192.0.2.1"),
    ],
)
def test_addresses_of_one_customer_count_as_one(one: str, other: str) -> None:
    assert _origin(one) == _origin(other)


def test_addresses_of_others_do_not() -> None:
    assert (
        len({_origin(address) for address in ("192.0.2.1", "::ffff:192.0.2.2", "2001:db8:0:1::1", "")}) == 4
    )


def test_the_limit_of_files_is_raised_to_what_the_system_grants() -> None:
    def usual() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (512, 2048))

    done = subprocess.run(
        [sys.executable, "-c", RAISE], preexec_fn=usual, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "2048"

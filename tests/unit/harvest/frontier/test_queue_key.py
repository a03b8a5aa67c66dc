import pytest

from armarium.core.crawl_order import QueueBy
from armarium.harvest.frontier.queue_names import host_of, port_of, queue_key, shard_of


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://www.example.org/a?b@c:d", "www.example.org"),
        ("http://example.org:8080/", "example.org"),
        ("http://user:secret@example.org/", "example.org"),
        ("http://[2001:db8::1]:81/", "[2001:db8::1]"),
        ("dns:www.example.org", "www.example.org"),
        ("no address", ""),
    ],
)
def test_a_host_is_what_the_address_names(url: str, host: str) -> None:
    assert host_of(url) == host


@pytest.mark.parametrize(
    ("url", "port"),
    [
        ("https://www.example.org/a:81", "https"),
        ("http://user:82@example.org:8080/", "8080"),
        ("http://[2001:db8::1]:81/", "81"),
        ("http://[2001:db8::1]/", "http"),
    ],
)
def test_a_port_is_named_or_that_of_the_scheme(url: str, port: str) -> None:
    assert port_of(url) == port


def test_a_queue_by_domain_obeys_the_registries_of_the_order() -> None:
    assert queue_key("www.club.asso.fr", QueueBy.DOMAIN, ("asso.fr",)) == "club.asso.fr"


def test_a_host_without_a_registered_domain_has_its_own_queue() -> None:
    assert queue_key("192.0.2.1", QueueBy.DOMAIN) == "192.0.2.1"


def test_before_the_server_is_known_a_queue_by_address_is_by_host() -> None:
    assert queue_key("www.example.org", QueueBy.ADDRESS) == "www.example.org"


def test_every_queue_belongs_to_one_process_for_ever() -> None:
    assert [shard_of(f"host-{number}.example", 4) for number in range(8)] == [0, 1, 3, 3, 2, 0, 1, 3]

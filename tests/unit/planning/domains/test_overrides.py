"""What a configuration changes of its profile."""

import pytest

from armarium.core.crawl_order import RobotsPolicy
from armarium.core.errors import Refused
from armarium.planning.domains.rules import Attributes, read_overrides, taken_apart, written


def test_attributes_and_free_overrides_are_one_document_and_come_apart_again() -> None:
    attributes = Attributes(max_hops=20, robots=RobotsPolicy.IGNORE, javascript=False)
    kept = read_overrides("[scope]\nmax_embed_hops = 3", attributes)
    assert kept["scope"] == {"max_embed_hops": 3, "max_hops": 20}  # even what is the default is kept
    assert taken_apart(kept) == (attributes, {"scope": {"max_embed_hops": 3}})
    assert read_overrides(written(kept)) == kept


@pytest.mark.parametrize(
    "text",
    [
        "[scope]\nmax_hopps = 3",
        "seeds = ['http://a/']",
        "[fetching]\ncredentials = []",
        "[fetching]\nproxy = 'http://a:b@c:1'",
        "[fetching]\nproxy = ''",
        "[fetching]\nproxy_resolves = true",
        "[fetching]\ndns_servers = ['192.0.2.1']",
        "[fetching]\nbind_address = '192.0.2.1'",
        "[fetching]\nallowed_ranges = ['10.0.0.0/8']",
        "[fetching]\ndenied_ranges = []",
        "[fetching]\nseeds_open_ranges = true",
        "[fetching]\ntls_authorities = '/etc/shadow'",
        "[fetching]\ncookie_file = '/dev/zero'",
        "[recording]\ndigest_index = ['/dev/zero']",
        "[recording]\ntemplate = '{prefix}-{time}-{serial}'",
        "[limits]\nmin_free_disk = 0",
        "= nonsense",
        '{"robots": ',
        '{"identity": {"mail": "\\u0000"}}',
    ],
)
def test_overrides_that_give_no_order_are_refused(text: str) -> None:
    with pytest.raises(Refused) as refusal:
        read_overrides(text)
    assert refusal.value.field == "overrides"

"""A collector knows the refusals of its server from what a proxy, or an hour of trouble, says."""

import httpx
import pytest

from armarium.collector.job_folder import LeaseLost
from armarium.collector.server import REFUSALS, Denied, TooLarge, _objection
from armarium.core.errors import Misconfigured, Unavailable
from armarium.planning.collectors.model import Code

PASSING = {Code.PROOF, Code.NO_ROOM}  # the clock is put right, the disk is cleared


def test_every_code_of_the_server_is_known() -> None:
    assert {code.value for code in set(Code) - PASSING - {Code.LEASE_LOST, Code.REVOKED}} == REFUSALS


@pytest.mark.parametrize(
    ("status", "content", "kind"),
    [
        (409, b'{"code": "lease-lost"}', LeaseLost),
        (403, b'{"code": "revoked"}', Misconfigured),
        (422, b'{"code": "values"}', Denied),
        (409, b'{"code": "other-content"}', Denied),
        (413, b'{"code": "too-large"}', Denied),
        (401, b'{"code": "proof"}', Unavailable),
        (507, b'{"code": "no-room"}', Unavailable),
        (403, b"<h1>Forbidden</h1>", Unavailable),
        (404, b'{"detail": "Not Found"}', Unavailable),
        (413, b"<h1>Request Entity Too Large</h1>", TooLarge),
        (400, b'{"code": "of-another-program"}', Unavailable),
        (503, b"", Unavailable),
    ],
)
def test_only_the_server_itself_refuses_for_good(status: int, content: bytes, kind: type[Exception]) -> None:
    assert type(_objection(httpx.Response(status, content=content))) is kind

"""A port that is taken: what to do about it is said as the one who reads it can do it."""

import socket

import pytest

from armarium.core.errors import Misconfigured
from armarium.server.listening import listen


@pytest.mark.parametrize(
    ("setting", "advice"), [("--port", "another port: --port "), ("web.port", "ARMARIUM_WEB_PORT=")]
)
def test_a_taken_port_is_told_with_the_way_to_choose_another(setting: str, advice: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(Misconfigured) as refusal:
        listen("127.0.0.1", taken.getsockname()[1], setting=setting)
    assert advice in str(refusal.value)
    assert "ARMARIUM_--" not in str(refusal.value)

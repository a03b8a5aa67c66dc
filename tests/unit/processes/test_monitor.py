"""The monitoring endpoint, asked over real HTTP."""

import json
import socket
import urllib.error
import urllib.request
from collections.abc import Callable

import pytest

from armarium.core.errors import Misconfigured, Unavailable
from armarium.processes.monitor import Monitor, registry_for
from armarium.processes.settings import MonitoringSettings

REGISTRY = registry_for(kind="worker", name="worker-1", version="0.1.0")


def monitor(host: str = "127.0.0.1", port: int = 0, **checks: Callable[[], object]) -> Monitor:
    return Monitor(MonitoringSettings(host=host, port=port), checks=checks, registry=REGISTRY)


def ask(address: str, method: str = "GET") -> tuple[int, str]:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, method=method), timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def away() -> None:
    raise Unavailable("The database cannot be reached.")


def test_a_process_that_lives_answers_on_a_free_port() -> None:
    with monitor() as one, monitor() as other:
        assert ask(f"{one.address}/healthz") == (200, "alive\n")
        assert one.address != other.address
        assert one.address.startswith("http://127.0.0.1:")


def test_a_process_whose_checks_pass_is_ready() -> None:
    with monitor(database=lambda: None) as m:
        status, body = ask(f"{m.address}/readyz")

    assert (status, json.loads(body)) == (200, {"ready": True, "checks": {"database": "ok"}})


def test_a_process_that_lacks_something_says_what() -> None:
    with monitor(database=away, schema=lambda: None) as m:
        status, body = ask(f"{m.address}/readyz")

    assert status == 503
    assert json.loads(body) == {
        "ready": False,
        "checks": {"database": "The database cannot be reached.", "schema": "ok"},
    }


def test_figures_name_the_process_its_version_memory_and_start() -> None:
    with monitor() as m:
        status, body = ask(f"{m.address}/metrics")

    assert status == 200
    assert 'armarium_process_info{kind="worker",name="worker-1",version="0.1.0"} 1.0' in body
    assert "process_resident_memory_bytes " in body
    assert "process_start_time_seconds " in body


def test_another_path_is_not_found_and_another_method_not_known() -> None:
    with monitor() as m:
        assert ask(f"{m.address}/etc/passwd")[0] == 404
        assert ask(f"{m.address}/healthz", "POST")[0] == 501
        assert ask(f"{m.address}/healthz", "HEAD") == (200, "")


def test_a_check_that_breaks_does_not_end_the_endpoint() -> None:
    with monitor(broken=lambda: 1 / 0) as m:
        with pytest.raises(OSError, match="closed connection"):
            ask(f"{m.address}/readyz")

        assert ask(f"{m.address}/healthz")[0] == 200


def test_a_client_that_says_nothing_keeps_nobody_waiting() -> None:
    with monitor() as m, socket.create_connection(("127.0.0.1", int(m.address.rpartition(":")[2]))):
        assert ask(f"{m.address}/healthz")[0] == 200


def test_a_port_that_is_taken_is_named_with_the_setting_to_change() -> None:
    with monitor() as m, pytest.raises(Misconfigured, match=r"Address already in use.*monitoring\.port"):
        monitor(port=int(m.address.rpartition(":")[2]))

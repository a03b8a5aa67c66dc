"""A collector's side of the wire, and what a thief could do with what passes there."""

import json
from collections.abc import Mapping
from typing import Any

import httpx

from armarium.core import clock
from armarium.core.actor import SYSTEM
from armarium.formats.token import CollectorKeys, prove
from armarium.server.assembly import House
from tests.site import PATIENCE, RunningSite, trusted

BASE = "/api/collector"
LEASE: Mapping[str, Any] = {"machine": {"slots": 2}, "free_slots": 1}


class Wire:
    """Signs requests as a collector does; `sent` keeps the last one as it went over the wire."""

    def __init__(self, site: RunningSite, name: str = "c1", keys: CollectorKeys | None = None) -> None:
        self.client = httpx.Client(base_url=site.address, timeout=PATIENCE, verify=trusted())
        self.name = name
        self.keys = keys or CollectorKeys.generate()
        self.sent: httpx.Request | None = None

    def enrol(self, code: str, **more: Any) -> httpx.Response:
        given = {
            "code": code,
            "name": self.name,
            "signing_key": self.keys.public_signing,
            "sealing_key": self.keys.public_sealing,
            **more,
        }
        return self.client.post(f"{BASE}/enrol", json=given)

    def send(self, method: str, target: str, body: Any = b"", **facts: Any) -> httpx.Response:
        """`facts` replace what the proof says: name, now, proved_method, proved_target, proved_body."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        shown = prove(
            facts.get("keys", self.keys),
            facts.get("name", self.name),
            facts.get("proved_method", method),
            facts.get("proved_target", target),
            facts.get("proved_body", content),
            facts.get("now", clock.now()),
        )
        headers = {"Authorization": facts.get("shown", shown)}
        self.sent = self.client.build_request(method, target, content=content, headers=headers)
        return self.client.send(self.sent)

    def replay(self) -> httpx.Response:
        """Exactly the same bytes once more."""
        assert self.sent is not None
        return self.client.send(self.sent)

    def lease(self, **facts: Any) -> httpx.Response:
        return self.send("POST", f"{BASE}/lease", dict(LEASE), **facts)


def code_of(house: House) -> str:
    return house.collectors.new_code(SYSTEM).code


def enrolled(site: RunningSite, name: str = "c1") -> Wire:
    wire = Wire(site, name)
    answer = wire.enrol(code_of(site.house))
    assert answer.status_code == 200, answer.text
    return wire

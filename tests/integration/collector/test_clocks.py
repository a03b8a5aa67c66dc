"""The header Date puts a collector's clock right, but not by as much as whoever sent it likes."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from email.utils import format_datetime

import pytest

from armarium.collector.identity import Identity
from armarium.collector.server import Link, Server
from armarium.core import clock
from armarium.core.collecting import Enrolment, LeaseAnswer, LeaseRequest, Machine, TaskOrder
from armarium.core.crawl_order import CrawlOrder
from armarium.core.errors import Unavailable
from armarium.formats.token import CollectorKeys
from tests.integration.collector import office as office_module
from tests.integration.collector.office import CODE, KEY, Office, open_office

KEYS = CollectorKeys.generate()


@pytest.fixture
def office() -> Iterator[Office]:
    with open_office() as office:
        office.enrolled = Enrolment(
            code=CODE, name="alpha", signing_key=KEYS.public_signing, sealing_key=KEYS.public_sealing
        )
        seeds = [{"url": "http://a.example/"}]
        office.order(7, CrawlOrder.model_validate({"name": "job-7", "seeds": seeds}))
        yield office


def leased(office: Office) -> TaskOrder | None:
    async def ask() -> tuple[LeaseAnswer, TaskOrder | None, object]:
        server = Server(Link(office.address), Identity("alpha", KEYS, KEY.public))
        try:
            return await server.lease(LeaseRequest(machine=Machine(slots=1), free_slots=1))
        finally:
            await server.close()

    return asyncio.run(ask())[1]


def says(monkeypatch: pytest.MonkeyPatch, ahead: timedelta) -> None:
    """The office's answers bear this date."""

    def dated(_handler: object, _timestamp: float | None = None) -> str:
        return format_datetime(clock.now() + ahead, usegmt=True)

    monkeypatch.setattr(office_module._Handler, "date_time_string", dated)


@pytest.mark.parametrize("minutes", [-60 * 24 * 365, -6, 6, 60 * 24])
def test_a_date_far_from_ours_makes_no_token_valid(
    minutes: int, office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    says(monkeypatch, timedelta(minutes=minutes))
    with pytest.raises(Unavailable, match=f"differ by {abs(minutes)} minutes. Put the wrong one right"):
        leased(office)


def test_a_date_that_is_a_little_wrong_does_no_harm(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    says(monkeypatch, timedelta(seconds=-90))
    task = leased(office)
    assert task is not None
    assert task.job == 7

"""What rules ask of an answer, however the capture is come by."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from armarium.access.model import OPEN, Collection, Decision, Effect, Reader
from armarium.formats.cdx import CdxLine
from tests.integration.access.replay.asking import Asker
from tests.integration.access.world import Page, World, world_of

URL = "http://example.com/report.pdf"
CLOSED = Decision(Effect.ALLOWED, rule=1, one_reader=True, no_downloads=True)
ALONE = Decision(Effect.ALLOWED, rule=1, one_reader=True)


class Rules:
    def __init__(self, decide: Callable[[CdxLine], Decision]) -> None:
        self._decide = decide

    def decide(self, reader: Reader, collection: Collection, line: CdxLine) -> Decision:
        return self._decide(line)


class TakenByAnother:
    def take(self, key: str, reader: Reader) -> bool:
        return False

    def release(self, reader: Reader, key: str | None = None) -> None:
        """It is not this reader's."""


def ruled(folder: Path, decide: Callable[[CdxLine], Decision], *pages: Page) -> Asker:
    world = world_of(folder, pages, policy=Rules(decide))
    return Asker(World(replace(world.site, locks=TakenByAnother())))


@pytest.mark.parametrize("effect", [Effect.HIDDEN, Effect.RESTRICTED])
@pytest.mark.parametrize("captured", [True, False])
def test_no_similar_address_stands_for_one_that_was_taken_down(
    tmp_path: Path, effect: Effect, captured: bool
) -> None:
    copy = Page(f"{URL}?v=2", b"%PDF", type="application/pdf")
    pages = (Page(URL, b"%PDF", type="application/pdf"), copy) if captured else (copy,)
    denied = Decision(effect, rule=1)

    def decide(line: CdxLine) -> Decision:
        return denied if line.url == URL else OPEN

    ask = ruled(tmp_path, decide, *pages)
    for mod in ("mp_", "id_", "oe_"):
        assert ask(URL, mod=mod).status in (404, 451)
    assert ask(f"{URL}?v=2").status == 200
    assert ask(f"{URL}?v=3").status == 200


def test_a_revisit_has_the_conditions_of_what_it_refers_to(tmp_path: Path) -> None:
    elsewhere = "http://free.example/copy.pdf"
    ask = ruled(
        tmp_path,
        lambda line: CLOSED if line.url == URL else OPEN,
        Page(URL, b"%PDF", type="application/pdf"),
        Page(
            elsewhere,
            timestamp="20210101000000",
            type="application/pdf",
            revisit_of=(URL, "20200101000000"),
            digest_of=b"%PDF",
        ),
    )
    assert ask(elsewhere, "20210101000000", "id_").status == 403
    assert ask(elsewhere, "20210101000000").status == 423


@pytest.mark.parametrize(
    ("kind", "headers", "status"),
    [
        ("application/epub+zip", {"sec_fetch_dest": "image", "referer": "http://x/"}, 423),
        ("application/msword", {}, 423),
        ("image/png", {}, 423),
        ("image/png", {"sec_fetch_dest": "image"}, 200),
        ("image/png", {"referer": "http://127.0.0.1:8090/all/20200101000000mp_/http://example.com/"}, 200),
        ("text/css", {"sec_fetch_dest": "style"}, 200),
        ("application/javascript", {}, 200),
    ],
)
def test_only_a_part_of_a_page_does_without_the_lock(
    tmp_path: Path, kind: str, headers: dict[str, Any], status: int
) -> None:
    ask = ruled(tmp_path, lambda line: ALONE, Page(URL, b"x", type=kind))
    assert ask(URL, mod="im_", **headers).status == status


@pytest.mark.parametrize(
    ("headers", "led"),
    [({}, True), ({"sec_fetch_mode": "navigate"}, False), ({"upgrade_insecure_requests": "1"}, False)],
)
def test_the_raw_answer_of_a_redirect_leads_no_browser_out(
    tmp_path: Path, headers: dict[str, Any], led: bool
) -> None:
    moved = Page(URL, status="302 Found", headers=(("Location", "http://live.example/"),))
    answer = Asker(world_of(tmp_path, [moved]))(URL, mod="id_", **headers)
    assert (answer.status, "location" in answer.headers) == (302, led)

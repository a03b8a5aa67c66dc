"""Somebody who follows the tutorial: presses what it says, sees what it says, and remembers the words."""

import re
from dataclasses import dataclass, field

from playwright.sync_api import Locator, Page, expect

from tests.acceptance.tutorial.album import Album
from tests.acceptance.tutorial.house import House

PATIENCE = 180_000  # ms


@dataclass
class Walker:
    page: Page
    house: House
    album: Album
    met: set[str] = field(default_factory=set)  # what was pressed or seen, as the tutorial names it

    def press(self, name: str) -> None:
        self._act("button", name)

    def follow(self, name: str) -> None:
        self._act("link", name)

    def see(self, words: str) -> None:
        self.met.add(words)
        expect(self.page.get_by_text(words, exact=True).first).to_be_visible(timeout=PATIENCE)

    def fill(self, label: str, text: str) -> None:
        self.met.add(label)
        self.page.get_by_label(label, exact=True).last.fill(text)

    def tick(self, label: str) -> None:
        self.met.add(label)
        self.page.get_by_label(label, exact=True).check()

    def choose(self, label: str, option: str) -> None:
        self.met |= {label, option}
        self.page.get_by_label(label, exact=True).select_option(option)

    def heading(self, words: str | re.Pattern[str]) -> None:
        expect(self.page.get_by_role("heading", level=1)).to_have_text(words, timeout=PATIENCE)

    def sign_in(self, name: str) -> None:
        self.page.goto(f"{self.house.staff}/sign-in")
        self.fill("Account name", name)
        self.fill("Password", self.house.password)
        self.press("Sign in")
        self.heading(re.compile("Welcome, "))

    def sign_out(self) -> None:
        self.page.locator(".menu-me > summary").click()
        self.press("Sign out")
        self.heading("Sign in")

    def picture(self, name: str) -> None:
        sign = self.page.locator("[data-live-sign]")
        if self.page.locator("[data-live][data-src]").count():
            expect(sign).to_have_attribute("data-state", "live", timeout=PATIENCE)
        self.album.take(self.page, name)

    def _act(self, role: str, name: str) -> None:
        self.met.add(name)
        self._named(role, name).click(timeout=PATIENCE)
        self.page.wait_for_load_state("load")

    def _named(self, role: str, name: str) -> Locator:
        called = re.compile(rf"^{re.escape(name)}(?: Something waits)?$")  # a place of the menu may say so
        return self.page.get_by_role(role, name=called).first  # type: ignore[arg-type]

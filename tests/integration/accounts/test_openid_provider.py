"""Signing in by a provider that others wrote: Canaille, as a process of its own."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from urllib.parse import urljoin

import httpx
import pytest

from armarium.accounts.model import Role, Source
from armarium.db.database import Database
from tests import forked
from tests.site import running_site

PEERS = Path(sys.prefix) / "peers"
PROGRAM = Path(__file__).parents[2] / "sites" / "canaille_provider.py"
STEPS = 12  # pages of the provider between the button and the way back, at most


@dataclass(frozen=True)
class Canaille:
    issuer: str
    process: "subprocess.Popen[str]"

    def send_back_to(self, address: str) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(address + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline().strip() == "ready"


@contextmanager
def running_canaille(log: Path) -> Iterator[Canaille]:
    if not (PEERS / "canaille").is_dir():
        pytest.skip("Canaille is not installed; ./test installs it")
    environ = {**os.environ, "PYTHONPATH": str(PEERS)}
    with (
        log.open("w") as errors,
        forked.Popen(
            [sys.executable, str(PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=environ,
        ) as process,
    ):
        try:
            assert process.stdout is not None
            port = process.stdout.readline().strip()
            assert port, log.read_text()
            yield Canaille(f"http://localhost:{port}", process)
        finally:
            process.kill()


def through_the_provider(departure: str, home: str, answers: dict[str, str]) -> str:
    """Fill in the provider's pages as a person would, until it sends the browser home."""
    seen = []
    with httpx.Client(trust_env=False, timeout=60) as browser:
        answer = browser.get(departure)
        for _ in range(STEPS):
            if answer.is_redirect:
                target = urljoin(str(answer.url), answer.headers["location"])
                seen.append(target)
                if target.startswith(home):
                    return target
                answer = browser.get(target)
            else:
                action, values = filled_form(answer.text, answers)
                answer = browser.post(urljoin(str(answer.url), action), data=values)
    raise AssertionError(f"the provider did not send the browser back: {seen} {answer.text[-3000:]}")


def filled_form(page: str, answers: dict[str, str]) -> tuple[str, dict[str, str]]:
    """The form of a page with what it holds already, and what the person types."""
    form = next(f for f in re.findall(r"<form.*?</form>", page, re.DOTALL) if 'method="post"' in f.lower())
    action = re.search(r'<form[^>]*action="([^"]*)"', form)
    values = {}
    for tag in re.findall(r"<(?:input|button)[^>]*>", form):
        facts = {name: unescape(value) for name, value in re.findall(r'([a-z-]+)="([^"]*)"', tag)}
        name = facts.get("name", "")
        if name:
            values[name] = answers.get(name, facts.get("value", ""))
    return unescape(action[1]) if action else "", values


def test_somebody_signs_in_by_a_real_provider(database: Database, tmp_path: Path) -> None:
    with running_canaille(tmp_path / "canaille.log") as canaille:
        environ = {
            "ARMARIUM_OPENID_ISSUER": canaille.issuer,
            "ARMARIUM_OPENID_CLIENT_ID": "armarium",
            "ARMARIUM_OPENID_CLIENT_SECRET": "SecretOfArmariumAtCanaille",
            "ARMARIUM_OPENID_SCOPES": "openid, profile, email, groups",
            "ARMARIUM_OPENID_NAME_CLAIM": "sub",  # Canaille tells no preferred_username
            "ARMARIUM_OPENID_ROLES": "curators = curator",
        }
        with running_site(database, tmp_path / "home", **environ) as site:
            canaille.send_back_to(f"{site.address}/sign-in/openid/answer")
            visitor = site.client()
            departure = visitor.get("/sign-in/openid", params={"next": "/account"})
            typed = {"login": "anna", "password": "a secret at canaille", "answer": "accept"}
            back = through_the_provider(departure.headers["location"], site.address, typed)
            answer = visitor.get(back)
            assert (answer.status_code, answer.headers.get("location")) == (303, "/account"), answer.text
            assert visitor.get("/account").status_code == 200
            account = site.house.accounts.named("anna")
            assert (account.source, account.roles) == (Source.OPENID, frozenset({Role.CURATOR}))
            assert (account.display_name, account.mail) == ("Anna Maier", "anna@example.org")
            assert visitor.get(back).status_code == 403  # the same answer a second time

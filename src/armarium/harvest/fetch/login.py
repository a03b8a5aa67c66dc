"""Forms of sites that want a login: sent once, before anything else of their domain."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from urllib.parse import urlencode

from armarium.core.crawl_order import Credential
from armarium.formats.url import InvalidUrl, resolve
from armarium.harvest.fetch.exchange import Exchange

Ask = Callable[[str, str, Sequence[tuple[str, str]], bytes], Awaitable[Exchange]]
ATTEMPTS = 3  # of a form whose server does not answer; then the crawl goes on without
MOST_REDIRECTS = 5  # after the form: some sites set their cookies on the way
FORM = (("Content-Type", "application/x-www-form-urlencoded"),)


class Logins:
    """Those who fetch from a domain wait until its form has been sent."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._sending: dict[str, asyncio.Task[bool]] = {}
        self._attempts: dict[str, int] = {}

    async def wait_for(self, form: Credential) -> None:
        """Return when the form has been sent; at once for what belongs to the login itself."""
        if asyncio.current_task() in self._sending.values():
            return  # the login itself, or where it redirects to
        task = self._sending.get(form.login_url)
        if task is None or (task.done() and self._may_try_again(form, task)):
            self._attempts[form.login_url] = self._attempts.get(form.login_url, 0) + 1
            task = self._sending[form.login_url] = asyncio.ensure_future(self._send(form))
        await asyncio.shield(task)

    def close(self) -> None:
        for task in self._sending.values():
            task.cancel()

    def _may_try_again(self, form: Credential, task: "asyncio.Task[bool]") -> bool:
        return not task.cancelled() and not task.result() and self._attempts[form.login_url] < ATTEMPTS

    async def _send(self, form: Credential) -> bool:
        """Whether the server answered, with whatever."""
        fields = {name: value.get_secret_value() for name, value in form.fields.items()}
        exchange = await self._ask(form.login_url, "POST", FORM, urlencode(fields).encode())
        url = form.login_url
        for _ in range(MOST_REDIRECTS):
            exchange.response.close()
            location = exchange.head.location if exchange.head is not None else None
            if location is None or not 300 <= exchange.status < 400:
                break
            try:
                url = resolve(url, location)
            except InvalidUrl:
                break
            exchange = await self._ask(url, "GET", (), b"")
        exchange.response.close()
        return exchange.status > 0

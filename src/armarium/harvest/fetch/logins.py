"""Log-ins by forms: sent once, before anything else of their domain.

Only crawls that have such credentials import this: it reads pages.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from urllib.parse import urlencode, urlsplit

import structlog

from armarium.core.crawl_order import Credential
from armarium.formats.text import charset_of_content_type
from armarium.formats.url import InvalidUrl, resolve
from armarium.harvest.fetch.credentials import belongs
from armarium.harvest.fetch.exchange import Exchange
from armarium.harvest.fetch.login_form import LoginForm, login_form

log = structlog.get_logger(__name__)

Ask = Callable[[str, str, Sequence[tuple[str, str]], bytes], Awaitable[Exchange]]
ATTEMPTS = 3  # of a form whose server does not answer; then the crawl goes on without
LONGEST_PAGE = 2_000_000  # bytes of a page in which a form is looked for
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
        """Whether the server answered, with whatever.

        Most forms hold a token that counts only together with the cookie of their page, so the page is read
        first. Where it has no form, the address is that to which one is sent.
        """
        given = {name: value.get_secret_value() for name, value in form.fields.items()}
        page, url = await self._followed(form.login_url, "GET")
        found = _form_of(page, url, given)
        page.response.close()
        if page.status <= 0:
            return False
        if found is None:
            answer, at = await self._followed(form.login_url, "POST", FORM, urlencode(given).encode())
        elif leads_astray(form, url, found.action):
            log.warning("login form leads away from its site; not sent", page=url, to=found.action)
            return True
        else:
            answer, at = await self._followed(found.action, "POST", _as_sent_from(url), found.filled(given))
        if (again := _form_of(answer, at, given)) and again.has_password:
            log.warning("login was not accepted", page=form.login_url)
        answer.response.close()
        return answer.status > 0

    async def _followed(
        self, url: str, method: str, headers: Sequence[tuple[str, str]] = (), body: bytes = b""
    ) -> tuple[Exchange, str]:
        """The answer in the end, and its address; what was sent is not sent again elsewhere."""
        exchange = await self._ask(url, method, headers, body)
        for _ in range(MOST_REDIRECTS):
            location = exchange.head.location if exchange.head is not None else None
            if location is None or not 300 <= exchange.status < 400:
                break
            exchange.response.close()
            try:
                url = resolve(url, location)
            except InvalidUrl:
                break
            exchange = await self._ask(url, "GET", (), b"")
        return exchange, url


def leads_astray(form: Credential, page: str, action: str) -> bool:
    """Whether the form stands on a page of another site or is sent to one, or in clear though it was led to,
    or found, behind TLS. Redirects and pages are the server's: what was entered is for its domain alone."""
    begun, read, sent = (urlsplit(address) for address in (form.login_url, page, action))
    if not all(belongs(each.hostname or "", form.domain) for each in (read, sent)):
        return True
    return sent.scheme != "https" and (sent.scheme != "http" or "https" in (begun.scheme, read.scheme))


def _form_of(answer: Exchange, url: str, given: Mapping[str, str]) -> LoginForm | None:
    if answer.status != 200 or answer.head is None:
        return None
    charset = charset_of_content_type(answer.head.content_type or "")
    return login_form(answer.content(LONGEST_PAGE), charset, url, given)


def _as_sent_from(url: str) -> Sequence[tuple[str, str]]:
    """Servers that check tokens ask where a form was, too."""
    parts = urlsplit(url)
    origin = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    return (*FORM, ("Origin", origin), ("Referer", f"{origin}{parts.path or '/'}"))

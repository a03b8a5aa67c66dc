"""Pages of ours that the proxy answers with. They hold all they need, and run nothing."""

from functools import cache
from http import HTTPStatus
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from armarium.access.door.problems import TITLES
from armarium.access.proxy.conversation import Answer
from armarium.core.message import Message, message
from armarium.languages import speech

HOME = "http://armarium.invalid/"
SIGN_IN = f"{HOME}sign-in"
REALM = 'Basic realm="Web archive: collection or collection@date", charset="UTF-8"'

# A page of ours may stand in the place of an archived one, with that site's origin.
HEADERS = (
    ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; "
     "base-uri 'none'; form-action 'self'"),
    ("X-Frame-Options", "DENY"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "same-origin"),
    ("Cache-Control", "no-store"),
)  # fmt: skip

MORE_TITLES = {
    405: message("Not possible here"),
    407: message("Who are you?"),
    413: message("Too large"),
    431: message("Too large"),
    501: message("Not possible here"),
}


def page(status: int, template: str, **values: Any) -> Answer:
    text = _environment().get_template(template).render(language=speech.language().code, **values)
    return Answer(status, [("Content-Type", "text/html; charset=utf-8"), *HEADERS], text.encode())


def problem(
    status: int, text: Message, *, library: str, title: Message | None = None, **values: Any
) -> Answer:
    """`url`: what was asked for; `choice`, `collection`, `date`, `sign_in`: what can be chosen instead."""
    known = {"url": "", "choice": None, "collection": "", "date": "", "sign_in": "", "home": HOME}
    title = title or TITLES.get(status) or MORE_TITLES.get(status) or Message(_phrase(status))
    return page(status, "problem.html", title=title, text=text, library=library, **{**known, **values})


def who_are_you(library: str, text: Message | None = None) -> Answer:
    """407: a browser asks its user, and sends what it is told with every request from then on."""
    said = text or message(
        "Enter a collection, or a collection and a date such as all@2020, as user name, and as password your "
        "word for the proxy or an API token. Without a password you see what everybody may see."
    )
    answer = problem(407, said, library=library)
    return Answer(answer.status, [*answer.headers, ("Proxy-Authenticate", REALM)], answer.body)


def see(address: str) -> Answer:
    """After a change: back to a page."""
    return Answer(303, [("Location", address), ("Cache-Control", "no-store")])


def text(body: str, status: int = 200) -> Answer:
    return Answer(status, [("Content-Type", "text/plain; charset=utf-8"), *HEADERS], body.encode())


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return str(status)


def _say(value: Any) -> Any:
    return speech.say(value) if isinstance(value, Message) else value


@cache
def _environment() -> Environment:
    environment: Any = Environment(
        loader=PackageLoader("armarium.access.proxy"),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        extensions=["jinja2.ext.i18n"],
        finalize=_say,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.install_gettext_callables(speech.gettext, speech.ngettext, newstyle=True)
    return environment  # type: ignore[no-any-return]

"""Pages of ours that the proxy answers with, those of `http://armarium.invalid/` among them.

They hold all they need, and run nothing.
"""

import json
from collections.abc import Callable
from functools import cache
from http import HTTPStatus
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from armarium.access.model import Collection
from armarium.access.proxy.authority import Authority
from armarium.access.proxy.connection import Answer
from armarium.access.proxy.request import Choice, Choices, Credentials, Visit, choice_of, chosen
from armarium.access.requests.site import TITLES
from armarium.core.errors import NotFound, Refused
from armarium.core.message import Message, message
from armarium.formats.cdx.timestamps import moment
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


# `http://armarium.invalid/`: what this browser sees, another choice, and the authority's certificate.


#: The second one is where pywb's users look for the certificate.
HOSTS = frozenset({"armarium.invalid", "wsgiprox"})
CERTIFICATE = "application/x-x509-ca-cert"  # by which browsers offer to import it


def date_of(choice: Choice) -> str:
    """For people."""
    if not choice.timestamp:
        return speech.gettext("the newest captures")
    found = moment(choice.timestamp)
    if found is None or len(choice.timestamp) < 8:
        digits = choice.timestamp
        return digits if len(digits) <= 4 else f"{digits[:4]}-{digits[4:6]}"
    return speech.moment(found, "long") if len(choice.timestamp) > 8 else f"{found:%Y-%m-%d}"


def name_of(visit: Visit) -> str:
    """The chosen collection, for people."""
    try:
        return _named(visit.site.collection(visit.choice.collection, visit.reader))
    except NotFound as error:
        return speech.say(error.message)


def _named(collection: Collection) -> str:
    return speech.gettext("Everything") if collection.everything else collection.title or collection.name


class OwnPages:
    def __init__(self, authority: Authority, choices: Choices) -> None:
        self._authority = authority
        self._choices = choices
        self._pages: dict[tuple[str, str], Callable[[Visit], Answer]] = {
            ("GET", "/"): self._home,
            ("GET", "/sign-in"): self._sign_in,
            ("GET", "/status"): self._status,
            ("POST", "/choose"): self._choose,
            ("GET", "/download/pem"): lambda _: self.certificate("pem", authority.pem, CERTIFICATE),
            ("GET", "/download/cer"): lambda _: self.certificate("cer", authority.der, CERTIFICATE),
            ("GET", "/download/p12"): lambda _: self.certificate(
                "p12", authority.p12, "application/x-pkcs12"
            ),
        }

    def answer(self, visit: Visit) -> Answer:
        method = "GET" if visit.asked.method == "HEAD" else visit.asked.method
        found = self._pages.get((method, visit.path))
        if found is None:
            raise NotFound(message("There is nothing at this address. It may have been mistyped."))
        return found(visit)

    @staticmethod
    def certificate(ending: str, content: bytes, kind: str) -> Answer:
        named = ("Content-Disposition", f'attachment; filename="armarium-proxy.{ending}"')
        return Answer(200, [("Content-Type", kind), named, *HEADERS], content)

    def _home(self, visit: Visit, problem: Message | None = None, typed: str | None = None) -> Answer:
        site, choice = visit.site, visit.choice
        until = self._authority.certificate.not_valid_after_utc
        return page(
            200 if problem is None else 400,
            "home.html",
            library=site.library,
            choice=choice,
            collection=name_of(visit),
            named=_named,
            date=date_of(choice),
            typed=choice.timestamp if typed is None else typed,
            collections=site.archive.collections(),
            fixed=is_of_a_viewing(visit.asked.credentials),
            name=visit.guest.name,
            known=bool(visit.asked.credentials.word),
            token=visit.token,
            problem=problem,
            fingerprint=self._authority.fingerprint,
            until=f"{until:%Y-%m-%d}",
        )

    def _choose(self, visit: Visit) -> Answer:
        form = visit.form
        credentials = visit.asked.credentials
        try:
            choice = chosen(form.get("collection", ""), form.get("date", ""))
            visit.site.collection(choice.collection, visit.reader)
            _keep_to_viewing(credentials, choice)
        except (Refused, NotFound) as error:
            return self._home(visit, error.message, form.get("date", "")[:100])
        self._choices.make(visit.asked.address, credentials, choice)
        return see("/")

    @staticmethod
    def _sign_in(visit: Visit) -> Answer:
        # Inside a tunnel a browser does not listen to a proxy's question.
        if visit.asked.tunnelled or visit.asked.credentials.word:
            return see("/")
        return who_are_you(visit.site.library)

    @staticmethod
    def _status(visit: Visit) -> Answer:
        told = {
            "collection": visit.choice.collection,
            "timestamp": visit.choice.timestamp,
            "known": bool(visit.asked.credentials.word),
            "name": visit.guest.name,
        }
        return Answer(200, [("Content-Type", "application/json"), *HEADERS], json.dumps(told).encode())


def is_of_a_viewing(credentials: Credentials) -> bool:
    return bool(credentials.word) and credentials.user.startswith("viewing-")


def _keep_to_viewing(credentials: Credentials, choice: Choice) -> None:
    if is_of_a_viewing(credentials) and choice.collection != choice_of(credentials.user).collection:
        raise Refused(message("The password of a viewing works for that viewing only."))

"""What is answered to a request through the proxy. Everything here blocks: it is called in threads."""

from urllib.parse import urlsplit

from armarium.access.proxy import pages
from armarium.access.proxy.archived import RESTRICTED, Archived, Replays, own_fields
from armarium.access.proxy.authority import Authority
from armarium.access.proxy.commands import HOST as VIEWER
from armarium.access.proxy.commands import Commands, Recordings
from armarium.access.proxy.connection import Answer
from armarium.access.proxy.identity import Identities, Words, WrongWord
from armarium.access.proxy.pages import HOSTS, OwnPages, date_of, name_of
from armarium.access.proxy.request import Choices, ProxyRequest, Tunnel, Visit
from armarium.access.replay.model import Reply
from armarium.access.requests.site import Site, problem_of
from armarium.core.errors import ArmariumError, NotFound
from armarium.core.message import Message, message
from armarium.languages import catalogues as languages
from armarium.languages import speech

RESERVED = ".invalid"  # RFC 6761, 6.4: no site has ever had such a name
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
WRONG = message(
    "The password is neither the word of this viewing nor an API token with the scope access.view that is "
    "still good. Words are made anew on the page of the viewing, tokens on the page of your account."
)


class Answering:
    def __init__(
        self,
        site: Site,
        replay: Replays,
        authority: Authority,
        words: Words,
        recordings: Recordings | None,
        *,
        banner: bool,
    ) -> None:
        self._site = site
        self._identities = Identities(site.readers, words)
        self._choices = Choices()
        self._archived = Archived(replay, banner=banner)
        self._own_pages = OwnPages(authority, self._choices)
        self._commands = Commands(recordings)
        self._own_hosts = own_hosts(site)

    def answer(self, asked: ProxyRequest) -> Answer:
        self._speak(asked)
        visit: Visit | None = None
        try:
            visit = self._visit(asked)
            return self._answered(visit)
        except WrongWord:
            return pages.who_are_you(self._site.library, WRONG)
        except ArmariumError as error:
            found = problem_of(error)
            return self._problem(asked, visit, found.status, found.text)

    def refusal(self, tunnel: Tunnel, address: str) -> Answer | None:
        """Why a tunnel is not opened. Inside it a browser can no longer be asked who its user is."""
        if tunnel.host in self._own_hosts:
            return pages.problem(403, without_proxy(tunnel.host), library=self._site.library)
        try:
            self._identities.of(address, tunnel.credentials)
            self._choices.of(address, tunnel.credentials)
        except WrongWord:
            return pages.who_are_you(self._site.library, WRONG)
        except ArmariumError as error:
            return self.refused(error)
        return None

    def refused(self, error: ArmariumError) -> Answer:
        found = problem_of(error)
        return pages.problem(found.status, found.text, library=self._site.library)

    def malformed(self, status: int) -> Answer:
        said = message("The request is malformed, or too large for this proxy.")
        return pages.problem(status, said, library=self._site.library)

    def direct(self) -> Answer:
        """The proxy's own address was opened as if it were a site."""
        return pages.page(200, "direct.html", library=self._site.library, home=pages.HOME)

    def _speak(self, asked: ProxyRequest) -> None:
        wished = asked.headers.get("accept-language", "")
        speech.bind(languages.choose([], wished), self._site.time_zone)

    def _visit(self, asked: ProxyRequest) -> Visit:
        guest = self._identities.of(asked.address, asked.credentials)
        if guest.language:
            speech.bind(guest.language)
        choice = self._choices.of(asked.address, asked.credentials)
        token = self._identities.mark(asked.address, asked.credentials, "form")
        return Visit(self._site, asked, guest, choice, token)

    def _answered(self, visit: Visit) -> Answer:
        host = visit.asked.host
        if host in HOSTS:
            return self._own_pages.answer(visit)
        if host == VIEWER:
            return self._commands.answer(visit)
        if host.endswith(RESERVED):
            raise NotFound(message("There is no such page of the archive's proxy."))
        if host in self._own_hosts:
            raise NotFound(without_proxy(host))
        found = self._archived.answer(visit)
        return found if isinstance(found, Answer) else self._nothing(visit, found)

    def _nothing(self, visit: Visit, reply: Reply) -> Answer:
        """Parts of a page get the line of replay; for people there is a page of the proxy's around it."""
        if visit.asked.is_part or not isinstance(reply.body, bytes):
            return Answer(reply.status, own_fields(reply), reply.body)
        title, _, text = reply.body.decode().strip().partition(". ")
        return self._problem(visit.asked, visit, reply.status, Message(text), Message(title))

    def _problem(
        self,
        asked: ProxyRequest,
        visit: Visit | None,
        status: int,
        text: Message,
        title: Message | None = None,
    ) -> Answer:
        unknown = not asked.credentials.word
        if status == RESTRICTED and unknown and asked.by_navigation and not asked.tunnelled:
            return pages.who_are_you(self._site.library)
        return pages.problem(
            status,
            text,
            library=self._site.library,
            title=title,
            url=asked.url[:500],
            choice=visit.choice if visit is not None else None,
            collection=name_of(visit) if visit is not None else "",
            date=date_of(visit.choice) if visit is not None else "",
            sign_in=pages.SIGN_IN if status == RESTRICTED and unknown else "",
        )


def own_hosts(site: Site) -> frozenset[str]:
    """Hosts of the house itself: the proxy never pretends to be them, and its authority cannot."""
    addresses = (site.settings.reading, site.settings.content, site.staff_url or "")
    return frozenset(filter(None, (urlsplit(address).hostname for address in addresses))) - LOOPBACK


def without_proxy(host: str) -> Message:
    return message(
        "%(host)s is a site of the archive itself, and not reached through its proxy. Name it among the "
        "sites for which your browser uses no proxy.",
        host=host,
    )

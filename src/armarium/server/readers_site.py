"""What the readers' process consists of."""

from armarium.access.origins.readers import Door, door, routes
from armarium.access.proxy import authority
from armarium.access.proxy.answering import own_hosts
from armarium.access.proxy.authority import Authority
from armarium.access.proxy.identity import HouseWords
from armarium.access.proxy.server import Proxy
from armarium.access.readers.services import ReaderServices
from armarium.access.replay.engine import Replay
from armarium.access.requests.site import Site
from armarium.access.requests.threads import Threads
from armarium.access.search import shell
from armarium.access.viewings.proxy_access import Recordings, ViewingWords
from armarium.server.services.access import AccessServices
from armarium.web.addresses import site_address
from armarium.web.settings import WebSettings


class ReadersSite:
    """The readers' process: its door, and its proxy if there is one."""

    def __init__(self, room: AccessServices) -> None:
        chosen = room.chosen
        web = room.settings[WebSettings]
        self._room = room
        self.services = ReaderServices(
            chosen, room.sessions, room.seals, room.networks, room.zone, shell.page
        )
        self.site = Site(
            settings=chosen,
            archive=room.archive,
            policy=room.policy,
            readers=self.services.readers,
            uses=self.services.uses,
            locks=self.services.locks,
            viewings=room.viewings,
            library=web.library,
            contact=web.contact,
            time_zone=web.time_zone,
            staff_url=site_address(web),
        )
        self.replay = Replay(self.site)
        self.threads = Threads(chosen.threads)

    def door(self) -> Door:
        pages = self.services.pages
        table = routes(self.services.tickets, pages.gated, pages.pages, pages.methods)
        return door(self.site, table, self.threads, self.replay, self.services.ticket_pages)

    def proxy(self) -> Proxy:
        room, services = self._room, self.services
        kept = Authority.kept(room.settings.home / authority.FILE, excluded=sorted(own_hosts(self.site)))
        words = HouseWords(
            ViewingWords(room.viewings), room.tokens, room.networks, services.terms, services.sessions.today
        )
        return Proxy(self.site, self.replay, kept, words=words, recordings=Recordings(room.viewings))

    def close(self) -> None:
        self.services.uses.close()
        self.threads.close()

"""What the readers' process consists of."""

from armarium.access.door.app import Door
from armarium.access.door.site import Site
from armarium.access.door.table import door, routes
from armarium.access.door.threads import Threads
from armarium.access.proxy import authority
from armarium.access.proxy.answering import own_hosts
from armarium.access.proxy.authority import Authority
from armarium.access.proxy.server import Proxy
from armarium.access.proxy.words import HouseWords
from armarium.access.reading.hall import Hall
from armarium.access.replay.engine import Replay
from armarium.access.search import shell
from armarium.access.viewer.by_proxy import Recordings, ViewingWords
from armarium.server.services.access import AccessServices
from armarium.web.addresses import site_address
from armarium.web.settings import WebSettings


class ReadersSite:
    """The readers' process: its door, and its proxy if there is one."""

    def __init__(self, room: AccessServices) -> None:
        chosen = room.chosen
        web = room.settings[WebSettings]
        self._room = room
        self.hall = Hall(chosen, room.sessions, room.seals, room.networks, room.zone, shell.page)
        self.site = Site(
            settings=chosen,
            archive=room.archive,
            policy=room.policy,
            readers=self.hall.readers,
            uses=self.hall.uses,
            locks=self.hall.locks,
            viewings=room.viewings,
            library=web.library,
            contact=web.contact,
            time_zone=web.time_zone,
            staff_url=site_address(web),
        )
        self.replay = Replay(self.site)
        self.threads = Threads(chosen.threads)

    def door(self) -> Door:
        desk = self.hall.desk
        table = routes(self.hall.entrance, desk.gated, desk.pages, desk.methods)
        return door(self.site, table, self.threads, self.replay, self.hall.threshold)

    def proxy(self) -> Proxy:
        room, hall = self._room, self.hall
        kept = Authority.kept(room.settings.home / authority.FILE, excluded=sorted(own_hosts(self.site)))
        words = HouseWords(
            ViewingWords(room.viewings), room.tokens, room.networks, hall.terms, hall.sessions.today
        )
        return Proxy(self.site, self.replay, kept, words=words, recordings=Recordings(room.viewings))

    def close(self) -> None:
        self.hall.uses.close()
        self.threads.close()

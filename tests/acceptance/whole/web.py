"""A web whose pages change, and which remembers whatever it has ever served."""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.acceptance.planning.small_web import SmallWeb, host_of, paths, small_web
from tests.sites.serving import page

NOT_FOUND = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"


@dataclass
class Pages:
    """What each domain says at the moment: its home page and each second other page have editions."""

    editions: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    served: dict[tuple[str, str], set[bytes]] = field(default_factory=lambda: defaultdict(set))

    def answer(self, request: bytes) -> bytes:
        path, domain = request.split(b" ")[1].decode(), host_of(request)
        if path not in paths(domain):
            return NOT_FOUND
        content = self.body(domain, path)
        self.served[domain, path].add(content)  # before it leaves the house
        return page(content)

    def change(self, domains: Collection[str]) -> None:
        for domain in domains:
            self.editions[domain] += 1

    def body(self, domain: str, path: str) -> bytes:
        edition = self.editions[domain] if path == "/" or int(path[1:]) % 2 else 0
        links = "".join(f'<a href="{other}">{other}</a>' for other in paths(domain)) if path == "/" else ""
        noise = hashlib.shake_256(f"{domain}{path}{edition}".encode()).hexdigest(1500)
        return f"<title>{domain}{path}</title>{links}<p>{noise}</p>".encode()


@dataclass(frozen=True)
class ChangingWeb(SmallWeb):
    pages: Pages

    def served(self, domain: str, path: str) -> Collection[bytes]:
        return self.pages.served.get((domain, path), set()).copy()

    def served_at(self, url: str) -> Collection[bytes]:
        domain, _, path = url.removeprefix("http://").partition(f":{self.port}")
        return self.served(domain, path)


@contextmanager
def changing_web() -> Iterator[ChangingWeb]:
    pages = Pages()
    with small_web(pages.answer) as web:
        yield ChangingWeb(web.port, web.name_server, pages)

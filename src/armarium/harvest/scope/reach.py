"""What the seeds reach: their hosts, folders and domains, and the hosts that redirects of seeds added."""

from armarium.core.crawl_order import Scope as Order
from armarium.core.crawl_order import ScopeKind
from armarium.formats.url import InvalidUrl, normal, parse, registered_domain


class Reach:
    """Grows with seeds and redirected seeds; everything else asks it."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self.seeds: set[str] = set()
        self.hosts: dict[str, str] = {}  # a seed of each host, for the reason
        self.domains: dict[str, str] = {}
        self.folders: dict[str, dict[str, str]] = {}  # by host, the folders and a seed of each
        self.widened: dict[str, str] = {}  # hosts that redirected seeds added, and by which address
        self.suffixes = tuple(map(_suffix, order.suffixes))

    def add_seed(self, url: str) -> None:
        seed = normal(url).partition("#")[0]
        host = host_of(seed)
        self.seeds.add(seed)
        self.hosts.setdefault(host, seed)
        self.domains.setdefault(self.domain(host), seed)
        self.folders.setdefault(host, {}).setdefault(folder_of(seed), seed)

    def widen(self, url: str) -> bool:
        """Add the host to which a seed was redirected: that one, not its domain. For `path`, the folder.

        A redirect within the host of a seed adds nothing but a folder, and never the whole host.
        """
        address = normal(url).partition("#")[0]
        host = host_of(address)
        if self.order.kind is ScopeKind.PATH:
            return self._widen_folder(host, address)
        if host in self.hosts or host in self.widened:
            return False
        self.widened[host] = address
        return True

    def _widen_folder(self, host: str, address: str) -> bool:
        folder = folder_of(address)
        known = self.folders.setdefault(host, {})
        if folder in known or (folder == "/" and known):
            return False
        known[folder] = address
        return True

    def domain(self, host: str) -> str:
        """The registered domain; for an address or a suffix, which have none, the host itself."""
        return registered_domain(host, self.order.registries) or host

    def suffix(self, host: str) -> str:
        for suffix in self.suffixes:
            if host == suffix or host.endswith(f".{suffix}"):
                return suffix
        return ""


def host_of(url: str) -> str:
    """The host without port, and without `www.`: with and without it, most sites are the same one.

    Works for `dns:` as well, and gives nothing for what has no host.
    """
    scheme, _, rest = url.partition(":")
    if scheme == "dns":
        authority = rest.strip("/").partition("?")[0]
    elif rest.startswith("//"):
        authority = rest[2:].partition("/")[0].partition("?")[0].partition("#")[0].rpartition("@")[2]
    else:
        return ""
    if authority.startswith("["):
        return authority.partition("]")[0] + "]"
    host = authority.partition(":")[0].lower().removesuffix(".")
    bare = host.removeprefix("www.")
    return bare if "." in bare else host


def path_of(url: str) -> str:
    """With its first slash, without the query."""
    rest = url.partition("://")[2].partition("#")[0].partition("?")[0]
    return "/" + rest.partition("/")[2]


def folder_of(url: str) -> str:
    """Everything up to the last slash of the path; the whole host for a seed without path."""
    return path_of(url).rpartition("/")[0] + "/"


def _suffix(text: str) -> str:
    """As hosts are written: `fr` for `.fr` and `*.FR`, punycode for international ones."""
    bare = text.strip().removeprefix("*").strip(".")
    try:
        host = parse(f"http://{bare}/").host if bare else None
    except InvalidUrl:
        host = None
    if not host or any(sign in bare for sign in "/:?#@*"):
        raise ValueError(f"{text!r} in scope.suffixes is not the ending of a host; write for example 'fr'.")
    return host

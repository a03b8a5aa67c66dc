"""Renders a web into a folder, with its truth."""

import base64
import hashlib
import json
import multiprocessing
import zlib
from collections import Counter, defaultdict, deque
from email.utils import formatdate
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from bench.testweb.model import EPOCH_SECONDS, FIRST_EPOCH, LEVELS, Entry, Resource
from bench.testweb.site import Site, site_of
from bench.testweb.web import DESCRIPTION, Parameters, Web
from bench.testweb.words import between

PIECE = 8192  # of a chunked body
YEARS = 5 * 31_536_000  # seconds
PAGES_IN_A_TASK = 200
COLUMNS = "url\tlevel\tkind\tstatus\tmime\tlength\tsha1\tlocation\n"
Columns = tuple[str, int, str, int, str, str]
Rendered = tuple[str, Entry, Columns, bytes]
Node = tuple[int, str]


def build(folder: Path, parameters: Parameters, jobs: int) -> dict[str, Any]:
    """How many URLs there are, by level and kind."""
    folder.mkdir(parents=True, exist_ok=True)
    web = Web(parameters)
    sites = {host: site_of(web, host) for host in web.built}
    levels, excluded = reachable(web, sites)
    parts = max(1, parameters.pages // PAGES_IN_A_TASK)
    tasks = [
        (parameters, host, part, parts if host != web.requisites else 1)
        for host in web.built
        for part in range(parts if host != web.requisites else 1)
    ]
    index: dict[str, dict[str, Entry]] = {web.authority(host): {} for host in web.built}
    counts: Counter[tuple[str, str]] = Counter()
    size = required = 0
    with (
        multiprocessing.get_context("fork").Pool(jobs) as pool,
        (folder / "blob.bin").open("wb") as blob,
        (folder / "truth.tsv").open("w") as truth,
    ):
        truth.write(COLUMNS)
        for host, rendered in pool.imap(_render, tasks):
            for path, entry, columns, data in rendered:
                index[web.authority(host)][path] = _moved(entry, size)
                size += blob.write(data)
                node = (host, path)
                found = sites[host].resources[path].level or levels.get(node)
                level = found or ("excluded" if node in excluded else "unlinked")
                truth.write("\t".join(map(str, (web.origin(host) + path, level, *columns))) + "\n")
                counts[level, columns[0]] += 1
                required += columns[3] if level in LEVELS else 0
    return _described(folder, web, index, counts, required)


def _described(
    folder: Path,
    web: Web,
    index: dict[str, dict[str, Entry]],
    counts: Counter[tuple[str, str]],
    required: int,
) -> dict[str, Any]:
    (folder / "index.json").write_text(json.dumps(index, separators=(",", ":")))
    (folder / "seeds.txt").write_text("".join(f"{web.origin(host)}/\n" for host in range(web.sites)))
    summary = {
        "params": web.facts,
        "required_urls": sum(count for (level, _), count in counts.items() if level in LEVELS),
        "html_level_urls": sum(count for (level, _), count in counts.items() if level == "html"),
        "required_bytes": required,
        "counts": {f"{level}/{kind}": count for (level, kind), count in sorted(counts.items())},
    }
    (folder / DESCRIPTION).write_text(json.dumps(summary, indent=1))
    return summary


def _moved(entry: Entry, by: int) -> Entry:
    gzip = entry.gzip_offset + by if entry.gzip_offset >= 0 else -1
    return entry._replace(offset=entry.offset + by, gzip_offset=gzip)


@cache
def _web(parameters: Parameters) -> Web:
    return Web(parameters)


@lru_cache(maxsize=2)
def _site(parameters: Parameters, host: int) -> Site:
    return site_of(_web(parameters), host)


def _render(task: tuple[Parameters, int, int, int]) -> tuple[int, list[Rendered]]:
    """A part of one site, in a process of its own."""
    parameters, host, part, parts = task
    site = _site(parameters, host)
    mine = [one for number, one in enumerate(site.resources.values()) if number % parts == part]
    return host, [encoded(site, one) for one in mine]


def encoded(site: Site, resource: Resource) -> Rendered:
    """A URL as it goes over the wire: as it is, and perhaps with gzip."""
    chance, parameters = site.web.chance("wire", site.host, resource.path), site.web.parameters
    body = site.body(resource)
    if site.version(resource):
        modified = FIRST_EPOCH + parameters.epoch * EPOCH_SECONDS
    else:
        modified = FIRST_EPOCH - int(chance.random() * YEARS)
    etag = f'"{hashlib.blake2b(body, digest_size=8).hexdigest()}"'
    is_page, is_good = resource.kind == "page", resource.status == 200
    is_text = resource.mime.startswith("text/") or resource.mime.endswith(("javascript", "json", "xml"))
    zipped = is_text and is_good and chance.random() < 0.6
    chunked = is_page and chance.random() < 0.25
    slow = bool(parameters.slow) and is_page and chance.random() < parameters.slow
    special = str(resource.key[1]) if resource.key[0] == "fault" else ""
    common = _fields(site, resource, modified, etag, zipped, special)
    if special == "badgzip":
        broken = b"\x1f\x8b\x08\x00" + body[:500]
        head, data = _wire(common + "Content-Encoding: gzip\r\n", broken, special, chunked=chunked)
    else:
        head, data = _wire(common, body, special, chunked=chunked)
    delay = between(chance, 200, 2000) if slow else 0
    plain = len(head) + len(data)
    tag = etag if is_good else ""
    entry = Entry(resource.status, 0, len(head), plain, -1, 0, 0, delay, tag, modified, special)
    written = head + data
    if zipped:
        packer = zlib.compressobj(6, zlib.DEFLATED, 31)
        packed = packer.compress(body) + packer.flush()
        head, data = _wire(common + "Content-Encoding: gzip\r\n", packed, special, chunked=chunked)
        entry = entry._replace(gzip_offset=plain, gzip_head=len(head), gzip_length=len(head) + len(data))
        written += head + data
    digest = base64.b32encode(hashlib.sha1(body).digest()).decode()  # noqa: S324  (as WARC files have it)
    columns = (resource.kind, resource.status, resource.mime, len(body), digest, resource.location or "")
    return resource.path, entry, columns, written


def _fields(site: Site, resource: Resource, modified: int, etag: str, zipped: bool, special: str) -> str:
    said = f"Server: testweb\r\nContent-Type: {site.content_type(resource)}\r\n"
    if resource.location:
        said += f"Location: {resource.location}\r\n"
    elif resource.status == 200:
        age = 60 if resource.kind == "page" else 86_400
        said += f"Last-Modified: {formatdate(modified, usegmt=True)}\r\nETag: {etag}\r\n"
        said += f"Cache-Control: max-age={age}\r\n"
    if resource.key == ("home",):
        said += "Set-Cookie: visit=1; Path=/\r\n"
    if zipped:
        said += "Vary: Accept-Encoding\r\n"
    if special == "bigheader":
        said += "X-Big: " + "b" * 40_000 + "\r\n"
    return said


def _wire(fields: str, body: bytes, special: str, *, chunked: bool) -> tuple[bytes, bytes]:
    """Head and body; `special` lies about where the body ends."""
    if chunked:
        pieces = (body[at : at + PIECE] for at in range(0, len(body), PIECE))
        data = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
        return (fields + "Transfer-Encoding: chunked\r\n\r\n").encode("latin-1"), data
    if special == "closedelimited":
        return (fields + "Connection: close\r\n\r\n").encode("latin-1"), body
    length = len(body) * 2 if special == "truncated" else len(body)
    return (fields + f"Content-Length: {length}\r\n\r\n").encode("latin-1"), body


def reachable(web: Web, sites: dict[int, Site]) -> tuple[dict[Node, str], set[Node]]:
    """The least level at which each URL is reached, and those that robots.txt forbids."""
    levels: dict[Node, str] = {}
    excluded: set[Node] = set()
    hosts = {web.origin(host): host for host in range(web.requisites + 1)}
    waiting: defaultdict[int, list[Node]] = defaultdict(list)
    for host in range(web.sites):
        waiting[0].append((host, "/"))
        waiting[LEVELS.index("sitemap")].append((host, "/robots.txt"))
    for at, name in enumerate(LEVELS):
        queue = deque(waiting[at])
        while queue:
            node = queue.popleft()
            host, path = node
            if node in levels:
                continue
            if path.startswith(("/private/", "/search")):
                excluded.add(node)
                continue
            resource = sites[host].resources.get(path)
            if resource is None:
                if path.startswith(("/calendar/", "/loop/")):
                    continue
                raise RuntimeError(f"A link leads to {web.origin(host)}{path}, which is not there.")
            levels[node] = name
            for level, href in _references(sites[host], resource):
                to = _leads_to(web, hosts, sites[host], path, href)
                if to is not None and to not in levels:
                    needed = max(at, LEVELS.index(level))
                    (queue if needed == at else waiting[needed]).append(to)
    return levels, excluded


def _references(site: Site, resource: Resource) -> list[tuple[str, str]]:
    if resource.location:
        return [("html", resource.location)]
    return [(link.level, link.href) for link in site.links(resource)]


def _leads_to(web: Web, hosts: dict[str, int], site: Site, path: str, href: str) -> Node | None:
    """None: to a host outside."""
    if href.startswith("/") and not href.startswith("//"):
        return site.host, href.partition("#")[0]
    parts = urlsplit(urljoin(site.origin + path, href))
    host = hosts[f"{parts.scheme}://{parts.netloc}"]
    if web.sites <= host < web.requisites:
        return None
    return host, (parts.path or "/") + (f"?{parts.query}" if parts.query else "")

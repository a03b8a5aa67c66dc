"""What a request asks, read from its bytes: quickly, for the server must be faster than any crawler."""

from email.utils import mktime_tz, parsedate_tz
from urllib.parse import quote, unquote_to_bytes

from bench.testweb.model import Entry

LOOP = b'<html><body><p>Round and round</p><a href="deeper/">deeper</a> <a href="/">home</a></body></html>'
SEARCH = b"<html><body><h1>Results</h1><p>robots.txt forbids this page.</p></body></html>"


def header(request: bytes, name: bytes) -> bytes:
    at = request.lower().find(b"\r\n" + name + b":")
    return request[at + len(name) + 3 : request.index(b"\r\n", at + 2)].strip() if at >= 0 else b""


def host_of(request: bytes) -> bytes:
    at = request.find(b"\r\nHost: ")
    return request[at + 8 : request.index(b"\r\n", at + 8)] if at >= 0 else header(request, b"host")


def closes(request: bytes, version: bytes) -> bool:
    if b"onnection: close" in request or b"onnection: Close" in request:
        return True
    return version != b"HTTP/1.1" and b"eep-alive" not in request and b"eep-Alive" not in request


def accepts_gzip(request: bytes) -> bool:
    value = header(request, b"accept-encoding")
    return b"gzip" in value and b"gzip;q=0," not in value + b","


def is_fresh(request: bytes, entry: Entry) -> bool:
    """Whether the client has it already."""
    if tags := header(request, b"if-none-match"):
        return entry.etag.encode() in tags
    when = parsedate_tz(header(request, b"if-modified-since").decode("latin-1"))
    return when is not None and mktime_tz(when) >= entry.modified


def canonical(target: bytes) -> bytes:
    """One spelling of a path: decoded and encoded again, an encoded slash kept."""
    path, mark, query = target.partition(b"?")
    safe = "!$&'()*+,;=:@~-._"
    parts = [
        quote(unquote_to_bytes(part), safe=safe).encode().replace(b"/", b"%2F") for part in path.split(b"/")
    ]
    return b"/".join(parts) + mark + query.replace(b"%5B", b"[").replace(b"%5D", b"]")


def unchunked(data: bytes, head: int) -> bytes:
    """For a client that knows no chunks."""
    written, at = [data[:head].replace(b"Transfer-Encoding: chunked\r\n", b"")], head
    while True:
        end = data.index(b"\r\n", at)
        length = int(data[at:end], 16)
        if not length:
            return b"".join(written)
        written.append(data[end + 2 : end + 2 + length])
        at = end + 4 + length


def trap_page(target: bytes) -> bytes | None:
    """The endless calendar (/calendar/Y/M/[D/]), the endless path (/loop/…), results of a search."""
    if target.startswith(b"/search?"):
        return SEARCH
    if target.startswith(b"/loop/"):
        return LOOP
    if not target.startswith(b"/calendar/"):
        return None
    try:
        year, month = (int(part) for part in target.split(b"/")[2:4])
    except ValueError:
        return None
    months = year * 12 + month - 1
    near = [f"/calendar/{one // 12}/{one % 12 + 1:02d}/" for one in (months - 1, months + 1, months + 12)]
    others = " ".join(f'<a href="{one}">{one}</a>' for one in near)
    days = "".join(
        f'<td><a href="/calendar/{year}/{month:02d}/{day}/">{day}</a></td>' for day in range(1, 29)
    )
    head = f"<html><head><title>{year}-{month}</title></head>"
    return f"{head}<body>{others}<table><tr>{days}</tr></table></body></html>".encode()

"""A capture on its way to a browser that believes to talk to the site itself.

Bodies and most fields stay as they were recorded. What would outlive the visit is taken out: without the
proxy the same browser meets the living site under the same name, and must not bring anything of the archive
along.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime

from armarium.access.proxy.request import ProxyRequest
from armarium.formats.text.dates import parse_date

Field = tuple[str, str]

#: What a browser keeps about a site or obeys beyond this answer; what breaks pages outside their time; what
#: asks for credentials or reports; what is ours to say.
TAKEN_OUT = frozenset(
    {
        *("strict-transport-security", "public-key-pins", "public-key-pins-report-only", "expect-ct"),
        *("alt-svc", "accept-ch", "critical-ch", "permissions-policy-report-only", "origin-trial"),
        *("report-to", "reporting-endpoints", "nel", "clear-site-data", "set-login", "set-cookie2"),
        *(
            "service-worker-allowed",
            "speculation-rules",
            "connection-allowlist",
            "use-as-dictionary",
            "no-vary-search",
        ),
        *("content-security-policy", "content-security-policy-report-only", "x-content-security-policy"),
        *("x-webkit-csp", "cross-origin-embedder-policy", "cross-origin-opener-policy"),
        *("cross-origin-resource-policy", "cross-origin-embedder-policy-report-only"),
        *("www-authenticate", "proxy-authenticate", "authentication-info", "proxy-authentication-info"),
        *("cache-control", "expires", "pragma", "age", "etag", "vary", "warning", "x-dns-prefetch-control"),
        *("access-control-allow-origin", "access-control-allow-credentials"),
        *("access-control-expose-headers", "access-control-allow-headers", "access-control-allow-methods"),
        *("access-control-max-age", "timing-allow-origin", "connection", "keep-alive", "transfer-encoding"),
    }
)
#: Nothing of the archive stays in the browser's cache: at another date the address is another page.
OURS: tuple[Field, ...] = (("Cache-Control", "no-store"), ("X-DNS-Prefetch-Control", "off"))


#: Any site, but only over HTTP: what goes past a proxy (WebRTC) is refused by browsers that know this field.
OVER_HTTP = ("Connection-Allowlist", '("*://*:*/*" response-origin)')


def dressed(headers: Iterable[Field], asked: ProxyRequest, captured: datetime | None) -> list[Field]:
    kept = [pair for name, value in headers for pair in _kept(name, value, captured)]
    if asked.by_navigation:
        kept.append(OVER_HTTP)
    return [*kept, *OURS, *sharing(asked)]


def sharing(asked: ProxyRequest) -> list[Field]:
    """Archived sites may read each other (CORS).

    Recorded permissions name the origin that the crawler had, if any. Whatever the reader may see may be seen
    by an archived script as well: it has nobody to tell.
    """
    origin = asked.headers.get("origin")
    if not origin:
        return []
    return [
        ("Access-Control-Allow-Origin", origin),
        ("Access-Control-Allow-Credentials", "true"),
        ("Vary", "Origin"),
    ]


def preflight(asked: ProxyRequest) -> list[Field] | None:
    """What a browser wants to hear before it sends what only scripts send; nobody has ever recorded that."""
    method = asked.headers.get("access-control-request-method")
    if asked.method != "OPTIONS" or not method:
        return None
    names = asked.headers.get("access-control-request-headers", "")
    allowed = [("Access-Control-Allow-Methods", method), ("Access-Control-Allow-Headers", names)]
    return [*OURS, *sharing(asked), *(pair for pair in allowed if pair[1])]


def session_cookie(value: str, captured: datetime | None) -> str:
    """A cookie that ends with the browser. One that was unset by the site is unset."""
    parts = [part.strip() for part in value.split(";")]
    attributes = {
        part.partition("=")[0].strip().lower(): part.partition("=")[2].strip() for part in parts[1:]
    }
    kept = [parts[0]]
    kept += [
        part for part in parts[1:] if part.partition("=")[0].strip().lower() not in {"expires", "max-age"}
    ]
    if _unsets(attributes, captured):
        kept.append("Max-Age=0")
    return "; ".join(kept)


def _kept(name: str, value: str, captured: datetime | None) -> Iterator[Field]:
    low = name.lower()
    if low == "set-cookie":
        yield name, session_cookie(value, captured)
    elif low not in TAKEN_OUT:
        yield name, value


def _unsets(attributes: dict[str, str], captured: datetime | None) -> bool:
    age = attributes.get("max-age")
    if age is not None:
        return age.startswith("-") or age.strip("0") == ""
    until = parse_date(attributes.get("expires", ""))
    return until is not None and captured is not None and until <= captured

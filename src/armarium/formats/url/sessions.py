"""Session ids in URLs: which the Wayback convention removes, and which look like one."""

import re
from bisect import bisect_left

# ASP.NET without cookies: /(24 letters and digits)/page.aspx and /(S(24 letters and digits))/page.aspx.
_PATH_SESSIONS = (
    re.compile(r"(?<=/)\((?:[a-z]\([0-9a-z]{24}\))+\)/", re.IGNORECASE | re.ASCII),
    re.compile(r"(?<=/)\([0-9a-z]{24}\)/", re.IGNORECASE | re.ASCII),
)
# In this order, each once, the last that stands at the end of a parameter; the name may have a prefix.
_QUERY_SESSIONS = (
    re.compile(r"(.*)jsessionid=[0-9a-z]{32}(?:&(.*))?", re.DOTALL),
    re.compile(r"(.*)phpsessid=[0-9a-z]{32}(?:&(.*))?", re.DOTALL),
    re.compile(r"(.*)sid=[0-9a-z]{32}(?:&(.*))?", re.DOTALL),
    re.compile(r"(.*)aspsessionid[a-z]{8}=[a-z]{24}(?:&(.*))?", re.DOTALL),
)
_MAY_HOLD_SESSION = re.compile(r"sid=|sessionid|cftoken=").search

# Names of session parameters met in the wild, beyond those of the convention, for `looks_like_session`.
_SESSION_PARAMETER = re.compile(
    r"(?:^|[?&;/])(?:"
    r"(?:j|php|asp|net|my|web|user|s)?sess(?:ion)?[._-]?(?:id|key|hash|token)?"
    r"|aspsessionid[a-z]{8}|[a-z]*sid|osc[as]id|zenid|cfid|cftoken|s_?id|_s|bv_(?:session|engine)id"
    r")=([0-9a-z$!._%-]{8,})(?=$|[&;/?#])",
    re.IGNORECASE | re.ASCII,
)
_LONG_HEXADECIMAL = re.compile(r"[0-9a-f]{32}", re.IGNORECASE)


def without_path_session(path: str) -> str:
    """Remove an ASP.NET session: of each form the last that a name ending in .aspx follows, before any `?`.

    The convention's own pattern tries every session against all that follows, again and again; positions
    found once and searched by halves give the same answer in time for any path.
    """
    for pattern in _PATH_SESSIONS:
        sessions = [found.span() for found in pattern.finditer(path)]
        if not sessions:
            continue
        pages = [found.start() for found in re.finditer(r"\.aspx", path, re.IGNORECASE)]
        queries = [found.start() for found in re.finditer(r"\?", path)]
        for start, end in reversed(sessions):
            page = bisect_left(pages, end + 1)
            query = bisect_left(queries, end)
            if page < len(pages) and (query == len(queries) or queries[query] > pages[page]):
                path = path[:start] + path[end:]
                break
    return path


def without_query_session(query: str) -> str:
    """Remove the session ids of a query in small letters."""
    if not _MAY_HOLD_SESSION(query):
        return query
    for pattern in _QUERY_SESSIONS:
        if found := pattern.fullmatch(query):
            query = found[1] + (found[2] or "")
    return _without_coldfusion_session(query) if "cftoken=" in query else query


def _without_coldfusion_session(query: str) -> str:
    """Remove the last `cfid=…&cftoken=…`."""
    parameters = query.split("&")
    for position in range(len(parameters) - 2, -1, -1):
        token = parameters[position + 1]
        at = parameters[position].rfind("cfid=", 0, -1)  # something must follow it
        if at >= 0 and token.startswith("cftoken=") and token != "cftoken=":  # noqa: S105
            before = "&".join([*parameters[:position], parameters[position][:at]])
            return before + "&".join(parameters[position + 2 :])
    return query


def looks_like_session(url: str) -> str | None:
    """What in the URL looks like a session id, or None: a hint for people and traps, never a rule."""
    for pattern in _PATH_SESSIONS:
        if found := pattern.search(url):
            return found[0].rstrip("/")
    for found in _SESSION_PARAMETER.finditer(url):
        value = found[1]
        if _LONG_HEXADECIMAL.search(value) or any(letter.isdigit() for letter in value):
            return found[0].lstrip("?&;/")
    return None

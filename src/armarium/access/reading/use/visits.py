"""When somebody who has not signed in begins to read: counted without a cookie that would tell them again."""

from collections.abc import Mapping

ARRIVING = frozenset({"none", "cross-site"})  # typed or from a bookmark, or led here by another site


def begins(headers: Mapping[str, str], own: tuple[str, ...]) -> bool:
    """Whether a page of the readers' origin was reached from elsewhere (Fetch Metadata, Referer).

    `own`: the addresses of our origins, which lead to each other. A browser that does not say where it
    comes from counts if it names no page before this one.
    """
    came_from = headers.get("referer", "")
    if came_from.startswith(own):
        return False
    if "sec-fetch-site" not in headers:
        return not came_from and "text/html" in headers.get("accept", "")
    is_page = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return is_page and headers["sec-fetch-site"] in ARRIVING

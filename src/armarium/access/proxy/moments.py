"""At which moment the parts of a page are asked for: that of the page's own capture.

In a replay by address the moment stands in the addresses of the parts. A proxy's browser says only which page
has asked, or for parts from elsewhere only on which site that page is (Referer).
"""

from collections import OrderedDict
from threading import Lock
from urllib.parse import urlsplit

MOST = 20_000
LONGEST = 2_000  # of an address that is remembered


class Moments:
    """Called from many threads."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._known: OrderedDict[tuple[bytes, str], str] = OrderedDict()
        self._lock = Lock()

    def note(self, browser: bytes, url: str, timestamp: str) -> None:
        """A page was shown."""
        with self._lock:
            for address in {url, _site(url)}:
                if len(address) <= LONGEST:
                    self._known[browser, address] = timestamp
                    self._known.move_to_end((browser, address))
            while len(self._known) > self._most:
                self._known.popitem(last=False)

    def of(self, browser: bytes, referrer: str) -> str:
        """Of the page that asks, else of the last one of its site; empty if neither was seen."""
        return self._known.get((browser, referrer)) or self._known.get((browser, _site(referrer)), "")


def _site(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}"

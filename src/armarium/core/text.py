"""Texts that come from elsewhere, made fit to be kept."""

import re


def storable(text: str) -> str:
    """A text as PostgreSQL takes it: without NUL, nor the half surrogates of undecodable file names."""
    return text.replace("\0", "").encode(errors="backslashreplace").decode()


# --- Mail addresses, as far as we accept them.


# RFC 5321, section 4.1.2, without quoted local parts: nobody has one, and header injection begins there.
# The domain may be a single name: mail inside a library's own network goes to such.
ADDRESS = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*"
    r"@[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*"
)
LONGEST = 254  # RFC 5321, section 4.5.3.1.3, less the angle brackets


def is_address(text: str) -> bool:
    return len(text) <= LONGEST and ADDRESS.fullmatch(text) is not None

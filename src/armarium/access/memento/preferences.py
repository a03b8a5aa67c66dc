"""What a client would rather have of a capture (RFC 7240): its own bytes, or the page as readers see it."""

import re

#: What a client may prefer, and the modifier that gives it.
PREFERENCES = {"raw": "id_", "banner-only": "bn_", "rewritten": "mp_"}
APPLIED = "Preference-Applied"
_SEPARATOR = re.compile(r"\s*,\s*")


def preferred(header: str) -> str:
    """The modifier for what is preferred. RFC 7240 2: what is not understood is passed over."""
    for one in _SEPARATOR.split(header.strip()):
        name = one.partition(";")[0].strip().lower()
        if name in PREFERENCES:
            return PREFERENCES[name]
    return ""


def preference(mod: str) -> str:
    return next(name for name, one in PREFERENCES.items() if one == mod)

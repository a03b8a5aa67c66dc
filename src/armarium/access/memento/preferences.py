"""What a client would rather have of a capture (RFC 7240): its own bytes, or the page as readers see it."""

#: What a client may prefer, and the modifier that gives it.
PREFERENCES = {"raw": "id_", "banner-only": "bn_", "rewritten": "mp_"}
APPLIED = "Preference-Applied"


def preferred(header: str) -> str:
    """The modifier for what is preferred. RFC 7240 2: what is not understood is passed over."""
    for one in header.split(","):
        name = one.partition(";")[0].strip().lower()
        if name in PREFERENCES:
            return PREFERENCES[name]
    return ""


def preference(mod: str) -> str:
    return next(name for name, one in PREFERENCES.items() if one == mod)

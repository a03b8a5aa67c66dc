"""What somebody may have meant by a name that does not exist."""

import difflib
from collections.abc import Iterable

from armarium.settings.keys import PREFIX, Catalogue, Key


def for_section(name: str, catalogue: Catalogue) -> str:
    near = nearest(name, catalogue.sections)
    if near:
        return f"Did you mean [{near}]?"
    homes = [key for key in catalogue.keys.values() if key.name == name]
    if homes:
        return f"Put {name} under {_either(f'[{key.section}]' for key in homes)}."
    return f"The sections are {', '.join(catalogue.sections)}." if catalogue.sections else ""


def for_key(section: str, name: str, catalogue: Catalogue) -> str:
    """Look in the same section first; the right key in the wrong section is as likely as a typing error."""
    own = catalogue.of(section)
    elsewhere = [key for key in catalogue.keys.values() if key.section != section]
    candidates = [near] if (near := nearest(name, [key.name for key in own])) else []
    candidates += [_of(key) for key in elsewhere if key.name == name]
    if not candidates:
        near = nearest(name, [key.name for key in elsewhere])
        candidates = [_of(key) for key in elsewhere if key.name == near]
    if candidates:
        return f"Did you mean {_either(candidates)}?"
    return f"The settings of [{section}] are {', '.join(key.name for key in own)}." if own else ""


def for_variable(name: str, reserved: Iterable[str], catalogue: Catalogue) -> str:
    # The prefix that all have in common would make everything look alike.
    known = [variable.removeprefix(PREFIX) for variable in (*catalogue.variables, *reserved)]
    near = nearest(name[len(PREFIX) :], known)
    return (
        f"Did you mean {PREFIX}{near}?" if near else f"Unset it: names with {PREFIX} are kept for settings."
    )


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The most similar name, whatever its case and whether it is written with - or _."""
    plain = {_plain(candidate): candidate for candidate in names}
    # Comparing takes time in the square of the length, and no name of ours is that long.
    matches = difflib.get_close_matches(_plain(name[:100]), plain, n=1, cutoff=0.6)
    return plain[matches[0]] if matches else None


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")


def _of(key: Key) -> str:
    return f"{key.name} in [{key.section}]"


def _either(names: Iterable[str]) -> str:
    return " or ".join(names)

"""Which group brings which roles, as lines of the settings: `web-curators = curator engineer`."""

from collections.abc import Iterable

from armarium.accounts.model import Role

HELP = (
    "Which group brings which roles: one text for each group, such as "
    '"web-curators = curator" or "it = engineer administrator".'
)


def parsed(lines: Iterable[str]) -> dict[str, frozenset[Role]]:
    """The roles by group; raises `ValueError` with words that complete “roles …”."""
    found: dict[str, frozenset[Role]] = {}
    for line in lines:
        # The last sign divides: a role has none in its name, a group may.
        group, sign, words = (part.strip() for part in line.rpartition("="))
        names = words.replace(",", " ").split()
        if not sign or not group or not names:
            raise ValueError(f"has the item “{line}”, which is not of the form “group = role”")
        unknown = [name for name in names if name not in set(Role)]
        if unknown:
            known = ", ".join(Role)
            raise ValueError(f"names the role “{unknown[0]}”, which does not exist; there are {known}")
        found[group] = found.get(group, frozenset()) | {Role(name) for name in names}
    return found

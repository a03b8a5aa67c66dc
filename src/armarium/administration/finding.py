"""What the search box finds in administration: accounts, and settings by their names and help."""

import re
from collections.abc import Sequence

from armarium.accounts.model import Identity, Permission
from armarium.accounts.queries import Wanted
from armarium.accounts.service import Accounts
from armarium.administration.accounts import PAGES as ACCOUNTS
from armarium.core.message import message
from armarium.core.services import Services
from armarium.settings import Settings
from armarium.settings.show import rows
from armarium.web.finding import MOST, Finder, Found, fits

SETTINGS = "/administration/settings"


def accounts(services: Services, _: Identity, words: str) -> Sequence[Found]:
    found, _total = services.get(Accounts).page(Wanted(text=words), limit=MOST + 1)
    return [Found(one.display_name or one.name, f"{ACCOUNTS}/{one.id}", one.name) for one in found]


def settings(services: Services, _: Identity, words: str) -> Sequence[Found]:
    """Those whose names fit come first."""
    known = [(f"{row.section}.{row.key}", row.help) for row in rows(services.get(Settings))]
    fitting = [(name, told) for name, told in known if fits(words, name, told)]
    asked = words.casefold()
    fitting.sort(key=lambda one: (asked not in re.split("[._]", one[0]), not fits(words, one[0])))
    return [Found(name, f"{SETTINGS}#{name}", told) for name, told in fitting[:MOST]]


FINDERS = (
    Finder(message("Accounts"), Permission.ACCOUNTS_VIEW, accounts, f"{ACCOUNTS}?q="),
    Finder(message("Settings"), Permission.SETTINGS_VIEW, settings),
)

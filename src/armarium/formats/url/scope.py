"""The SURT form of Heritrix, `http://(fr,bnf,www,)/path`: its prefixes write the scope of a harvest.

It is no key: nothing is canonicalised, `www` stays, and the comma after the host lets a prefix end at a
label.
"""

import re

from armarium.formats.url.surt import NO_KEY

_parts = re.compile(
    r"([A-Za-z][A-Za-z0-9+.-]*://)(?:([^/?#]*)@)?(\[[^]/?#]*\]|[^:/?#]*)(:[0-9]*)?(.*)", re.DOTALL
)
_is_address = re.compile(r"\[.*\]|[0-9]{1,3}(?:\.[0-9]{1,3}){3}").fullmatch
_SLASHES_OF_A_PATH = 3


def surt_form(url: str) -> str:
    """`http://(org,archive,www,:8080@user)/path`; what has no host is given back as it is."""
    found = _parts.fullmatch(url.strip())
    if found is None:
        return url.strip() or NO_KEY
    scheme, user, host, port, rest = found.groups()
    if not _is_address(host):
        host = ",".join(reversed(host.split("."))) + ","
    return f"{scheme.lower()}({host.lower()}{port or ''}{f'@{user}' if user else ''}){rest}"


def implied_prefix(seed: str) -> str:
    """The prefix that a seed stands for: its folder; without a slash after the host, all hosts below, too."""
    if "://" not in seed:
        seed = f"http://{seed.strip()}"
    form = surt_form(seed)
    if form.count("/") >= _SLASHES_OF_A_PATH:
        return form[: form.rindex("/") + 1]
    return form.removesuffix(")")

"""A browser's name for people, from what it says of itself. Only for show: anybody can say anything."""

import re

#: In this order: most browsers also name those whose pages they want to get.
BROWSERS = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS = (
    ("Windows", "Windows"),
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def browser_of(agent: str) -> str:
    browser = next((name for mark, name in BROWSERS if mark in agent), None)
    system = next((name for mark, name in SYSTEMS if mark in agent), None)
    if browser is None:
        return re.sub(r"[^\x20-\x7e]", "?", agent)[:60] or "?"
    return f"{browser}, {system}" if system else browser

"""The attributes of one start tag, each value rewritten in its place."""

import re
from collections.abc import Callable, Iterator

from armarium.access.rewrite import attributes as table
from armarium.access.rewrite.attributes import escape_attribute, rewrite_srcset, unescape_attribute
from armarium.access.rewrite.css import rewrite_css
from armarium.access.rewrite.headers import refreshed
from armarium.access.rewrite.js import ScriptRewriter
from armarium.access.rewrite.links import Links
from armarium.access.rewrite.modules import rewrite_import_map
from armarium.access.rewrite.stream import Copy
from armarium.access.rewrite.tokens import ATTRIBUTE

_SCRIPT_URL = re.compile(
    r"([\x00-\x20]*" + r"[\t\n\r]*".join("javascript") + r"[\t\n\r]*:)(.*)\Z", re.IGNORECASE | re.DOTALL
)
_LIKE_AN_ADDRESS = re.compile(r"\s*(?:https?:)?//", re.IGNORECASE)
_EVENT = re.compile(r"on[a-z]+\Z")
# Windows that are the archive's own, seen from an archived page: the frame of the replay takes their place.
_OUTER_WINDOWS = frozenset({"_blank", "_top", "_parent"})
_REPLAY_FRAME = "___wb_replay_top_frame"

Found = re.Match[str]


class TagRewriter:
    def __init__(self, links: Links, charset: str, document: Callable[[str], str] | None) -> None:
        self.links = links
        self._charset = charset
        self._document = document
        self._scripts = ScriptRewriter(links)
        self._base_seen = False
        self._special: dict[str, Callable[[Copy, int, int], None]] = {
            "base": self._base,
            "link": self._link,
            "meta": self._meta,
            "script": self._script,
        }

    def rewrite(self, name: str, copy: Copy, start: int, end: int, *, foreign: bool) -> None:
        """The attributes between two places of the text."""
        special = self._special.get(name)
        if special is not None and (not foreign or name == "script"):
            special(copy, start, end)
        elif foreign:
            animated = name in ("animate", "set", "animatemotion") or name.startswith("animate")
            ways = table.ANIMATED if animated else {**table.FOREIGN, **table.TAGS.get(name, {})}
            self._by_table(ways, copy, start, end, foreign=True)
        else:
            self._by_table(table.TAGS.get(name, table.ANY), copy, start, end)

    def style(self, text: str) -> str:
        return rewrite_css(text, self.links)

    def script(self, text: str, attributes: str) -> str:
        """The content of a script element, by what its attributes say it is."""
        kind = _script_type(attributes)
        if kind == "classic":
            return self._scripts.classic(text)
        if kind == "module":
            return self._scripts.module(text)
        if kind == "importmap":
            return rewrite_import_map(text, self.links)
        return "{}" if kind == "speculationrules" else text

    # --- elements in which one attribute says what another means

    def _base(self, copy: Copy, start: int, end: int) -> None:
        for found in _attributes(copy.text, start, end):
            name = found[1].lower()
            if name == "href" and found.lastindex != 1:
                self._base_address(found, copy)
            elif name == "target":
                self._attribute(found, table.TARGET, copy)

    def _base_address(self, found: Found, copy: Copy) -> None:
        value = self._value(_raw(found)).strip()
        if not value:
            return
        based = self.links.based(value)
        new = self.links.archived(value)
        if new != value:
            # In full, with its slash: what stands beside `http://example.com` would be another host.
            new = self.links.absolute(based.url)
            self._write(found, escape_attribute(new), copy)
        if not self._base_seen:
            self._base_seen = True
            self.links = based
            self._scripts = ScriptRewriter(based)

    def _link(self, copy: Copy, start: int, end: int) -> None:
        known = _known(copy.text, start, end)
        relations = set(known.get("rel", "").lower().split())
        mod = "oe_"
        if "stylesheet" in relations:
            mod = "cs_"
        elif "modulepreload" in relations:
            mod = "esm_"
        elif "import" in relations:
            mod = "mp_"
        elif relations & {"preload", "prefetch"}:
            mod = table.PRELOADED.get(known.get("as", "").lower(), "oe_")
        ways = {
            **table.ANY,
            "href": mod,
            "imagesrcset": table.SET,
            "integrity": table.DISARMED,
            "crossorigin": table.DISARMED,
        }
        self._by_table(ways, copy, start, end)

    def _meta(self, copy: Copy, start: int, end: int) -> None:
        known = _known(copy.text, start, end)
        pragma = known.get("http-equiv", "").strip().lower()
        referrer = known.get("name", "").strip().lower() == "referrer"
        for found in _attributes(copy.text, start, end):
            if found[1].lower() != "content" or found.lastindex == 1:
                continue
            if pragma in table.DISARMED_PRAGMAS:
                copy.replace(found.start(1), found.start(1), "_")
            elif referrer:
                self._write(found, "no-referrer-when-downgrade", copy)
            elif pragma == "refresh":
                value = self._value(_raw(found))
                new = refreshed(value, self.links)
                if new != value:
                    self._write(found, escape_attribute(new), copy)

    def _script(self, copy: Copy, start: int, end: int) -> None:
        kind = _script_type(copy.text[start:end])
        mod = "esm_" if kind == "module" else "js_"
        ways = {**table.ANY, "src": mod, "href": mod, "xlink:href": mod}
        for found in _attributes(copy.text, start, end):
            name = found[1].lower()
            if name in ("integrity", "crossorigin"):
                self._attribute(found, table.DISARMED, copy)
            elif name == "src" and found.lastindex != 1:
                self._script_source(found, mod, copy)
            elif name in ways:
                self._attribute(found, ways[name], copy)
            elif _EVENT.match(name):
                self._attribute(found, table.SCRIPT, copy)

    def _script_source(self, found: Found, mod: str, copy: Copy) -> None:
        raw = _raw(found)
        new = self._address(raw, mod)
        if new is None:
            return
        if raw and raw[0] not in "/\\" and ":" not in raw:
            # Scripts that ask for the attribute want it as it was written; wombat answers with this one.
            copy.replace(found.start(1), found.start(1), f'__wb_orig_src="{raw.replace(chr(34), "&quot;")}" ')
        self._write(found, new, copy)

    # --- values

    def _by_table(
        self, ways: dict[str, str], copy: Copy, start: int, end: int, *, foreign: bool = False
    ) -> None:
        for found in ATTRIBUTE.finditer(copy.text, start, end):
            name = found[1].lower()
            way = ways.get(name)
            if way is not None:
                self._attribute(found, way, copy)
            elif name.startswith("on") and _EVENT.match(name):
                self._attribute(found, table.SCRIPT, copy)
            elif foreign and "(" in found[0]:
                self._attribute(found, table.CSS, copy)

    def _attribute(self, found: Found, way: str, copy: Copy) -> None:
        if way == table.DISARMED:
            copy.replace(found.start(1), found.start(1), "_")
            return
        if found.lastindex == 1:
            return
        raw = _raw(found)
        treat = self._ways.get(way)
        new = self._address(raw, way) if treat is None else treat(self, raw)
        if new is not None:
            self._write(found, new, copy)

    def _write(self, found: Found, new: str, copy: Copy) -> None:
        group = found.lastindex or 1
        if group == 4 and not new.isalnum() and any(character in new for character in " \t\n'\"`=<>"):
            new = f'"{new}"'
        copy.replace(found.start(group), found.end(group), new)

    def _value(self, raw: str) -> str:
        """What the browser sees: references resolved, bytes decoded."""
        value = unescape_attribute(raw)
        if value.isascii():
            return value
        try:
            return value.encode("latin-1").decode(self._charset)
        except (UnicodeError, LookupError):
            return value

    def _address(self, raw: str, mod: str) -> str | None:
        value = raw if raw.isascii() and "&" not in raw else self._value(raw)
        new = self.links.archived(value, mod or None)
        if new == value:
            script = _SCRIPT_URL.match(value)
            return self._script_address(script) if script else None
        if new.endswith(value):
            return new[: len(new) - len(value)] + raw
        return escape_attribute(new)

    def _script_address(self, found: Found) -> str | None:
        new = self._scripts.handler(found[2])
        return None if new == found[2] else escape_attribute(found[1] + new)

    def _css(self, raw: str) -> str | None:
        return self._changed(raw, self.style)

    def _handler(self, raw: str) -> str | None:
        return self._changed(raw, self._scripts.handler)

    def _set(self, raw: str) -> str | None:
        return self._changed(raw, lambda value: rewrite_srcset(value, self.links))

    def _several(self, raw: str) -> str | None:
        return self._changed(
            raw, lambda value: re.sub(r"[^\s,]+", lambda each: self.links.archived(each[0], "oe_"), value)
        )

    def _semicolons(self, raw: str) -> str | None:
        return self._changed(
            raw, lambda value: re.sub(r"[^;]+", lambda each: self.links.archived(each[0]), value)
        )

    def _if_absolute(self, raw: str) -> str | None:
        return self._address(raw, "oe_") if _LIKE_AN_ADDRESS.match(unescape_attribute(raw)) else None

    def _target(self, raw: str) -> str | None:
        target = raw.strip().lower()
        if target == "_parent" and self.links.mod in ("if_", "fr_"):
            return None  # that is an archived page too
        return _REPLAY_FRAME if target in _OUTER_WINDOWS else None

    def _page(self, raw: str) -> str | None:
        return self._changed(raw, self._document) if self._document else None

    def _changed(self, raw: str, rewrite: Callable[[str], str]) -> str | None:
        value = unescape_attribute(raw)
        new = rewrite(value)
        return None if new == value else escape_attribute(new)

    _ways: dict[str, Callable[["TagRewriter", str], str | None]] = {  # noqa: RUF012  (a table, never changed)
        table.CSS: _css,
        table.SCRIPT: _handler,
        table.SET: _set,
        table.SEVERAL: _several,
        "SEMICOLONS": _semicolons,
        table.IF_ABSOLUTE: _if_absolute,
        table.TARGET: _target,
        table.DOCUMENT: _page,
    }


def _attributes(text: str, start: int, end: int) -> Iterator[Found]:
    return ATTRIBUTE.finditer(text, start, end)


def _raw(found: Found) -> str:
    return found[found.lastindex or 1]


def _known(text: str, start: int, end: int) -> dict[str, str]:
    """The attributes as the browser sees them: of two with one name, the first counts."""
    known: dict[str, str] = {}
    for found in ATTRIBUTE.finditer(text, start, end):
        known.setdefault(found[1].lower(), unescape_attribute(_raw(found)) if found.lastindex != 1 else "")
    return known


def _script_type(attributes: str) -> str:
    """HTML Standard, "prepare the script element"."""
    known = _known(attributes, 0, len(attributes))
    if "type" in known:
        written = known["type"].strip().lower()
    elif known.get("language"):
        written = f"text/{known['language'].strip().lower()}"
    else:
        written = ""
    if not written or written in table.JAVASCRIPT_TYPES:
        return "classic"
    return written if written in ("module", "importmap", "speculationrules") else "other"

"""XML that a browser shows itself: SVG and XHTML, and the style sheets that any document names.

Feeds and data are left alone: their readers are scripts and programs that want them as they were.
"""

import re

from armarium.access.rewrite.css import rewrite_css
from armarium.access.rewrite.entities import escape_attribute, unescape_attribute
from armarium.access.rewrite.links import Links

_STYLE_SHEET = re.compile(r"(<\?xml-stylesheet\b[^<>]*?\bhref\s*=\s*)(\"[^\"]*\"|'[^']*')")
# No quote in a name: then no text makes each of many beginnings look for its end behind all the others.
_TAG = re.compile(r"<([A-Za-z_][^\s/<>\"']*+)((?:[^<>\"']++|\"[^\"]*+\"|'[^']*+')*+)>")
_ATTRIBUTE = re.compile(
    r"(\s)((?:xlink:)?href|src|style|xml:base|data|action|poster)(\s*=\s*)(\"[^\"]*\"|'[^']*')"
)
_STYLE = re.compile(
    r"(<(?:svg:)?style\b[^<>]*+>)((?:[^<]++|<(?!/?(?:svg:)?style\b))*+)(</(?:svg:)?style\s*>)"
)
_SVG = re.compile(r"<(?:svg:)?svg[\s>]|http://www\.w3\.org/(?:2000/svg|1999/xhtml)")
_MODS = {"image": "im_", "script": "js_", "iframe": "if_", "use": "im_"}


def rewrite_xml(text: str, links: Links) -> str:
    text = _STYLE_SHEET.sub(lambda found: found[1] + _quoted(found[2], links, "cs_"), text)
    if not _SVG.search(text[:65536]):
        return text
    text = _TAG.sub(lambda found: _tag(found, links), text)
    return _STYLE.sub(lambda found: found[1] + rewrite_css(found[2], links) + found[3], text)


def _tag(found: re.Match[str], links: Links) -> str:
    links.work_on()
    name = found[1].rpartition(":")[2].lower()
    mod = _MODS.get(name)

    def attribute(each: re.Match[str]) -> str:
        if each[2] == "style":
            quote, inner = each[4][0], unescape_attribute(each[4][1:-1])
            rewritten = rewrite_css(inner, links)
            return (
                each[0]
                if rewritten == inner
                else f"{each[1]}style{each[3]}{quote}{escape_attribute(rewritten)}{quote}"
            )
        return each[1] + each[2] + each[3] + _quoted(each[4], links, mod)

    return f"<{found[1]}{_ATTRIBUTE.sub(attribute, found[2])}>" if "=" in found[2] else found[0]


def _quoted(written: str, links: Links, mod: str | None) -> str:
    quote, inner = written[0], written[1:-1]
    plain = unescape_attribute(inner)
    archived = links.archived(plain, mod)
    return written if archived == plain else f"{quote}{escape_attribute(archived)}{quote}"

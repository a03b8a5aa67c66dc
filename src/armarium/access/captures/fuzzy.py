"""Addresses that differ from a captured one only in what does not matter.

A page asks for `data.json?_=1699999999`, where the number is the moment; the crawler came at another moment.
Only when there is no capture of the very address, the captures of the same path are looked at, by the rules
below, from the safest to the boldest. A rule says which parameters of the query do not count. Keys are
compared, so parameters are in lower case and in order.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_METHOD = "__wb_method="  # never left out: the answer to POST is none to GET
_TABLE_END = "@"  # the character behind "?"


@dataclass(frozen=True)
class Rule:
    name: str
    ignored: re.Pattern[str] | None  # parameters that do not count, wholly matched
    kept: re.Pattern[str] | None = None  # or: the only ones that do
    paths: re.Pattern[str] = re.compile("")  # of which keys, up to the query
    below: str = ""  # look among all keys that begin like this, and not only at the same path

    def essence(self, key: str) -> tuple[str, ...] | None:
        """What remains of a key; None where the rule does not speak of it."""
        path, parameters = parted(key)
        if not self.paths.search(path):
            return None
        if self.kept is not None:
            counted = [each for each in parameters if self.kept.fullmatch(each) or each.startswith(_METHOD)]
            return ("", *counted)
        assert self.ignored is not None, self.name
        ignored = self.ignored
        counted = [each for each in parameters if each.startswith(_METHOD) or not ignored.fullmatch(each)]
        return (path, *counted)


def _rule(name: str, ignored: str, paths: str = "") -> Rule:
    return Rule(name, re.compile(ignored), paths=re.compile(paths))


RULES: tuple[Rule, ...] = (
    # Written by scripts so that no cache answers: a moment, or a random number.
    _rule(
        "cache-buster",
        r"(?:_|_t|_dc|cb|cache|cachebuster|cache_buster|bust|nocache|no_cache|rand|random|rnd|r|t|ts|time|"
        r"timestamp|zx|ord|x)=[0-9.]{4,}|(?:0\.)?[0-9]{5,}=?|_=[0-9a-z.]*",
    ),
    # The name of the function that takes the answer; the answer itself is rewritten to the asked one.
    _rule(
        "jsonp",
        r"(?:callback|jsonp|jsoncallback|json_callback|jsonpcallback|jsonp_callback|cb)=[\w.$%-]+|_=\w*",
    ),
    # Who came by which letter or advertisement.
    _rule("tracking", r"(?:utm_\w+|fbclid|gclid|dclid|msclkid|yclid|mc_[ce]id|_ga|_gl|igshid|ref_src)=.*"),
    # Which visit it was.
    _rule(
        "session",
        r"(?:s|sid|sessid|session|session_?id|phpsessid|jsessionid|aspsessionid\w*|cfid|cftoken|token|csrf|"
        r"csrf_?token|authenticity_token|nonce|visitor_?id|uuid|guid)=[\w.%-]{8,}|_=\w*",
    ),
    # A piece of a film as the player asked for it; the whole is one capture.
    _rule(
        "media-range",
        r"(?:range|bytes|byterange|start|end|offset|rn|rbuf|seek|fs|ms)=[0-9-]*",
        r"\.(?:mp4|m4s|m4v|m4a|webm|flv|ts|mp3|ogv|ogg|mov)$|/videoplayback$",
    ),
    # The same film from another machine of the same house, with other signatures.
    Rule(
        "videoplayback",
        None,
        kept=re.compile(r"(?:id|itag|mime)=.*"),
        paths=re.compile(r"^com,googlevideo,.*\)/videoplayback$"),
        below="com,googlevideo,",
    ),
    # The query of a file names a version of it, or nothing.
    _rule(
        "file",
        r".*",
        r"\.(?:js|mjs|css|map|png|jpe?g|gif|svg|webp|avif|ico|bmp|woff2?|ttf|otf|eot|mp[34]|m4[av]|webm|og[gv]|"
        r"swf|pdf|wasm|vtt|xml|txt)$",
    ),
)


def parted(key: str) -> tuple[str, list[str]]:
    path, _, query = key.partition("?")
    return path, query.split("&") if query else []


def search_ranges(key: str) -> list[tuple[str, str]]:
    """Where in the index to look for keys that may stand for this one: from a key up to another one."""
    path, _ = parted(key)
    ranges = [(f"{path}?", f"{path}{_TABLE_END}"), (path, f"{path}!")]
    ranges += [
        (rule.below, _behind(rule.below)) for rule in RULES if rule.below and key.startswith(rule.below)
    ]
    return ranges


def best(key: str, known: Iterable[str]) -> tuple[str, str] | None:
    """Of the known keys the one that may stand for `key`, and the name of the rule that says so."""
    candidates = [each for each in known if each != key]
    wanted = set(parted(key)[1])
    for rule in RULES:
        essence = rule.essence(key)
        if essence is None:
            continue
        if fitting := [each for each in candidates if rule.essence(each) == essence]:
            return max(fitting, key=lambda each: len(wanted.intersection(parted(each)[1]))), rule.name
    return None


def _behind(prefix: str) -> str:
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)

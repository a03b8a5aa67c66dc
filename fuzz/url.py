"""Fuzzing of URLs: any text has a key and measures, resolves or is refused, and normal forms are their own.

python fuzz/url.py -max_total_time=600 -rss_limit_mb=200 fuzz/corpus/url
"""

import sys
from pathlib import Path

import atheris

# A script's own folder comes first in the search for modules: this file would be taken for url-py's `url`.
sys.path[:] = [folder for folder in sys.path if Path(folder).resolve() != Path(__file__).resolve().parent]

with atheris.instrument_imports(include=["armarium.formats.url"]):
    from armarium.formats.url import (
        InvalidUrl,
        Match,
        canonical,
        measure,
        normal,
        parse,
        registered_domain,
        resolve,
        search_range,
        surt,
        unsurt,
    )
    from armarium.formats.url.surt import implied_prefix

BASE = "http://user@www.example.org:8080/a/b/c?d=e#f"
ENCODINGS = ("utf-8", "iso-8859-1", "shift_jis", "iso-2022-jp", "gb18030")


def one_input(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    _check_key(data, text)
    measure(text)
    implied_prefix(text)
    registered_domain(text, ["b.a", "*.c"])
    encoding = ENCODINGS[len(data) % len(ENCODINGS)]
    try:
        href = resolve(BASE, text, encoding)
    except InvalidUrl:
        return
    assert href.isascii()
    assert normal(href) == href
    assert parse(href).href == href
    once = canonical(href)
    assert canonical(once) == once


def _check_key(data: bytes, text: str) -> None:
    key = surt(data)
    assert surt(text) == key
    unsurt(key)
    if text.startswith("filedesc"):
        return
    assert key.isascii()
    assert key.isprintable()
    assert " " not in key
    assert surt(f" {text}") == key  # the long way
    for match in Match:
        first, end = search_range(text, match)
        assert first < end


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()

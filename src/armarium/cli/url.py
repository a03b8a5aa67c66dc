"""`armarium url`: what Armarium makes of a URL. Needs no data folder, no database and no network."""

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated

import typer

from armarium.formats.url import (
    InvalidUrl,
    Url,
    asked_for,
    canonical,
    measure,
    parse,
    public_suffix,
    registered_domain,
    surt,
)
from armarium.terminal.groups import group
from armarium.terminal.output import complain, on_terminal, say, show_json, standard_input
from armarium.terminal.session import Json

Urls = Annotated[
    list[str] | None,
    typer.Argument(metavar="URL…", help="The URLs. With `-`, or none, one per line from standard input."),
]
Registry = Annotated[
    list[str] | None,
    typer.Option(
        "--registry",
        metavar="SUFFIX",
        help="A suffix under which names are registered although the public suffix list does not know it, "
        "for example asso.fr; *.example means every name below, !www.example an exception. May be repeated.",
    ),
]
Private = Annotated[
    bool,
    typer.Option(
        "--private/--no-private",
        help="Whether hosting services of the list, such as github.io, count as suffixes.",
    ),
]
Answer = dict[str, object]  # what a line says, and the same for programs

url_commands = group(
    "URLs: their canonical form, their key in an index, their registered domain.\n\n"
    "Every command takes URLs as arguments, or one per line from standard input, and answers one per line, "
    "in the same order. Nothing is fetched and nothing is looked up. Exit code 1: one of them is no URL.",
)


@url_commands.command("canonical")
def canonical_form(urls: Urls = None, as_json: Json = False) -> None:
    """Show the form by which a harvest knows a URL as already seen.

    Two URLs with the same canonical form lead to the same page on every server: letters in scheme and host
    are small, the default port, dot segments and the fragment are gone, percent-encoding is uniform.
    Parameters are never sorted or dropped: some server would give another page.

    Example: armarium url canonical 'HTTP://Example.org:80/a/../%7Ebob#top'
    """

    def answer(text: str) -> Answer:
        found = measure(text)
        measures = {"depth": found.depth, "repetition": found.consecutive, "session": found.session}
        return {"canonical": canonical(text), **measures}

    _show(_given(urls), as_json, "canonical", answer)


@url_commands.command("surt")
def surt_key(urls: Urls = None, as_json: Json = False) -> None:
    """Show the key under which indexes (CDX, CDXJ) of web archives hold a URL.

    Any text has a key, also `dns:` and broken URLs.

    Example: armarium url surt 'http://www.example.com/a?b=2&a=1' shows com,example)/a?a=1&b=2
    """
    _show(_given(urls), as_json, "surt", lambda text: {"surt": surt(text)})


@url_commands.command("domain")
def domain(
    urls: Urls = None, registry: Registry = None, private: Private = True, as_json: Json = False
) -> None:
    """Show the registered domain: what somebody registered with a registry, by the public suffix list.

    A dash where there is none: for an IP address, a name without a dot, or a suffix itself. Host names
    without a scheme are taken, too.

    Example: armarium url domain --registry asso.fr https://www.example.asso.fr/ shows example.asso.fr
    """
    registries = tuple(registry or ())

    def answer(text: str) -> Answer:
        host = _url_or_host(text).host or ""
        return {
            "host": host,
            "domain": registered_domain(host, registries, private=private),
            "suffix": public_suffix(host, registries, private=private),
        }

    _show(_given(urls), as_json, "domain", answer)


def _url_or_host(text: str) -> Url:
    try:
        return parse(asked_for(text))
    except InvalidUrl:
        if "://" in text or text.startswith(("/", "?", "#")):
            raise
        return parse(f"http://{text}")


def _given(urls: list[str] | None) -> Iterator[str]:
    if not urls and on_terminal(sys.stdin):
        raise typer.BadParameter("Give a URL, or - to read them from standard input.", param_hint="URL…")
    for url in urls or ["-"]:
        if url == "-":
            # Lists of URLs from elsewhere are not always UTF-8; what is not is kept byte for byte.
            lines = (line.decode("utf-8", "surrogateescape").strip() for line in standard_input())
            yield from filter(None, lines)
        else:
            yield url


def _show(texts: Iterable[str], as_json: bool, shown: str, answer: Callable[[str], Answer]) -> None:
    """One answer per URL, in order, each as soon as it is there; a dash for what has none."""
    answers: list[Answer] = []
    refused = False
    for text in texts:
        url = text.encode("utf-8", "replace").decode()
        try:
            found = {"url": url} | answer(text)
        except InvalidUrl as error:
            refused = True
            found = {"url": url, shown: None, "problem": error.reason}
            complain(f"“{url}” is not a URL: {error.reason}.")
        if as_json:
            answers.append(found)
        else:
            say(str(found[shown] or "-"))
    if as_json:
        show_json(answers)
    if refused:
        raise typer.Exit(1)

"""A digest in words, in the language of the person it is for."""

from collections.abc import Sequence

from armarium.core.message import message
from armarium.languages.speech import ngettext, number, say, speaking
from armarium.selection.digests.model import Line, News, Reader

LONGEST = 500  # characters of a comment or a reason


def written(reader: Reader, news: News, site: str, language: str) -> tuple[str, str]:
    """Subject and text."""
    with speaking(language):
        parts = [say(message("Hello %(name)s,", name=reader.name)), *_counts(news, site)]
        parts += _list(say(message("Refused since the last mail:")), news.refused, site)
        parts += _list(say(message("New comments on your records:")), news.comments, site)
        parts.append(
            say(
                message(
                    "How often this mail comes can be changed here: %(address)s",
                    address=f"{site}/selection/digest",
                )
            )
        )
        return say(message("What waits for you in selection")), "\n\n".join(parts)


def _counts(news: News, site: str) -> list[str]:
    lines = []
    if news.proposals:
        said = ngettext(
            "%(num)s record waits for a decision", "%(num)s records wait for a decision", news.proposals
        )
        lines.append(_with_address(said % {"num": number(news.proposals)}, f"{site}/selection/tray"))
    if news.nominations:
        said = ngettext(
            "%(num)s nomination waits for an answer",
            "%(num)s nominations wait for an answer",
            news.nominations,
        )
        there = f"{site}/selection/nominations"
        lines.append(_with_address(said % {"num": number(news.nominations)}, there))
    return lines


def _with_address(said: str, address: str) -> str:
    """With a colon as the language writes it."""
    return say(message("%(label)s: %(value)s", label=said, value=address))


def _list(heading: str, lines: Sequence[Line], site: str) -> list[str]:
    if not lines:
        return []
    listed = [
        f"- {one.name}\n  {_shortened(one.text)}\n  {site}/selection/records/{one.record}" for one in lines
    ]
    return ["\n".join([heading, *listed])]


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"

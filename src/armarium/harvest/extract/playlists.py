"""DASH descriptions of media (ISO/IEC 23009-1): the pieces that a player would fetch, written out."""

import math
import re
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from armarium.formats.hls import Variables, has_variables, lines_of
from armarium.formats.text import Kind
from armarium.formats.text.xml import Characters, Start, XmlReader
from armarium.formats.url import InvalidUrl, resolve
from armarium.harvest.extract.addresses import is_address, suffix
from armarium.harvest.extract.document import Document
from armarium.harvest.extract.findings import Findings
from armarium.harvest.model import Hop

MOST_SEGMENTS = 50_000  # of one description: ten hours in six qualities, each piece four seconds long
_LONGEST = 4096
_ADDRESSES = ("media", "sourceurl", "initialization", "index")
# 5.3.9.4.4: $Number%05d$ has five digits, $$ is a dollar sign.
_place = re.compile(r"\$(RepresentationID|Number|Bandwidth|Time|)(?:%0([0-9]{1,2})d)?\$").sub
_duration = re.compile(
    r"P(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d{0,9})?)S)?)?"
).fullmatch


_presentation = re.compile(r"<(?:\w+:)?MPD\b([^<>]*+)>").search
_period = re.compile(r"<(?:\w+:)?Period\b([^<>]*+)>").finditer
_length = re.compile(r"\s(mediaPresentationDuration|start|duration)\s*+=\s*+[\"']([^\"']*+)").findall


@dataclass(frozen=True, slots=True)
class Level:
    """An open element: what holds in it, and in all that it contains."""

    base: str
    seconds: float | None = None  # how long the period is; None: nobody says so, as of what is live
    template: dict[str, str] = field(default_factory=dict)  # the attributes of SegmentTemplate
    timeline: list[tuple[int | None, int, int]] = field(default_factory=list)  # time, duration, repetitions
    identity: str = ""  # of the representation
    bandwidth: str = ""


class DashExtractor:
    """Templates are filled in for every piece of every representation, as far as its length is known."""

    name = "dash"

    def takes(self, document: Document) -> bool:
        return document.mime == "application/dash+xml" or document.root == "mpd"

    def read(self, document: Document, findings: Findings) -> None:
        # That of a page would lose most of a film.
        findings.allow(MOST_SEGMENTS, "dash-segments")
        text, _ = document.text(Kind.XML)
        levels, lengths = [Level(document.url)], _lengths(text)
        held, room = "", MOST_SEGMENTS
        for event in XmlReader().read([text]):
            if isinstance(event, Characters):
                held = (held + event.text)[:_LONGEST]
                continue
            if isinstance(event, Start):
                levels.append(_entered(event, levels, findings))
                if event.name == "period":
                    levels[-1] = replace(levels[-1], seconds=next(lengths, None))
            elif len(levels) > 1:
                level = levels.pop()
                _left(event.name, level, held.strip(), levels, findings)
                if event.name == "representation" and level.template:
                    room -= _write_out(level, room, findings)
            held = ""


def _lengths(text: str) -> Iterator[float | None]:
    """The seconds of each period, in their order (5.3.2.1): its own, or up to the next, or to the end."""
    head = _presentation(text)
    total = _seconds(dict(_length(head[1])).get("mediaPresentationDuration", "")) if head else None
    periods = [dict(_length(found[1])) for found in _period(text)]
    begins: list[float | None] = []
    end: float | None = 0.0
    for one in periods:
        begin = _seconds(one.get("start", ""))
        begins.append(end if begin is None else begin)
        own = _seconds(one.get("duration", ""))
        end = None if own is None or begins[-1] is None else begins[-1] + own
    for one, begin, until in zip(periods, begins, [*begins[1:], total], strict=True):
        own = _seconds(one.get("duration", ""))
        left = until - begin if until is not None and begin is not None else None
        yield own if own is not None else left


def _entered(event: Start, levels: list[Level], findings: Findings) -> Level:
    level, values = levels[-1], event.attributes
    match event.name:
        case "representation":
            return replace(level, identity=values.get("id", ""), bandwidth=values.get("bandwidth", ""))
        case "segmenttemplate":
            if any(len(value) > _LONGEST for value in values.values()):
                _mark(findings)
                values = {name: value for name, value in values.items() if len(value) <= _LONGEST}
            return replace(level, template=level.template | values, timeline=[])
        case "s":
            repeated = values.get("r", "")
            times = -1 if repeated.startswith("-") else _number(repeated) or 0
            level.timeline.append((_number(values.get("t")), _number(values.get("d")) or 0, times))
            return level
    for name in _ADDRESSES:
        if value := values.get(name, ""):
            findings.add(_joined(level.base, value), Hop.EMBED, f"dash/@{name}")
    return level


def _left(name: str, level: Level, held: str, levels: list[Level], findings: Findings) -> None:
    above = levels[-1]
    match name:
        case "segmenttemplate":
            timeline = level.timeline or above.timeline
            levels[-1] = replace(above, template=level.template, timeline=timeline)
        case "baseurl" if held:
            # Each of several is an alternative: they count from the level above, not from each other.
            below = levels[-2].base if len(levels) > 1 else above.base
            base = _joined(below, held)
            base = base if 0 < len(base) <= _LONGEST else above.base
            levels[-1] = replace(above, base=base)
            if suffix(base):
                findings.add(base, Hop.EMBED, "dash/baseurl")
        case "location":
            findings.add(_joined(level.base, held), Hop.EMBED, "dash/location")


def _write_out(level: Level, room: int, findings: Findings) -> int:
    """The pieces of a representation, no more than there is room for; how many it were."""
    for name in ("initialization", "index"):
        if value := level.template.get(name, ""):
            findings.add(_filled(value, level, 0, 0), Hop.EMBED, f"dash/@{name}")
    media = level.template.get("media", "")
    if not media:
        return 0
    if len(_filled(media, level, 0, 0)) > _LONGEST:  # it would be written thousands of times
        _mark(findings)
        return 0
    segments = _segments(level)
    taken = 0
    for number, time in islice(segments, room):
        findings.add(_filled(media, level, number, time), Hop.EMBED, "dash/@media")
        taken += 1
    if next(segments, None) is not None:
        _mark(findings)
    return taken


def _mark(findings: Findings) -> None:
    """Say in crawl.log that pieces were left out."""
    if "dashTrunc" not in findings.annotations:
        findings.annotations.append("dashTrunc")


def _segments(level: Level) -> Iterator[tuple[int, int]]:
    """Number and time of each piece."""
    template = level.template
    first = _number(template.get("startnumber"))
    number = 1 if first is None else first
    if level.timeline:
        yield from _timed(level, number)
        return
    length = _number(template.get("duration"))
    scale = _number(template.get("timescale")) or 1
    last = _number(template.get("endnumber"))
    if last is None and length and level.seconds is not None:
        last = number + math.ceil(level.seconds * scale / length) - 1
    if last is not None:
        yield from ((one, (one - number) * (length or 0)) for one in range(number, last + 1))


def _timed(level: Level, number: int) -> Iterator[tuple[int, int]]:
    """5.3.9.6: each S is a piece and its repetitions; a negative number is as many as there is room for."""
    time, pieces = 0, level.timeline
    scale = _number(level.template.get("timescale")) or 1
    end = math.ceil((level.seconds or 0) * scale)
    for place, (begin, length, repeated) in enumerate(pieces):
        time = time if begin is None else begin
        times = repeated + 1
        if repeated < 0 and length:
            until = pieces[place + 1][0] if place + 1 < len(pieces) else end
            times = math.ceil(((until or 0) - time) / length)
        for _ in range(max(times, 1)):
            yield number, time
            number, time = number + 1, time + length


def _filled(template: str, level: Level, number: int, time: int) -> str:
    values = {
        "RepresentationID": level.identity,
        "Bandwidth": level.bandwidth,
        "Number": str(number),
        "Time": str(time),
        "": "$",
    }
    return _joined(level.base, _place(lambda found: values[found[1]].zfill(int(found[2] or 0)), template))


def _seconds(written: str) -> float | None:
    found = _duration(written)
    if found is None:
        return None
    days, hours, minutes, seconds = (float(part or 0) for part in found.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def _number(written: str | None) -> int | None:
    return int(written) if written and len(written) < 19 and written.isdecimal() else None


def _joined(base: str, reference: str) -> str:
    try:
        return resolve(base, reference) if reference else ""
    except InvalidUrl:
        return ""


# --- HLS playlists (RFC 8216, and draft-pantos-hls-rfc8216bis for the variables in them).


_address_in_tag = re.compile(r"\b(?:URI|X-ASSET-LIST)=\"([^\"]*+)\"").findall

_MOST_PLAYLISTS = 1000
UNKNOWN_VARIABLE = "hlsTrunc"


class HlsExtractor:
    """RFC 8216: every line that is no tag is an address, and so are the URI attributes of tags.

    A playlist may take over variables of the one that led to it; so those of the last ones are remembered.
    """

    name = "hls"
    _TYPES = frozenset(
        ("application/vnd.apple.mpegurl", "application/x-mpegurl", "audio/mpegurl", "audio/x-mpegurl")
    )

    def __init__(self) -> None:
        self._defined: OrderedDict[str, dict[str, str]] = OrderedDict()  # by the address of the playlist

    def takes(self, document: Document) -> bool:
        return document.mime in self._TYPES or document.body[:10].lstrip(b"\xef\xbb\xbf").startswith(
            b"#EXTM3U"
        )

    def read(self, document: Document, findings: Findings) -> None:
        text, _ = document.text(Kind.PLAIN)
        strict = text.lstrip("\ufeff").startswith("#EXTM3U")
        variables = Variables(document.url, text, before=self._defined.get(document.via))
        for _, line in lines_of(text):
            if variables.define(line) is not None:
                continue
            if line.startswith("#"):
                for uri in _address_in_tag(line) if line.startswith("#EXT") else ():
                    _add(variables.filled(uri), findings, "hls/@uri")
            elif line and (strict or is_address(line[:_LONGEST])):
                _add(variables.filled(line), findings, "hls/uri")
        if variables.values:
            self._remember(document.url, variables.values)

    def _remember(self, url: str, variables: dict[str, str]) -> None:
        self._defined[url] = variables
        self._defined.move_to_end(url)
        if len(self._defined) > _MOST_PLAYLISTS:
            self._defined.popitem(last=False)


def _add(reference: str, findings: Findings, context: str) -> None:
    if not has_variables(reference):
        findings.add(reference, Hop.EMBED, context)
    elif UNKNOWN_VARIABLE not in findings.annotations:
        findings.annotations.append(UNKNOWN_VARIABLE)  # nobody knows where it leads

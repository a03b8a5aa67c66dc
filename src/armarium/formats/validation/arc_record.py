"""One ARC record after the other, judged by its line, its content, and the version block."""

from datetime import datetime

from armarium.formats.arc.records import ArcRecord, ArcVersionBlock
from armarium.formats.http import parse_response
from armarium.formats.validation.arc import (
    MOST_METADATA,
    Line,
    VersionBlock,
    check_arc_line,
    check_version_block,
)
from armarium.formats.validation.content import WHOLE
from armarium.formats.validation.header import Finding
from armarium.formats.validation.http_body import Body, check_body, chunk_problems
from armarium.formats.validation.warc_record import Circumstances, Outcome

NOT_HTTP = ("alexa/dat", "text/dns")  # Alexa's own data stand under http: addresses
HTTP = ("http:", "https:")


def as_arc_date(moment: datetime | None) -> str | None:
    return moment.strftime("%Y%m%d%H%M%S") if moment else None


class ArcValidation:
    """The ARC records of one file."""

    def __init__(self, name: str, options: Circumstances) -> None:
        self._name = name
        self._latest = as_arc_date(options.now)
        self._block = VersionBlock(None, None)

    def check(self, record: ArcRecord) -> Outcome:
        """Judge one record; reads its block to the end."""
        values = {field.name: field.value for field in record.fields}
        outcome = Outcome(record.record_type, [], [])
        version_block = isinstance(record, ArcVersionBlock)
        if version_block:
            self._check_version_block(record, values, outcome.findings)
        plain = record.member is None or record.member.plain
        line = Line(version_block, self._block.fields, record.offset if plain else None, self._latest)
        outcome.findings.extend(check_arc_line(record.fields.raw, values, line))
        if not version_block:
            self._check_content(record, values, outcome)
        return outcome

    def _check_version_block(
        self, record: ArcRecord, values: dict[str, str], findings: list[Finding]
    ) -> None:
        if record.number:
            findings.append(("arc-version-block-again", {}))
        if values.get("Content-type") in ("", "-"):
            findings.append(("arc-version-type-missing", {}))
        stated = values.get("URL", "").partition("://")[2]
        if stated and self._name and _bare(stated) != _bare(self._name):
            findings.append(("arc-filename-differs", {"value": stated, "name": self._name}))
        if not record.block.length:
            findings.append(("arc-version-length", {}))
            return
        self._block = check_version_block(record.block.read(MOST_METADATA), findings)

    def _check_content(self, record: ArcRecord, values: dict[str, str], outcome: Outcome) -> None:
        http = values.get("URL", "").lower().startswith(HTTP)
        start = record.block.read(WHOLE)
        if not (http and start) or values.get("Content-type", "").lower().startswith(NOT_HTTP):
            return
        body = Body(parse_response(start))
        body.feed(start[body.head.length :])
        for piece in record.block:
            body.feed(piece)
        body.finish()
        outcome.problems.extend([*body.head.problems, *chunk_problems(body, "")])
        check_body(body, "", outcome.findings)


def _bare(name: str) -> str:
    return name.rpartition("/")[2].removesuffix(".open").removesuffix(".gz")

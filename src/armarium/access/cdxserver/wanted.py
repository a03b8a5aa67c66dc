"""What the parameters of the Internet Archive's dialect ask for."""

from dataclasses import dataclass

from armarium.access.cdxserver import steps
from armarium.access.cdxserver.parameters import Parameters, collapse_of, filter_of
from armarium.access.cdxserver.reading import Asked, asked
from armarium.access.cdxserver.resuming import Mark
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.formats.cdx.query import Filter, Operator

MOST = 150_000  # lines of one answer
BLOCKS = 50  # in a page
FIELDS = ("urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length")
_COLUMNS = (*FIELDS[:6], "redirect", "robotflags", "length", "offset", "filename")
_OPERATORS = {"": Operator.REGEX}
_ORIGINALS = ("orig.length", "orig.offset", "orig.filename")
#: Columns that are asked for by parameters of their own.
_COUNTS = {
    "dupecount": "showDupeCount",
    "skipcount": "showSkipCount",
    "groupcount": "showGroupCount",
    "uniqcount": "showUniqCount",
    "endtimestamp": "lastSkipTimestamp",
}


@dataclass(frozen=True)
class Wanted:
    """What the parameters ask for."""

    asked: Asked
    filters: list[Filter]
    value: steps.Value | None  # by which is collapsed
    fields: tuple[str, ...]
    limit: int
    last: bool  # the last lines, not the first
    offset: int
    counts: frozenset[str]
    originals: bool
    mark: Mark | None
    page: int | None
    blocks: int

    @classmethod
    def of(cls, parameters: Parameters) -> "Wanted":
        collapses = [collapse_of(text) for text in parameters.several("collapse")]
        limit = parameters.number("limit", MOST, least=-MOST)
        if not limit:
            raise Refused(message("The number of lines must be at least 1."), field="limit")
        question = asked(parameters)
        mark = Mark.parse(text) if (text := parameters.text("resumeKey")) else None
        if mark is not None and question.closest:
            raise Refused(message("An answer by distance cannot be resumed."), field="resumeKey")
        counts = frozenset(name for name, parameter in _COUNTS.items() if parameters.flag(parameter))
        originals = parameters.flag("resolveRevisits")
        shown = (*FIELDS, *(_ORIGINALS if originals else ()))
        return cls(
            asked=mark.narrowed(question) if mark else question,
            filters=[_filter(text) for text in parameters.several("filter")],
            value=steps.value_by(collapses) if collapses else None,
            fields=(parameters.names("fl") or shown) + tuple(name for name in _COUNTS if name in counts),
            limit=min(abs(limit), MOST),
            last=limit < 0 or parameters.flag("fastLatest"),
            offset=parameters.number("offset", 0, least=0),
            counts=counts,
            originals=originals,
            mark=mark,
            page=parameters.number("page", 0, least=0) if parameters.text("page") else None,
            blocks=parameters.number("pageSize", BLOCKS, most=BLOCKS),
        )


def _filter(text: str) -> Filter:
    """A field may be named by its place in the line."""
    found = filter_of(text, _OPERATORS)
    if found.field.isascii() and found.field.isdigit() and int(found.field[:3]) < len(_COLUMNS):
        return filter_of(text.replace(found.field, _COLUMNS[int(found.field)], 1), _OPERATORS)
    return found

"""The API of look-ups. The words of parameters are those of pywb's CDX server."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, Query
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.formats.cdx import CDX9, CDX11, CdxLine
from armarium.formats.cdx.query import Found, Match
from armarium.formats.cdx.query import Query as IndexQuery
from armarium.index.captures.pages import ChainService
from armarium.index.captures.parsing import collapse_of, digits_of, filter_of
from armarium.index.chain.model import MAIN
from armarium.web.api import operation
from armarium.web.routes import Router

api = Router(prefix="/index", tags=["index"])

MOST = 10_000
Text = Annotated[str, Query(max_length=10_000)]
Several = Annotated[list[Annotated[str, Query(max_length=5000)]], Query(max_length=20)]


class Output(StrEnum):
    JSON = "json"
    CDXJ = "cdxj"
    CDX11 = "cdx11"
    CDX9 = "cdx9"


class Sort(StrEnum):
    DEFAULT = "default"
    REVERSE = "reverse"
    CLOSEST = "closest"


class CaptureShown(BaseModel):
    urlkey: str
    timestamp: str
    date: datetime | None
    url: str | None
    mime: str | None
    status: int | None
    digest: str | None
    redirect: str | None
    length: int | None
    offset: int | None
    filename: str | None


class Captures(BaseModel):
    items: list[CaptureShown]
    resume: str | None  # for the parameter resumeKey, if there may be more


class Wanted:
    """The parameters of a look-up."""

    def __init__(
        self,
        url: Text = "",
        urlkey: Text = "",
        match: Annotated[Match, Query(alias="matchType")] = Match.EXACT,
        to_key: Annotated[
            Text, Query(alias="toKey", description="Of a range: the first key behind it.")
        ] = "",
        from_: Annotated[Text, Query(alias="from", description="4 to 14 digits, included.")] = "",
        to: Annotated[Text, Query(description="4 to 14 digits, included.")] = "",
        closest: Annotated[Text, Query(description="Order by the distance to this moment.")] = "",
        sort: Sort = Sort.DEFAULT,
        limit: Annotated[int, Query(ge=1, le=MOST)] = 1000,
        filter_: Annotated[
            Several, Query(alias="filter", description="[!][=|~]field:value; ~: RE2, =: equal, else a part.")
        ] = [],  # noqa: B006  (read only)
        collapse: Annotated[Several, Query(description="field, or field:letters.")] = [],  # noqa: B006
        resume: Annotated[Text, Query(alias="resumeKey")] = "",
    ) -> None:
        if sort is Sort.CLOSEST and not closest:
            raise Refused(message("Name the moment to be close to."), field="closest")
        self.query = IndexQuery(
            url=url,
            key=urlkey,
            match=match,
            to_key=to_key,
            from_=digits_of(from_),
            to=digits_of(to),
            closest=digits_of(closest),
            reverse=sort is Sort.REVERSE,
            limit=limit,
            resume=resume,
            filters=tuple(map(filter_of, filter_)),
            collapse=tuple(map(collapse_of, collapse)),
        )


@api.get(
    "/captures",
    summary="Find captures by address and time",
    response_model=Captures,
    **operation(Permission.INDEX_VIEW),
)
def look_up(
    request: Request,
    chain: ChainService,
    wanted: Annotated[Wanted, Depends()],
    collection: Text = MAIN,
    output: Output = Output.JSON,
) -> Any:
    """More than `limit` captures: ask again with `resumeKey`; texts name the next page in the header Link."""
    chain.collections.named(collection)
    found = chain.lookup(collection).search(wanted.query)
    if output is Output.JSON:
        return Captures(items=[shown(line) for line in found.lines], resume=found.resume)
    return as_text(request, found, output)


def shown(line: CdxLine) -> CaptureShown:
    return CaptureShown(
        urlkey=readable(line.key) or "",
        timestamp=line.timestamp,
        date=line.date,
        url=readable(line.url),
        mime=readable(line.mime),
        status=line.status,
        digest=readable(line.text("digest")),
        redirect=readable(line.redirect),
        length=line.length,
        offset=line.offset,
        filename=readable(line.filename),
    )


def readable(text: str | None) -> str | None:
    """Old files have bytes in addresses that are no text; JSON is."""
    return None if text is None else text.encode("utf-8", "replace").decode()


def as_text(request: Request, found: Found, output: Output) -> Response:
    layout = {Output.CDX11: CDX11, Output.CDX9: CDX9}.get(output)
    if layout is None:
        lines, kind = [line.to_cdxj() for line in found.lines], "text/x-cdxj"
    else:
        lines = [layout.legend().encode(), *(line.to_cdx(layout) for line in found.lines)]
        kind = "text/plain"
    headers = {}
    if found.resume:
        kept = [(n, v) for n, v in request.query_params.multi_items() if n != "resumeKey"]
        headers["Link"] = (
            f'<{request.url.path}?{urlencode([*kept, ("resumeKey", found.resume)])}>; rel="next"'
        )
    return PlainTextResponse(b"".join(line + b"\n" for line in lines), headers=headers, media_type=kind)

"""How rooms declare operations of the API."""

from collections.abc import Iterable, Sequence
from typing import Any

from fastapi import Depends, FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.requests import Request
from starlette.routing import BaseRoute

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.web.guard import needs, signed_in
from armarium.web.problems import PROBLEM_TYPE

PROBLEM = {
    "description": "What went wrong, as problem+json (RFC 9457).",
    "content": {
        PROBLEM_TYPE: {
            "schema": {
                "type": "object",
                "properties": {
                    "type": {"type": "string"},
                    "title": {"type": "string"},
                    "status": {"type": "integer"},
                    "detail": {"type": "string"},
                    "instance": {"type": "string"},
                    "request_id": {"type": "string"},
                },
            }
        }
    },
}


#: How JSON may write what no text of ours can hold: NUL, and half of a pair (RFC 8259, 7).
ESCAPES = (b"\\u0000", b"\\ud", b"\\uD")

TOKEN_SCHEME = "token"  # noqa: S105  (the name of a scheme)


def described(app: FastAPI, routes: Sequence[BaseRoute]) -> dict[str, Any]:
    """The OpenAPI description of these, with how a program shows its token."""
    document = get_openapi(title=app.title, version=app.version, description=app.description, routes=routes)
    schemes = document.setdefault("components", {}).setdefault("securitySchemes", {})
    schemes[TOKEN_SCHEME] = {"type": "http", "scheme": "bearer", "description": "An API token."}
    return document


def operation(permission: Permission | None = None) -> dict[str, Any]:
    """Keyword arguments for a route: its guard, and what the description says about it."""
    guard = needs(permission) if permission else signed_in
    return {
        "dependencies": [Depends(guard), Depends(storable)],
        "openapi_extra": {
            "x-permission": permission.value if permission else "signed in",
            "security": [{TOKEN_SCHEME: []}],
        },
        "responses": {"4XX": PROBLEM, "5XX": PROBLEM},
    }


async def storable(request: Request) -> None:
    """Refuse documents with characters that no database keeps, wherever in them they stand."""
    if "json" not in request.headers.get("content-type", ""):
        return
    body = await request.body()
    if any(escape in body for escape in ESCAPES) and not all(map(is_storable, texts(await request.json()))):
        raise Refused(message("The document contains a NUL character, or half of a character (a surrogate)."))


def texts(document: Any) -> Iterable[str]:
    """All texts in a document, names of members among them."""
    left = [document]
    while left:
        match left.pop():
            case str(text):
                yield text
            case dict(members):
                left += [*members, *members.values()]
            case list(elements):
                left += elements


def is_storable(text: str) -> bool:
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False

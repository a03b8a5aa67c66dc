"""How rooms declare operations of the API."""

from typing import Any

from fastapi import Depends, FastAPI

from armarium.accounts.model import Permission
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


TOKEN_SCHEME = "token"  # noqa: S105  (the name of a scheme)


def described(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI description, with how a program shows its token."""
    document = FastAPI.openapi(app)
    schemes = document.setdefault("components", {}).setdefault("securitySchemes", {})
    schemes[TOKEN_SCHEME] = {"type": "http", "scheme": "bearer", "description": "An API token."}
    return document


def operation(permission: Permission | None = None) -> dict[str, Any]:
    """Keyword arguments for a route: its guard, and what the description says about it."""
    guard = needs(permission) if permission else signed_in
    return {
        "dependencies": [Depends(guard)],
        "openapi_extra": {
            "x-permission": permission.value if permission else "signed in",
            "security": [{TOKEN_SCHEME: []}],
        },
        "responses": {"4XX": PROBLEM, "5XX": PROBLEM},
    }

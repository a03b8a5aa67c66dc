"""How rooms declare operations of the API."""

from typing import Any

from fastapi import Depends

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


def operation(permission: Permission | None = None) -> dict[str, Any]:
    """Keyword arguments for a route: its guard, and what the description says about it."""
    guard = needs(permission) if permission else signed_in
    return {
        "dependencies": [Depends(guard)],
        "openapi_extra": {"x-permission": permission.value if permission else "signed in"},
        "responses": {"4XX": PROBLEM, "5XX": PROBLEM},
    }

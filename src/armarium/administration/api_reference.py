"""The API's own description: OpenAPI for programs, a page for people."""

from collections.abc import Iterator, Mapping
from typing import Any

from fastapi import Depends
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from armarium.core.errors import existing
from armarium.core.message import message
from armarium.web.guard import signed_in
from armarium.web.routes import Router
from armarium.web.shell import PageShell

pages = Router(dependencies=[Depends(signed_in)])

VERBS = ("get", "post", "put", "patch", "delete")
OPENAPI = "/api/openapi.json"


@pages.get(OPENAPI)
def openapi(request: Request) -> Response:
    return JSONResponse(request.app.openapi())


@pages.get("/administration/api")
def reference_page(request: Request, page: PageShell, operation: str = "") -> Response:
    """All operations in a line each; or one of them: all at once would be half a megabyte."""
    document = request.app.openapi()
    if operation:
        found = next((one for _, one in operations(document) if one["id"] == operation), None)
        known = existing(found, message("There is no operation %(name)s.", name=operation[:100]))
        return page.page(request, "administration/api_operation.html", operation=known)
    return page.page(request, "administration/api.html", openapi=OPENAPI, groups=grouped(document))


def grouped(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for tag, operation in operations(document):
        groups.setdefault(tag, []).append(operation)
    return [
        {"id": tag, "label": tag.capitalize(), "operations": found} for tag, found in sorted(groups.items())
    ]


def operations(document: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, item in document.get("paths", {}).items():
        for verb in VERBS:
            if verb in item:
                told = item[verb]
                yield (told.get("tags") or ["other"])[0], shown(document, verb, path, told)


def shown(document: Mapping[str, Any], verb: str, path: str, told: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": told["operationId"],
        "method": verb.upper(),
        "path": path,
        "summary": told.get("summary", ""),
        "description": told.get("description", ""),
        "permission": told.get("x-permission", ""),
        "deprecated": told.get("deprecated", False),
        "parameters": [*parameters(told), *body_fields(document, told)],
        "responses": [{"status": s, "text": r.get("description", "")} for s, r in told["responses"].items()],
    }


def parameters(told: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for parameter in told.get("parameters", []):
        yield {
            "name": parameter["name"],
            "where": parameter["in"],
            "type": type_of(parameter.get("schema", {})),
            "required": parameter.get("required", False),
            "help": parameter.get("description", ""),
        }


def body_fields(document: Mapping[str, Any], told: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The members of the JSON body, looked up where OpenAPI keeps them."""
    content = told.get("requestBody", {}).get("content", {}).get("application/json", {})
    name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
    schema = document.get("components", {}).get("schemas", {}).get(name, {})
    for field, described in schema.get("properties", {}).items():
        yield {
            "name": field,
            "where": "body",
            "type": type_of(described),
            "required": field in schema.get("required", []),
            "help": described.get("description", ""),
        }


def type_of(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(type_of(choice) for choice in schema["anyOf"])
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if schema.get("type") == "array":
        return f"list of {type_of(schema.get('items', {}))}"
    return str(schema.get("format") or schema.get("type") or "any")

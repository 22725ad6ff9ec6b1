"""The site's OpenAPI document, written from the route table and the descriptions of the forms."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.routing import Route

from nlgauge.web.forms import ANSWER, FORMS, OWN_FORMS, Field
from nlgauge.web.security import LARGEST_BODY

VERSION = "1"  # of the addresses and forms; which program serves them is nobody's business
PARAMETERS = {
    "token": {"type": "string", "description": "the link's secret, 44 hexadecimal digits"},
    "number": {"type": "integer", "minimum": 0},
    "place": {"type": "integer", "minimum": 0},
}
PAGE = "text/html"
KINDS = {  # what a route gives where it gives no page
    "/health": ("application/json",),
    "/ready": ("application/json",),
    "/openapi.json": ("application/json",),
    "/static/{version}/{name}": ("text/css", "text/javascript", "image/svg+xml"),
    "/j/{token}/image/{claim}/{place}": ("image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"),
    "/dashboard/links.csv": ("text/csv",),
    "/dashboard/links.txt": ("text/plain",),
    "/dashboard/report/{digest}.css": ("text/css",),
}
DOWNLOADS = ("text/csv", "application/x-ndjson", "application/vnd.apache.parquet")
ANSWERS = {
    "200": "a page, or a picture",
    "303": "stored; go on there",
    "400": "the platform's id is missing",
    "403": "the form was not sent from a page of this site",
    "404": "no such link or page",
    "405": "this address does not accept that kind of request",
    "408": "the form came too slowly",
    "409": "not now: another step is next, or it was answered before",
    "410": "the study has ended for this judge, or for all",
    "413": f"more than {LARGEST_BODY:,} bytes, or too many fields",
    "415": "not a form as browsers send it",
    "422": "something in the form lacks or does not fit; the page shows it again",
    "429": "too many attempts to log in; Retry-After says when the next is checked",
    "503": "the study is paused",
}


def document(routes: Sequence[Any], base: str, answer: Sequence[Field] = (ANSWER,)) -> dict[str, Any]:
    """OpenAPI 3.1 of every route that is described by its function's docstring; `answer`: the fields of an answer."""
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        if not isinstance(route, Route) or not route.include_in_schema:
            continue
        path = re.sub(r":\w+(?=\})", "", route.path)
        for method in sorted((route.methods or set()) - {"HEAD"}):
            paths.setdefault(path, {})[method.lower()] = _operation(route, path, method, answer)
    return {
        "openapi": "3.1.0",
        "info": {"title": "nlgauge study", "version": VERSION},
        "servers": [{"url": base or "/"}],
        "paths": paths,
    }


def _operation(route: Route, path: str, method: str, answer: Sequence[Field]) -> dict[str, Any]:
    names = re.findall(r"\{(\w+)\}", path)
    found: dict[str, Any] = {
        "summary": (route.endpoint.__doc__ or "").strip().partition("\n")[0],
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": PARAMETERS.get(name, {"type": "string"})}
            for name in names
        ],
        "responses": {
            status: {"description": words, **_content(path, method, status)} for status, words in ANSWERS.items()
        },
    }
    purpose = "register" if path.startswith("/o/") else path.rpartition("/")[2]
    if method == "POST":
        named = {**FORMS, **OWN_FORMS}.get(purpose, ()) if path.startswith(("/j/", "/o/")) else ()
        fields = [field for one in named for field in (answer if one is ANSWER else (one,))]
        found["requestBody"] = {"content": {"application/x-www-form-urlencoded": {"schema": _schema(fields)}}}
    return found


def _content(path: str, method: str, status: str) -> dict[str, Any]:
    """The media types of an answer; a redirect has none."""
    if status == "303":
        return {}
    kinds: tuple[str, ...] = (PAGE,)
    if status == "200":
        kinds = (PAGE, *DOWNLOADS) if (path, method) == ("/dashboard/export", "POST") else KINDS.get(path, kinds)
    return {"content": {kind: {} for kind in kinds}}


def _schema(fields: Sequence[Field]) -> Mapping[str, Any]:
    return {
        "type": "object",
        "properties": {field.name: _field(field) for field in fields},
        "required": [field.name for field in fields if field.required],
    }


def _field(field: Field) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "string", "description": field.about}
    if field.options:
        found["enum"] = list(field.options)
    elif field.pattern:
        found["pattern"] = field.pattern
    else:
        found["maxLength"] = field.most
    return {"type": "array", "items": found, "description": field.about} if field.many else found

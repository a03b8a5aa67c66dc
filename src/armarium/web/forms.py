"""Reading forms from hostile hands, and showing them again with what was wrong."""

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import PureWindowsPath
from typing import Any, BinaryIO
from urllib.parse import parse_qsl

from starlette.requests import Request

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.languages.speech import say

FORM_TYPE = "application/x-www-form-urlencoded"
UPLOAD_TYPE = "multipart/form-data"  # of forms with a file: RFC 7578
MOST_FIELDS = 2000
LONGEST_VALUE = 100_000


@dataclass(frozen=True)
class Uploaded:
    """A file that came with a form; on disk if it is large."""

    name: str  # as the browser says it, without folders
    content: BinaryIO


class Sparse(dict[str, Any]):
    """A field that was not sent is empty, not an error: browsers leave unticked boxes out."""

    def __missing__(self, name: str) -> None:
        return None


@dataclass
class Form:
    """The values of a form and, when it is shown again, what is wrong with them."""

    values: Sparse = field(default_factory=Sparse)  # the last value of each field; lists where set so
    lists: dict[str, list[str]] = field(default_factory=dict)
    errors: Sparse = field(default_factory=Sparse)  # sentences in the reader's language; "" for the whole
    id: str = ""  # keeps the fields of several forms on one page apart
    files: dict[str, "Uploaded"] = field(default_factory=dict)

    def get(self, name: str) -> str:
        return str(self.values[name] or "")

    def chosen(self, name: str) -> list[str]:
        """All values of a field that may come several times, such as checkboxes."""
        return self.lists.get(name, [])

    def ticked(self, name: str) -> bool:
        return name in self.values

    def refuse(self, refusal: Refused, *, several: Collection[str] = ()) -> "Form":
        """Keep what was typed, and mark the fields that the refusal speaks of.

        `several` names the fields of which all values are shown again, not the last.
        """
        self.errors[refusal.field or ""] = say(refusal.message)
        for one in refusal.also:
            self.errors.setdefault(one.field or "", say(one.message))
        for name in several:
            self.values[name] = self.chosen(name)
        return self


def filled(**values: object) -> Form:
    return Form(values=Sparse(values))


async def read_form(request: Request) -> Form:
    """The posted form; the body was bounded before by the shell."""
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type == UPLOAD_TYPE:  # its body was read by then, for the token in it
        raise Refused(message("This address takes no files."))
    body = await request.body()
    if body and content_type != FORM_TYPE:
        raise Refused(message("This address takes forms only."))
    return parse_form(body)


async def read_upload(request: Request) -> Form:
    """The posted form with its file; read once, however often it is asked for."""
    if not is_upload(request):
        raise Refused(message("This address takes a form with a file only."))
    sent = await request.form(max_files=1, max_fields=100)
    form = Form()
    for name, value in sent.multi_items():
        if isinstance(value, str):
            form.values[name] = acceptable(value)
            form.lists.setdefault(name, []).append(value)
        else:
            plain = PureWindowsPath(value.filename or "").name  # knows both kinds of strokes
            form.files[name] = Uploaded(plain, value.file)
    return form


def is_upload(request: Request) -> bool:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower() == UPLOAD_TYPE


def parse_form(body: bytes) -> Form:
    try:
        text = body.decode("ascii")
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
    except ValueError as problem:  # not ASCII, not UTF-8 behind the percent signs, or too many fields
        raise Refused(message("The form has too many fields, or is not valid UTF-8.")) from problem
    form = Form()
    for name, value in pairs:
        form.values[name] = acceptable(value)
        form.lists.setdefault(name, []).append(value)
    return form


def acceptable(value: str) -> str:
    """PostgreSQL keeps no NUL character in a text: better refused here than there."""
    if "\0" in value or len(value) > LONGEST_VALUE:
        raise Refused(message("A value of the form is too long or contains a NUL character."))
    return value

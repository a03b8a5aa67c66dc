"""Templates, with all that they may say. Apart from the shell: pages without accounts need no more."""

import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from hashlib import sha256
from importlib import resources
from importlib.util import cache_from_source
from pathlib import Path, PurePath
from typing import Any

from jinja2 import (
    BaseLoader,
    Environment,
    FileSystemBytecodeCache,
    PackageLoader,
    StrictUndefined,
    TemplateNotFound,
    pass_context,
    select_autoescape,
)
from jinja2.bccache import Bucket
from jinja2.runtime import Context
from markupsafe import Markup, escape

import armarium
from armarium.accounts.model import Permission
from armarium.core.message import Message
from armarium.languages import speech
from armarium.web.plots import FILTERS as PLOTS
from armarium.web.plots import enough


def spoken(value: Any) -> Any:
    """Templates may print a message as it is: it is said in the reader's language."""
    return speech.say(value) if isinstance(value, Message) else value


def speaking(gettext: Callable[..., str]) -> Callable[..., Any]:
    """As the new style of Jinja's extension, which would take five times as long: pages say much.

    Messages inside a sentence are said in the same language as the sentence.
    """

    @pass_context
    def speak(context: Context, *sentence: Any, **values: Any) -> Any:
        if isinstance(sentence[0], Message):  # its values are somebody's words: to be escaped as any text
            return spoken(sentence[0])
        if not values and len(sentence) == 1:
            return _as_it_is(sentence[0], speech.language().code, escaped=context.eval_ctx.autoescape)
        if len(sentence) == 3:
            values.setdefault("num", sentence[2])
        said = {name: spoken(value) for name, value in values.items()}
        if not context.eval_ctx.autoescape:
            return gettext(*sentence) % said
        return Markup(gettext(*sentence) % {name: _escaped(value) for name, value in said.items()})  # noqa: S704

    return speak


def _escaped(value: Any) -> Any:
    return value if type(value) in (int, float) else escape(value)


@lru_cache(maxsize=8192)
def _as_it_is(sentence: str, code: str, *, escaped: bool) -> str:  # noqa: ARG001
    """A sentence without places, said in this language, which is that of the moment."""
    said: str = speech.gettext(sentence) % {}
    return Markup(said) if escaped else said  # noqa: S704


class ReadAtOnce(BaseLoader):
    """Templates as they were at the start: an upgrade of a running site must not mix two versions of a page.

    Only their text is read. To compile all of them would take longer than the rest of the start.
    """

    def __init__(self, packages: Sequence[str]) -> None:
        self._texts: dict[str, tuple[str, str | None]] = {}
        for package in reversed(packages):  # the first one has the last word
            loader, nowhere = PackageLoader(package), Environment(autoescape=True)
            for name in loader.list_templates():
                text, file, _ = loader.get_source(nowhere, name)
                self._texts[name] = text, file

    def get_source(self, environment: Environment, template: str) -> tuple[str, str | None, None]:  # noqa: ARG002
        if template not in self._texts:
            raise TemplateNotFound(template)
        return *self._texts[template], None

    def list_templates(self) -> list[str]:
        return sorted(self._texts)


class CompiledTemplates(FileSystemBytecodeCache):
    """Keeps compiled templates beside Python's own compiled modules, under the same rights.

    To compile all parts of a page takes ten times as long as to show it.
    """

    def __init__(self, folder: Path) -> None:
        how = sha256(Path(__file__).read_bytes()).hexdigest()[:12]  # what is compiled depends on it
        super().__init__(str(folder), f"template-{how}-%s.jinja")

    def dump_bytecode(self, bucket: Bucket) -> None:
        if not sys.dont_write_bytecode:
            with suppress(OSError):  # who may read the program need not be able to write there
                super().dump_bytecode(bucket)


@cache  # a template is compiled when it is first asked for, once for every site that a process serves
def furnished(template_packages: Sequence[str]) -> Environment:
    """The templates of these packages, with the words and figures of the reader's language."""
    environment: Any = Environment(
        loader=ReadAtOnce(template_packages),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        extensions=["jinja2.ext.i18n"],
        finalize=spoken,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
        bytecode_cache=CompiledTemplates(Path(cache_from_source(__file__)).parent),
    )
    environment.install_gettext_callables(speech.gettext, speech.ngettext, newstyle=True)
    said = speaking(speech.gettext)
    environment.globals.update(_=said, gettext=said, ngettext=speaking(speech.ngettext))
    environment.filters.update(
        say=speech.say,
        number=speech.number,
        size=speech.byte_size,
        moment=speech.moment,
        day=speech.day,
        month=speech.month,
        ago=speech.ago,
        duration=speech.duration,
        **PLOTS,
    )
    environment.tests.update(plot_enough=enough)
    environment.globals.update(static=static_address, version=armarium.__version__, Permission=Permission)
    return environment  # type: ignore[no-any-return]


def static_address(name: str) -> str:
    """The address of a static file with a mark of its content, so that browsers may keep it for long."""
    mark = _marks.get(name)
    if mark is None:
        content = (resources.files("armarium.web") / "static" / name).read_bytes()
        mark = _marks[name] = sha256(content).hexdigest()[:12]
    return f"/static/{name}?v={mark}"


#: What of styles and scripts is for those who write them: comments, and spaces at the beginning of lines.
#: No text in our scripts goes over several lines.
_FOR_AUTHORS = {
    ".css": re.compile(rb"/\*.*?\*/\s*|^\s+|(?<=[{;])\s+|\s+(?=[{}])", re.DOTALL | re.MULTILINE),
    ".js": re.compile(rb"^\s*//.*\n|^\s+", re.MULTILINE),
}


def lean(name: str, content: bytes) -> bytes:
    """A static file as browsers get it: a quarter lighter."""
    found = _FOR_AUTHORS.get(PurePath(name).suffix)
    return found.sub(b"", content) if found else content


_marks: dict[str, str] = {}

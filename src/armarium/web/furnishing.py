"""Templates, with all that they may say. Apart from the shell: pages without accounts need no more."""

from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, pass_context, select_autoescape
from jinja2.runtime import Context

import armarium
from armarium.accounts.model import Permission
from armarium.core.message import Message
from armarium.languages import speech


def spoken(value: Any) -> Any:
    """Templates may print a message as it is: it is said in the reader's language."""
    return speech.say(value) if isinstance(value, Message) else value


def with_spoken_values(gettext: Callable[..., Any]) -> Callable[..., Any]:
    """Messages inside a sentence are said in the same language as the sentence."""

    @pass_context
    def speak(context: Context, *sentence: Any, **values: Any) -> Any:
        if isinstance(sentence[0], Message):  # its values are somebody's words: to be escaped as any text
            return spoken(sentence[0])
        return gettext(context, *sentence, **{name: spoken(value) for name, value in values.items()})

    return speak


@cache  # compiling takes most of a second, and is the same for every site that a process serves
def furnished(template_packages: Sequence[str], folders: tuple[str, ...] = ("",)) -> Environment:
    """The templates of these packages, with the words and figures of the reader's language. All of them are
    compiled, or all in some folders; others when they are first asked for."""
    environment: Any = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in template_packages]),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        extensions=["jinja2.ext.i18n"],
        finalize=spoken,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,  # an upgrade under a running site must not mix two versions of a page
        cache_size=-1,
    )
    environment.install_gettext_callables(speech.gettext, speech.ngettext, newstyle=True)
    for name in ("gettext", "ngettext"):
        environment.globals[name] = with_spoken_values(environment.globals[name])
    environment.filters.update(
        say=speech.say,
        number=speech.number,
        size=speech.byte_size,
        moment=speech.moment,
        day=speech.day,
        ago=speech.ago,
        duration=speech.duration,
    )
    environment.globals.update(static=static_address, version=armarium.__version__, Permission=Permission)
    for template in environment.list_templates(extensions=["html"]):
        if template.startswith(folders):
            environment.get_template(template)
    return environment  # type: ignore[no-any-return]


def static_address(name: str) -> str:
    """The address of a static file with a mark of its content, so that browsers may keep it for long."""
    mark = _marks.get(name)
    if mark is None:
        content = (resources.files("armarium.web") / "static" / name).read_bytes()
        mark = _marks[name] = sha256(content).hexdigest()[:12]
    return f"/static/{name}?v={mark}"


_marks: dict[str, str] = {}

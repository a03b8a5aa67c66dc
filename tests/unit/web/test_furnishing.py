"""Templates say messages, and what people wrote inside them stays text; they are those of the start."""

import sys
from importlib import resources
from pathlib import Path

import pytest
from jinja2 import DictLoader, Environment, TemplateNotFound

from armarium.core.message import message
from armarium.server.site_sections import TEMPLATE_PACKAGES
from armarium.web.templating import CompiledTemplates, furnished, lean

ALL = furnished((*TEMPLATE_PACKAGES, "armarium.web"))


@pytest.mark.parametrize(
    "template", ["{{ said }}", "{{ said | say }}", "{{ _(said) }}", "{{ _('%(x)s', x=said) }}"]
)
def test_the_values_of_a_message_are_escaped_however_it_is_said(template: str) -> None:
    said = message("Not read: %(names)s.", names="<b>100% %(name)s</b>")
    shown = furnished(("armarium.web",)).from_string(template).render(said=said)
    assert shown == "Not read: &lt;b&gt;100% %(name)s&lt;/b&gt;."


@pytest.mark.parametrize("name", ALL.list_templates())
def test_every_template_compiles(name: str) -> None:
    """A site compiles a template when it is first asked for: a mistake in one would show late."""
    ALL.get_template(name)


def test_a_running_site_keeps_the_templates_that_it_began_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    templates = tmp_path / "upgraded_room" / "templates"
    templates.mkdir(parents=True)
    (tmp_path / "upgraded_room" / "__init__.py").touch()
    (templates / "old.html").write_text("old")
    (templates / "base.html").write_text("first of two")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    environment = furnished(("upgraded_room", "armarium.web"))
    (templates / "old.html").write_text("new")
    (templates / "new.html").write_text("new")
    assert environment.get_template("old.html").render() == "old"
    assert environment.get_template("base.html").render() == "first of two"
    with pytest.raises(TemplateNotFound):
        environment.get_template("new.html")
    del sys.modules["upgraded_room"]


@pytest.mark.parametrize("harm", [None, b"", b"harm", "gone", "nowhere"])
def test_a_compiled_template_is_kept_and_made_again_if_it_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: bytes | str | None
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    folder = tmp_path / "nowhere" if harm == "nowhere" else tmp_path

    def shown(text: str) -> str:
        cache = CompiledTemplates(folder)
        return (
            Environment(autoescape=True, loader=DictLoader({"page.html": text}), bytecode_cache=cache)
            .get_template("page.html")
            .render()
        )

    assert shown("first") == "first"
    kept = list(tmp_path.iterdir())
    assert len(kept) == (harm != "nowhere")
    for file in kept:
        if isinstance(harm, bytes):
            file.write_bytes(harm)
        elif harm:
            file.unlink()
    assert shown("first") == "first"
    assert shown("second") == "second"


def test_styles_and_scripts_become_lean_and_stay_what_they_are() -> None:
    style = b"/* Of lists.\n   Two lines. */\n.list > a,\n.list b {\n  margin: 0 auto;\n\n  color: red;\n}\n"
    assert lean("list.css", style) == b".list > a,\n.list b{margin: 0 auto;color: red;}\n"
    script = b'// What it does.\nconst a = "// no comment";\n\n  // Why.\n  go(a); // now\n'
    assert lean("go.js", script) == b'const a = "// no comment";\ngo(a); // now\n'
    assert lean("icon.svg", b"  <svg/>") == b"  <svg/>"


def test_no_script_has_a_text_that_goes_over_several_lines() -> None:
    """Its spaces would be lost. What runs in archived pages is served as it is."""
    for package in ("armarium.web", "armarium.access"):
        for file in resources.files(package).joinpath("static").iterdir():
            if file.name.endswith(".js") and file.name != "content.js":
                lines = file.read_text().splitlines()
                assert [line for line in lines if line.count("`") % 2] == [], file.name

import json

import pytest

from armarium.access.rewrite import Links, ScriptRewriter
from armarium.access.rewrite.modules import rewrite_import_map, rewrite_specifiers
from armarium.access.rewrite.scopes import is_module, outermost

LINKS = Links("/all/", "2013", "http://example.com/js/main.js", mod="js_")
SCRIPTS = ScriptRewriter(LINKS)
CHECK = "_____WB$wombat$check$this$function_____(this)"


def inner(script: str) -> str:
    """What stands in the block, without what was put before it."""
    rewritten = SCRIPTS.classic(script)
    assert rewritten.endswith("\n}}")
    return rewritten.split("let arguments;{", 1)[1].removesuffix("\n}}").lstrip("\n")


@pytest.mark.parametrize("script", ["var a = 1; b.c();", "let x = 'y';", "", "function f(){return 1}"])
def test_a_script_that_names_nothing_of_the_page_is_left(script: str) -> None:
    assert SCRIPTS.classic(script) == script


@pytest.mark.parametrize("body", ['{"location": "x", "top": [1]}', '[{"window": 1}]', "<html>window</html>"])
def test_data_and_pages_that_call_themselves_scripts_are_left(body: str) -> None:
    assert SCRIPTS.external(body) == body


def test_outermost_declarations_stay_visible_to_other_scripts() -> None:
    script = "let a = top; const b = 2; class C extends D {}\nvar e; { let f; } for (let g of h) {}"
    assert (
        inner(script)
        == "var a = top; var b = 2; var C=class C extends D {};\nvar e; { let f; } for (let g of h) {}"
    )


def test_asynchronous_functions_are_handed_out_of_their_block() -> None:
    assert inner("async function f() {} function* g() {} top") == (
        "self.f=f;self.g=g;\nasync function f() {} function* g() {} top"
    )


def test_a_name_of_the_window_is_not_made_its_property() -> None:
    assert inner("let name = {}; top;") == "let name = {}; top;"
    assert inner("const {status, a} = top;") == "const {status, a} = top;"


def test_a_variable_of_the_script_takes_the_place_of_the_stand_in() -> None:
    assert "let top=" not in SCRIPTS.classic("var a = 1, top = 2; window.x")
    assert "let opener=" not in SCRIPTS.classic("if (a) { var opener = 2 } window.x")
    assert "let top=" in SCRIPTS.classic("function f() { var top = 2 } window.x")
    assert "let parent=" in SCRIPTS.classic("(function() { var parent = 2 })(); window.x")


@pytest.mark.parametrize(
    "script",
    [
        'let a = "} let b {"; top',
        "let a = '//'; top",
        "let a = `${ `}` + {} } let b`; top",
        "let a = /[/{]}/; top",
        "let a = 1 / 2; /* { */ top // {",
    ],
)
def test_brackets_in_strings_templates_comments_and_expressions_do_not_count(script: str) -> None:
    assert inner(script) == script.replace("let a", "var a")


def test_where_brackets_do_not_match_nothing_is_known() -> None:
    assert outermost("({)") is None
    assert inner("let a = (top; {") == "let a = (top; {"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a = this; top", f"a = {CHECK}; top"),
        ("return this.location; top", f"return {CHECK}.location; top"),
        ("this === window", f"{CHECK} === window"),
        ("}(this); top", f"}}({CHECK}); top"),
        ("f(this, a); top", "f(this, a); top"),
        ("x = 'do, this thing'; top", "x = 'do, this thing'; top"),
        ("w.postMessage(a); top", "w.__WB_pmw(self).postMessage(a); top"),
        ("f(location = 0)", "f(location = 0)"),
        ("let {location = 1} = a;", "let {location = 1} = a;"),
    ],
)
def test_a_way_around_the_block_is_closed(before: str, after: str) -> None:
    assert inner(before) == after


def test_an_assignment_to_location_leads_through_wombat() -> None:
    assert ".maybeHref = 'x'" in SCRIPTS.classic("if (a) {location = 'x'}")


def test_a_dynamic_import_knows_the_address_of_its_script() -> None:
    assert (
        SCRIPTS.external("import('./a.js')")
        == "____wb_rewrite_import__(\"http://example.com/js/main.js\", './a.js')"
    )


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("import a from './a.js'", True),
        ("var a;export{a}", True),
        ("import('x')", False),
        ("import.meta", False),
        ("`\nimport a from 'b'\n`", False),
        ("f({export: 1}); // \nimport a", True),
        ("function f() { return 'export class x' }", False),
    ],
)
def test_a_module_is_known_by_its_statements(text: str, answer: bool) -> None:
    assert is_module(text) is answer


def test_specifiers_become_absolute_and_bare_names_stay() -> None:
    text = "import a,{b as c} from './a.js';export*from\"/b.js\";import'https://x/y.js';import v from 'vue'"
    assert rewrite_specifiers(text, LINKS) == (
        "import a,{b as c} from '/all/2013esm_/http://example.com/js/a.js';"
        'export*from"/all/2013esm_/http://example.com/b.js";'
        "import'/all/2013esm_/https://x/y.js';import v from 'vue'"
    )


def test_a_module_gets_stand_ins_for_all_but_its_own_names() -> None:
    rewritten = SCRIPTS.module("import {top} from 'x'; const parent = 1; location.href")
    assert ',location=_____WB$wombat$assign$function_____("location")' in rewritten
    assert ",top=" not in rewritten
    assert ",parent=" not in rewritten
    assert "\n" not in rewritten.split("import {top}")[0]


def test_an_import_map_leads_into_the_archive() -> None:
    text = (
        '{"imports": {"vue": "/v.js", "https://x/": "https://y/"}, "scopes": {"/a/": {"b": "./c.js"}},'
        ' "integrity": {}}'
    )
    assert json.loads(rewrite_import_map(text, LINKS)) == {
        "imports": {
            "vue": "/all/2013esm_/http://example.com/v.js",
            "/all/2013esm_/https://x/": "/all/2013esm_/https://y/",
        },
        "scopes": {"/all/2013esm_/http://example.com/a/": {"b": "/all/2013esm_/http://example.com/js/c.js"}},
    }
    assert rewrite_import_map("no json", LINKS) == "no json"


def test_a_handler_gets_only_the_stand_ins_it_names() -> None:
    rewritten = SCRIPTS.handler("top.x()")
    assert rewritten.count("let ") == 1
    assert SCRIPTS.handler("show(1)") == "show(1)"

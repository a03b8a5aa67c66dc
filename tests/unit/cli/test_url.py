import json

from typer.testing import CliRunner

from armarium.cli.url import url_commands

run = CliRunner().invoke


def test_the_canonical_form_is_one_line_per_url() -> None:
    result = run(url_commands, ["canonical", "HTTP://Example.org:80/a/../%7Ebob#top", "http://b/"])
    assert result.exit_code == 0
    assert result.stdout == "http://example.org/~bob\nhttp://b/\n"


def test_the_key_of_an_index() -> None:
    result = run(url_commands, ["surt", "http://www.example.com/a?b=2&a=1", "dns:example.com", "%"])
    assert result.exit_code == 0
    assert result.stdout == "com,example)/a?a=1&b=2\ndns:example.com\n%25)/\n"


def test_the_registered_domain_by_the_list_and_by_ones_own_registries() -> None:
    urls = ["https://www.club.assoc.example/", "www.example.co.uk", "http://10.0.0.1/", "localhost:8080"]
    assert run(url_commands, ["domain", "www.example.co.uk:8080"]).stdout == "example.co.uk\n"
    assert run(url_commands, ["domain", *urls]).stdout == "assoc.example\nexample.co.uk\n-\n-\n"
    own = run(url_commands, ["domain", "--registry", "assoc.example", *urls])
    assert own.stdout.startswith("club.assoc.example\n")


def test_hosting_services_can_count_as_ordinary_domains() -> None:
    assert run(url_commands, ["domain", "a.github.io"]).stdout == "a.github.io\n"
    assert run(url_commands, ["domain", "--no-private", "a.github.io"]).stdout == "github.io\n"


def test_urls_come_from_standard_input_also_when_they_are_not_utf_8() -> None:
    result = run(url_commands, ["surt", "-"], input=b"http://a.b/\xe9\n\nhttp://c.d/\n")
    assert result.stdout == "b,a)/%e9\nd,c)/\n"
    assert json.loads(run(url_commands, ["surt", "--json"], input=b"http://a.b/\xe9").stdout) == [
        {"url": "http://a.b/?", "surt": "b,a)/%e9"}
    ]


def test_what_is_no_url_gets_a_dash_a_reason_and_exit_code_1() -> None:
    result = run(url_commands, ["canonical", "http://a/", "example.org", "http://b/"])
    assert result.exit_code == 1
    assert result.stdout == "http://a/\n-\nhttp://b/\n"
    assert "“example.org” is not a URL: it is relative: it has no scheme such as https:." in result.stderr


def test_json_says_what_the_line_says_and_more() -> None:
    result = run(url_commands, ["canonical", "--json", "http://a/x/x/x?sid=12345678", "http://"])
    assert result.exit_code == 1
    assert json.loads(result.stdout) == [
        {
            "url": "http://a/x/x/x?sid=12345678",
            "canonical": "http://a/x/x/x?sid=12345678",
            "depth": 3,
            "repetition": 3,
            "session": "sid=12345678",
        },
        {"url": "http://", "canonical": None, "problem": "it names no host"},
    ]

"""The CDX server as clients of the Internet Archive know it."""

import gzip
import json
from pathlib import Path
from urllib.parse import quote_plus

import pytest

from armarium.access.captures import lines as lines_module
from armarium.access.cdxserver import internet_archive_query as wanted_module
from armarium.access.cdxserver.internet_archive import ia_cdx
from tests.unit.access.cdxserver.shelf import Asking, Rules, line, site_of

HOME = "http://archive.example/"
PAGES = [
    line(HOME, "19970126045828", digest="QQ", length=1415),
    line(HOME, "19971011050034", digest="XX", length=1402),
    line(HOME, "19971211122953", digest="XX", length=1405, offset=1),
    line(HOME, "19971211122953", digest="XX", length=1405, offset=2),
    line(HOME, "19980109140106", digest="XX", length=1402, mime="warc/revisit", status="-"),
    line(HOME, "19990109140106", digest="YY", length=1403, status="301"),
    line(HOME + "about", "20000109140106", digest="ZZ", length=1404),
    line("http://www2.sub.archive.example/", "20010109140106", digest="VV", key="example,archive,sub)/"),
]
FIRST = f"example,archive)/ 19970126045828 {HOME} text/html 200 QQ 1415"
HEADER = ["urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length"]


@pytest.fixture
def ask(tmp_path: Path) -> Asking:
    return Asking(site_of(tmp_path, PAGES), ia_cdx, path="")


def stamps(ask: Asking, query: str) -> list[str]:
    return [one.split()[1][:4] for one in ask.lines(f"url=archive.example&{query}") if " " in one]


def test_a_line_has_seven_columns(ask: Asking) -> None:
    assert ask.lines("url=archive.example")[0] == FIRST


def test_json_is_an_array_of_arrays_below_the_names(ask: Asking) -> None:
    found = json.loads(ask.text("url=archive.example&output=json&limit=3"))
    assert found[0] == HEADER
    assert found[1] == FIRST.split()
    assert len(found) == 4


def test_json_without_captures_is_an_empty_array(ask: Asking) -> None:
    assert json.loads(ask.text("url=nowhere.example&output=json")) == []


@pytest.mark.parametrize(
    ("query", "years"),
    [
        ("from=1998&to=1998", ["1998"]),
        ("from=1998", ["1998", "1999"]),
        ("limit=2", ["1997", "1997"]),
        ("limit=-1", ["1999"]),
        ("limit=-2", ["1998", "1999"]),
        ("fastLatest=true&limit=1", ["1999"]),
        ("limit=-1&collapse=timestamp:4", ["1999"]),
        ("offset=4", ["1998", "1999"]),
        ("offset=4&limit=1", ["1998"]),
        ("sort=reverse&limit=2", ["1999", "1998"]),
        ("collapse=timestamp:4", ["1997", "1998", "1999"]),
        ("collapse=digest", ["1997", "1997", "1999"]),
        ("collapse=digest:1&collapse=statuscode", ["1997", "1997", "1998", "1999"]),
        ("filter=statuscode:3..", ["1999"]),
        ("filter=!statuscode:200", ["1998", "1999"]),
        ("filter=statuscode:3", []),
        ("filter=digest:QQ", ["1997"]),
        ("filter=!statuscode:200&filter=mimetype:text/.*", ["1999"]),
        ("filter=4:301", ["1999"]),
        ("filter=.*301.*", ["1999"]),
        ("closest=1998&limit=1", ["1998"]),
        ("page=0", ["1997", "1997", "1997", "1997", "1998", "1999"]),
        ("page=1", []),
    ],
)
def test_which_captures_an_answer_has(ask: Asking, query: str, years: list[str]) -> None:
    assert stamps(ask, query) == years


def test_wildcards_and_match_types_reach_further(ask: Asking) -> None:
    assert len(ask.lines("url=archive.example/*")) == 7
    assert len(ask.lines("url=*.archive.example/")) == 8
    assert len(ask.lines("url=archive.example/any&matchType=host&collapse=urlkey")) == 2


def test_fields_come_in_the_order_that_was_asked_for(ask: Asking) -> None:
    assert ask.text("url=archive.example&fl=mimetype,timestamp,redirect&limit=1") == (
        "text/html 19970126045828 -\n"
    )
    found = json.loads(ask.text("url=archive.example&fl=timestamp,mimetype&limit=1&output=json"))
    assert found == [["timestamp", "mimetype"], ["19970126045828", "text/html"]]


def test_what_was_skipped_is_counted(ask: Asking) -> None:
    query = "url=archive.example&collapse=timestamp:4&fl=timestamp&showSkipCount=true&lastSkipTimestamp=true"
    assert ask.lines(query) == [
        "19970126045828 3 19971211122953",
        "19980109140106 0 19980109140106",
        "19990109140106 0 19990109140106",
    ]


def test_groups_and_their_contents_are_counted(ask: Asking) -> None:
    query = "url=archive.example&collapse=timestamp:4&fl=timestamp&showGroupCount=true&showUniqCount=true"
    assert ask.lines(query)[0] == "19970126045828 4 2"


def test_repetitions_are_counted(ask: Asking) -> None:
    found = json.loads(ask.text("url=archive.example&fl=digest&showDupeCount=true&output=json"))
    assert found == [
        ["digest", "dupecount"],
        *(["QQ", "0"], ["XX", "0"], ["XX", "1"], ["XX", "2"], ["XX", "3"], ["YY", "0"]),
    ]


def test_revisits_are_resolved(tmp_path: Path) -> None:
    digest = "Q4YULN754FHV2U6Q5JUT6Q2P57WEWNNY"
    pages = [
        line(HOME, "19970126045828", digest=digest, offset=7),
        line(HOME, "19980126045828", digest=digest, mime="warc/revisit"),
    ]
    ask = Asking(site_of(tmp_path, pages), ia_cdx, path="")
    found = [one.split() for one in ask.lines("url=archive.example&resolveRevisits=true")]
    assert [row[7:] for row in found] == [["-", "-", "-"], ["1000", "7", "one.warc.gz"]]


def test_a_resume_key_is_spelt_as_at_the_internet_archive(ask: Asking) -> None:
    found = ask.lines("url=archive.example&limit=2&showResumeKey=true")
    assert found[2:] == ["", "example%2Carchive%29%2F+19971011050034%21"]
    found = json.loads(ask.text("url=archive.example&limit=2&showResumeKey=true&output=json"))
    assert found[3:] == [[], ["example%2Carchive%29%2F+19971011050034%21"]]


def test_there_is_no_resume_key_where_nothing_follows(ask: Asking) -> None:
    assert len(ask.lines("url=archive.example&limit=6&showResumeKey=true")) == 6
    assert len(ask.lines("url=archive.example&limit=5&showResumeKey=true&filter=!statuscode:301")) == 5


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
@pytest.mark.parametrize(
    "more",
    [
        "",
        "&sort=reverse",
        "&collapse=digest",
        "&collapse=timestamp:6",
        "&filter=digest:XX",
        "&fl=timestamp,length",
    ],
)
def test_answers_follow_each_other_without_gap_or_repetition(ask: Asking, limit: int, more: str) -> None:
    """Also where several captures have one moment, which the Internet Archive's own server loses."""
    query = f"url=archive.example/*{more}"
    found: list[str] = []
    resume = ""
    for _ in range(20):
        part = ask.lines(f"{query}&limit={limit}&showResumeKey=true{resume}")
        if "" not in part:
            found += part
            break
        found += part[: part.index("")]
        resume = f"&resumeKey={part[-1]}"
    assert found == ask.lines(query)


def test_a_resume_key_may_be_encoded_once_more(ask: Asking) -> None:
    """A client that takes it for text encodes it as it does any parameter."""
    key = ask.lines("url=archive.example&limit=2&showResumeKey=true")[-1]
    assert (
        ask.lines(f"url=archive.example&resumeKey={quote_plus(key)}") == ask.lines("url=archive.example")[2:]
    )


def test_pages_are_one_number(ask: Asking) -> None:
    assert ask.text("url=archive.example&showNumPages=true") == "1\n"
    assert ask.text("url=nowhere.example&showNumPages=true") == "0\n"


def test_answers_are_compressed_for_who_can_read_it(ask: Asking) -> None:
    response = ask("url=archive.example", accept_encoding="gzip, deflate")
    assert response.headers["content-encoding"] == "gzip"
    assert gzip.decompress(bytes(response.body)).decode().splitlines()[0] == FIRST
    plain = ask("url=archive.example&gzip=false", accept_encoding="gzip, deflate")
    assert "content-encoding" not in plain.headers


@pytest.mark.parametrize(
    "query",
    [
        "",
        "url=archive.example&limit=0",
        "url=archive.example&resumeKey=nonsense",
        "url=archive.example&collapse=a b",
        "url=archive.example&filter=digest:[",
        "url=archive.example&output=csv",
        "url=archive.example&offset=-1",
        "url=archive.example&closest=1998&resumeKey=a+1998!",
    ],
)
def test_what_cannot_be_answered_is_said_in_words(ask: Asking, query: str) -> None:
    response = ask(query)
    assert response.status_code == 400
    assert response.headers["x-archive-wayback-runtime-error"]
    assert len(bytes(response.body)) > 20


def test_an_unknown_collection_is_not_found(ask: Asking) -> None:
    assert ask("url=archive.example&collection=nowhere").status_code == 404
    assert ask("url=archive.example&collection=news").status_code == 200


def test_no_answer_is_longer_than_allowed(ask: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wanted_module, "MOST", 2)
    found = ask.lines("url=archive.example&showResumeKey=true")
    assert len(found) == 4
    assert found[-1].endswith("%21")


def test_looking_too_long_ends_with_a_key_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [line(f"{HOME}{number:04}", "20000101000000", status="404") for number in range(300)]
    ask = Asking(site_of(tmp_path, [*pages, line(HOME + "zz", "20000101000000")]), ia_cdx, path="")
    monkeypatch.setattr(lines_module.Patience.__init__, "__defaults__", (100,))
    query = "url=archive.example/*&filter=statuscode:200"
    assert ask(query).status_code == 400
    resume, rounds = "", 0
    while (part := ask.lines(f"{query}&showResumeKey=true{resume}"))[0] == "":
        resume, rounds = f"&resumeKey={part[-1]}", rounds + 1
    assert part[0].split()[0] == "example,archive)/zz"
    assert rounds == 3


def test_resume_keys_do_not_name_what_is_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [line(f"{HOME}secret/{number:04}", "20000101000000") for number in range(300)]
    rules = Rules(hidden=("example,archive)/secret",))
    ask = Asking(site_of(tmp_path, [*PAGES, *pages], rules), ia_cdx, path="")
    monkeypatch.setattr(lines_module.Patience.__init__, "__defaults__", (100,))
    found = ask.lines("url=archive.example/*&showResumeKey=true")
    assert "secret" not in "".join(found)
    assert found[-1].startswith("example%2Carchive%29%2Fabout")


def test_counts_do_not_tell_of_what_is_hidden(tmp_path: Path) -> None:
    rules = Rules(hidden=("example,archive)/",), until="19980101000000")
    ask = Asking(site_of(tmp_path, PAGES, rules), ia_cdx, path="")
    query = "url=archive.example&collapse=timestamp:3&fl=timestamp"
    assert ask.lines(f"{query}&showSkipCount=true&showUniqCount=true&showDupeCount=true") == [
        "19980109140106 0 1 2"
    ]


def test_counts_do_not_tell_the_digests_of_what_is_restricted(tmp_path: Path) -> None:
    rules = Rules(restricted=("example,archive)/",), until="19980101000000")
    ask = Asking(site_of(tmp_path, PAGES, rules), ia_cdx, path="")
    found = ask.lines("url=archive.example&fl=digest,length,filename&showDupeCount=true")
    assert found[:5] == ["- - - 0"] * 4 + ["XX 1402 one.warc.gz 0"]
    assert ask.lines("url=archive.example&collapse=digest&fl=timestamp")[0] == "19970126045828"

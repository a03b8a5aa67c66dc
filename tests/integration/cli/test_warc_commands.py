"""`armarium warc` on real files, as somebody at a shell meets it."""

import gzip
import json
import os
import pty
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from armarium.cli.archive_output import sorted_lines
from armarium.cli.main import app
from tests import forked

BODY = b"<html>H\xc3\xa9</html>"
ZIPPED = gzip.compress(BODY, mtime=0)
CHUNKED = f"{len(ZIPPED):x}\r\n".encode() + ZIPPED + b"\r\n0\r\n\r\n"
PAGE = "http://www.example.org/page"
RESPONSE = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Encoding: gzip\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n" + CHUNKED
)
REDIRECT = b"HTTP/1.1 301 Moved\r\nContent-Type: text/plain\r\nLocation: /page\r\nContent-Length: 0\r\n\r\n"
REQUEST = b"GET /page HTTP/1.1\r\nHost: www.example.org\r\n\r\n"


def record(kind: str, block: bytes, url: str = "", number: int = 0, content_type: str = "") -> bytes:
    lines = [
        "WARC/1.1",
        f"WARC-Type: {kind}",
        f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012}>",
        "WARC-Date: 2020-01-02T03:04:05Z",
        *([f"WARC-Target-URI: {url}"] if url else []),
        f"Content-Type: {content_type or f'application/http; msgtype={kind}'}",
        f"Content-Length: {len(block)}",
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + block + b"\r\n\r\n"


RECORDS = [
    record("warcinfo", b"software: test\r\n", number=1, content_type="application/warc-fields"),
    record("response", RESPONSE, PAGE, 2),
    record("request", REQUEST, PAGE, 3),
    record("response", REDIRECT, "http://example.org/old", 4),
]


def written(path: Path, records: list[bytes]) -> Path:
    path.write_bytes(b"".join(zlib.compress(one, wbits=31) for one in records))
    return path


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return written(tmp_path / "crawl.warc.gz", RECORDS)


def run(*words: object, given: bytes = b"") -> Result:
    return CliRunner().invoke(app, ["warc", *map(str, words)], input=given)


def as_json(*words: object) -> Any:
    done = run(*words, "--json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


Shell = Callable[..., "subprocess.CompletedProcess[bytes]"]


def shell(*words: object, **more: Any) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-m", "armarium", "warc", *map(str, words)]
    return forked.run(command, capture_output=True, timeout=60, **more)


# ls ---------------------------------------------------------------------------------------------------------


def test_ls_lists_every_record_with_offset_type_date_status_mime_length_and_url(archive: Path) -> None:
    done = run("ls", archive)
    assert done.exit_code == 0
    rows = [line.split() for line in done.stdout.splitlines()]
    sizes = [len(zlib.compress(one, wbits=31)) for one in RECORDS]
    assert rows[1] == [
        str(sizes[0]),
        "response",
        "2020-01-02",
        "03:04:05",
        "200",
        "text/html",
        str(sizes[1]),
        PAGE,
    ]
    assert [row[1] for row in rows] == ["warcinfo", "response", "request", "response"]


def test_ls_filters_by_type_and_by_address(archive: Path) -> None:
    assert [row["offset"] for row in as_json("ls", archive, "--type", "request")] == [
        sum(len(zlib.compress(one, wbits=31)) for one in RECORDS[:2])
    ]
    urls = [row["url"] for row in as_json("ls", archive, "--type", "response", "--url", "*example.org/*o*")]
    assert urls == ["http://example.org/old"]
    assert len(as_json("ls", archive, "--url", PAGE)) == 2
    assert as_json("ls", archive, "--url", "*nowhere*") == []


def test_ls_reads_standard_input(archive: Path) -> None:
    done = run("ls", "-", "--json", given=archive.read_bytes())
    assert [row["file"] for row in json.loads(done.stdout)] == ["-"] * 4


def test_ls_names_each_of_several_files(archive: Path, tmp_path: Path) -> None:
    other = written(tmp_path / "other.warc.gz", RECORDS[:1])
    lines = run("ls", archive, other).stdout.splitlines()
    assert [line for line in lines if line.endswith(":")] == [f"{archive}:", f"{other}:"]


def test_what_a_server_wrote_cannot_move_the_cursor(tmp_path: Path) -> None:
    nasty = b"HTTP/1.1 200 OK\r\nContent-Type: text/\x1b[2Jhtml\r\n\r\n"
    done = run("ls", written(tmp_path / "nasty.warc.gz", [record("response", nasty, PAGE)]))
    assert "\x1b" not in done.stdout


# cat --------------------------------------------------------------------------------------------------------


def test_cat_writes_all_records_as_they_were(archive: Path) -> None:
    assert run("cat", archive).stdout_bytes == b"".join(RECORDS)


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("--block", RESPONSE),
        ("--entity", ZIPPED),
        ("--payload", BODY),
        ("--headers", RECORDS[1].removesuffix(b"\r\n\r\n").removesuffix(CHUNKED)),
    ],
)
def test_cat_takes_a_record_out_of_its_wrappings(archive: Path, part: str, expected: bytes) -> None:
    offset = len(zlib.compress(RECORDS[0], wbits=31))
    for choice in (
        ["--offset", offset],
        ["--url", PAGE],
        ["--record-id", "urn:uuid:00000000-0000-4000-8000-000000000002"],
    ):
        assert run("cat", archive, part, *choice).stdout_bytes == expected, choice


def test_cat_finds_an_address_that_lacks_its_slash(tmp_path: Path) -> None:
    archive = written(tmp_path / "a.warc.gz", [record("response", RESPONSE, "http://example.org/")])
    assert run("cat", archive, "--url", "HTTP://Example.org", "--payload").stdout_bytes == BODY


def test_cat_finds_an_offset_in_a_pipe(archive: Path) -> None:
    offset = len(zlib.compress(RECORDS[0], wbits=31))
    done = shell("cat", "-", "--offset", offset, "--payload", input=archive.read_bytes())
    assert done.stdout == BODY


@pytest.mark.parametrize("choice", [["--offset", 7], ["--url", "http://nowhere/"], ["--record-id", "urn:x"]])
def test_cat_says_what_it_did_not_find(archive: Path, choice: list[object]) -> None:
    done = shell("cat", archive, *choice)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"armarium: ")
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    "words", [["--offset", 1, "--url", "x"], ["--block", "--payload"], ["--offset", -1], ["--offset", "x"]]
)
def test_cat_refuses_what_contradicts_itself(archive: Path, words: list[object]) -> None:
    assert run("cat", archive, *words).exit_code == 2


# index ------------------------------------------------------------------------------------------------------


def test_index_writes_cdxj_with_the_bare_name_of_the_file(archive: Path) -> None:
    lines = run("index", archive).stdout.splitlines()
    assert [line.split(" ")[0] for line in lines] == ["org,example)/page", "org,example)/old"]
    assert json.loads(lines[0].split(" ", 2)[2])["filename"] == "crawl.warc.gz"


def test_index_writes_names_relative_to_a_folder(archive: Path) -> None:
    line = run("index", archive, "--dir-root", archive.parent.parent).stdout.splitlines()[0]
    assert json.loads(line.split(" ", 2)[2])["filename"] == f"{archive.parent.name}/crawl.warc.gz"


@pytest.mark.parametrize(("form", "columns"), [("cdx9", 9), ("cdx11", 11)])
def test_index_writes_columns_under_one_legend(
    archive: Path, tmp_path: Path, form: str, columns: int
) -> None:
    other = written(tmp_path / "other.warc.gz", RECORDS[:2])
    legend, *lines = run("index", "--format", form, "--sort", archive, other).stdout.splitlines()
    assert legend.startswith(" CDX N b a m s k r ")
    assert len(legend.split()) == columns + 1
    assert lines == sorted(lines)
    assert {len(line.split(" ")) for line in lines} == {columns}
    assert lines[0].split(" ")[6] == "http://example.org/page", "where the redirect leads"


def test_index_of_all_records_has_requests_too(archive: Path) -> None:
    assert len(run("index", "--all", archive).stdout.splitlines()) == 4


def test_sorted_lines_come_once(archive: Path) -> None:
    once = run("index", "--sort", archive).stdout
    assert run("index", "--sort", archive, archive).stdout == once
    assert once.splitlines() == sorted(once.splitlines())


def test_what_does_not_fit_into_memory_is_sorted_on_disk() -> None:
    lines = [f"{number * 7919 % 1000:04}".encode() for number in range(3000)]
    assert list(sorted_lines(iter(lines), room=2000)) == sorted(set(lines))


def test_the_output_file_appears_only_when_it_is_whole(archive: Path, tmp_path: Path) -> None:
    output = tmp_path / "index.cdxj"
    assert run("index", archive, "--output", output).exit_code == 0
    assert output.read_bytes() == run("index", archive).stdout_bytes
    assert sorted(path.name for path in tmp_path.iterdir()) == ["crawl.warc.gz", "index.cdxj"]
    refused = shell("index", archive, "--output", tmp_path / "no/such/folder")
    assert refused.returncode == 1
    assert b"cannot be written" in refused.stderr


def test_post_requests_make_keys_of_their_own(tmp_path: Path) -> None:
    post = b'POST /page HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}'
    answer, request = record("response", RESPONSE, PAGE, 2), record("request", post, PAGE, 3)
    concurrent = b"WARC-Concurrent-To: <urn:uuid:00000000-0000-4000-8000-000000000002>\r\nContent-Type:"
    archive = written(tmp_path / "p.warc.gz", [answer, request.replace(b"Content-Type:", concurrent, 1)])
    line = run("index", "--post", archive).stdout
    assert line.startswith("org,example)/page?__wb_method=post&a=1 ")
    assert line.endswith('"requestBody": "a=1", "method": "POST"}\n')


def test_a_file_whose_records_cannot_be_reached_is_named(tmp_path: Path) -> None:
    whole = tmp_path / "whole.warc.gz"
    whole.write_bytes(gzip.compress(b"".join(RECORDS)))
    done = run("index", whole)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "one member for each record" in done.stderr


# stats ------------------------------------------------------------------------------------------------------


def test_stats_count_records_types_statuses_hosts_and_dates(archive: Path) -> None:
    figures = as_json("stats", archive)
    assert (figures["records"], figures["bytes"]) == (4, archive.stat().st_size)
    assert figures["types"] == {"response": 2, "warcinfo": 1, "request": 1}
    assert figures["statuses"] == {"200": 1, "301": 1}
    assert figures["mimes"] == {"text/html": 1, "text/plain": 1}
    assert figures["hosts"] == {"www.example.org": 1, "example.org": 1}
    assert figures["first"] == figures["last"] == "2020-01-02T03:04:05+00:00"


def test_stats_for_people_cut_long_lists(archive: Path) -> None:
    text = run("stats", "--most", "1", archive).stdout
    assert "… and 2 more" in text
    assert "2 Jan 2020 03:04:05 UTC" in text


# validate ---------------------------------------------------------------------------------------------------


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    path = tmp_path / "damaged.warc.gz"
    whole = b"".join(zlib.compress(one, wbits=31) for one in RECORDS)
    path.write_bytes(whole[:-20])
    return path


def test_validate_answers_with_one_object_for_one_file(archive: Path) -> None:
    report = as_json("validate", archive)
    assert (report["file"], report["format"], report["version"]) == (str(archive), "warc", "WARC/1.1")
    assert (report["records"], report["valid"]) == (4, True)


@pytest.mark.parametrize("jobs", [1, 2])
def test_validate_answers_with_a_list_for_several_files(archive: Path, damaged: Path, jobs: int) -> None:
    done = run("validate", "--json", "--jobs", jobs, archive, damaged)
    reports = json.loads(done.stdout)
    assert done.exit_code == 1
    assert [report["valid"] for report in reports] == [True, False]
    problem = reports[1]["problems"][0]
    assert {"offset", "code", "message"} <= problem.keys()


def test_validate_for_people_shows_a_table_and_says_no(damaged: Path) -> None:
    done = run("validate", damaged)
    assert done.exit_code == 1
    assert f"{damaged}: not valid" in done.stdout
    assert "Severity" in done.stdout


def test_strict_validation_counts_warnings(tmp_path: Path) -> None:
    archive = written(tmp_path / "a.warc.gz", RECORDS[1:])  # no warcinfo: a warning
    assert run("validate", archive).exit_code == 0
    assert run("validate", "--strict", archive).exit_code == 1


# What goes wrong --------------------------------------------------------------------------------------------

COMMANDS = ["ls", "cat", "index", "stats", "validate"]


@pytest.mark.parametrize("command", COMMANDS)
def test_what_cannot_be_read_is_named_without_a_traceback(command: str, tmp_path: Path) -> None:
    text = tmp_path / "letter.txt"
    text.write_text("Dear archive,\n")
    empty = tmp_path / "empty.warc.gz"
    empty.touch()
    for path in (tmp_path / "missing.warc", tmp_path, text, empty):
        done = run(command, path)
        assert done.exit_code == 1, (path, done.output)
        assert (
            done.exception is None or isinstance(done.exception, SystemExit) or "Traceback" not in done.stderr
        )


def test_one_bad_file_does_not_hide_the_others(archive: Path, tmp_path: Path) -> None:
    done = run("index", tmp_path / "missing.warc", archive)
    assert done.exit_code == 1
    assert len(done.stdout.splitlines()) == 2
    assert "missing.warc cannot be read: No such file or directory." in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_named(archive: Path) -> None:
    archive.chmod(0)
    done = run("ls", archive)
    assert done.exit_code == 1
    assert "Permission denied" in done.stderr


def test_a_file_name_may_be_any_bytes(archive: Path) -> None:
    odd = archive.rename(archive.parent / os.fsdecode(b"caf\xe9.warc.gz"))
    listed = shell("ls", "--json", odd)
    assert json.loads(listed.stdout)[0]["file"] == str(odd)
    assert b"caf\xe9.warc.gz\n" in shell("index", "--format", "cdx11", odd).stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_no_file_at_all_is_wrong_usage(command: str) -> None:
    assert run(command).exit_code == 2


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_with_examples(command: str) -> None:
    done = run(command, "--help")
    assert done.exit_code == 0
    assert f"armarium warc {command} " in done.stdout


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """Large enough that a reader can leave, or Ctrl-C come, before its end."""
    path = tmp_path / "large.warc.gz"
    piece = b"".join(zlib.compress(one, wbits=31) for one in RECORDS)
    path.write_bytes(piece * 20_000)
    return path


@pytest.mark.parametrize("words", [["ls"], ["cat"], ["index"], ["ls", "--json"]])
def test_a_reader_who_leaves_ends_the_command_in_peace(large: Path, words: list[str]) -> None:
    command = [sys.executable, "-m", "armarium", "warc", *words, str(large)]
    with forked.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        said = process.stderr.read()
        process.wait(timeout=60)
    assert (process.returncode, said) == (0, b"")


@pytest.mark.parametrize("words", [["stats"], ["validate"], ["validate", "--jobs", "2"]])
def test_control_c_ends_the_command_without_a_traceback(
    large: Path, words: list[str], tmp_path: Path
) -> None:
    copy = tmp_path / "copy.warc.gz"
    copy.hardlink_to(large)
    command = [sys.executable, "-m", "armarium", "warc", *words, str(large), str(copy)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stderr is not None
        _wait_until_busy(process.pid)
        os.killpg(process.pid, signal.SIGINT)
        said = process.stderr.read()
        process.wait(timeout=60)
    assert process.returncode != 0
    assert b"Traceback" not in said


def _wait_until_busy(pid: int) -> None:
    """Until the process, or one that it started, has the archive open: before that it only imports."""
    for _ in range(600):
        for process in (pid, *_children(pid)):
            try:
                opened = [str(file.readlink()) for file in Path(f"/proc/{process}/fd").iterdir()]
            except OSError:
                continue
            if any(name.endswith(".warc.gz") for name in opened):
                return
        time.sleep(0.05)


def _children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def test_a_terminal_shows_how_far_a_large_file_was_read(tmp_path: Path) -> None:
    path = tmp_path / "large.warc.gz"
    noise = record("resource", os.urandom(5_000_000), "urn:noise", content_type="application/octet-stream")
    written(path, [noise] * 14)
    screen, terminal = pty.openpty()
    command = [sys.executable, "-m", "armarium", "warc", "stats", str(path)]
    with forked.Popen(command, stdout=subprocess.DEVNULL, stderr=terminal) as process:
        process.wait(timeout=60)
    os.close(terminal)
    assert b"large.warc.gz: " in os.read(screen, 100_000)
    os.close(screen)


def test_the_shell_completes_record_types() -> None:
    environment = {
        **os.environ,
        "_ARMARIUM_COMPLETE": "complete_bash",
        "COMP_WORDS": "armarium warc ls --type re",
        "COMP_CWORD": "4",
    }
    done = forked.run(
        [sys.executable, "-m", "armarium"], env=environment, capture_output=True, text=True, timeout=60
    )
    assert set(done.stdout.split()) == {"response", "resource", "request", "revisit"}

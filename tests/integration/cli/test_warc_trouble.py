"""`armarium warc` and `url` when disks are full, workers die or files are damaged: a sentence, and exit 1."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests import forked

BODY = b"<html>" + bytes(range(32, 127)) * 20 + b"</html>"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"
URL = b"http://www.example.org/"


def record(
    block: bytes = HEAD + gzip.compress(BODY, mtime=0), date: bytes = b"2020-01-02T03:04:05Z"
) -> bytes:
    lines = [
        b"WARC/1.0",
        b"WARC-Type: response",
        b"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>",
        b"WARC-Date: " + date,
        b"WARC-Target-URI: " + URL,
        b"Content-Type: application/http; msgtype=response",
        b"Content-Length: %d" % len(block),
    ]
    return b"\r\n".join(lines) + b"\r\n\r\n" + block + b"\r\n\r\n"


def member(data: bytes) -> bytes:
    return zlib.compress(data, wbits=31)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(member(record()))
    return path


def armarium(*words: object, **more: Any) -> "subprocess.CompletedProcess[bytes]":
    more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    return forked.run([sys.executable, "-m", "armarium", *map(str, words)], timeout=60, **more)


def in_a_shell(line: str, *words: object) -> "subprocess.CompletedProcess[bytes]":
    """`"$@"` in the line is the command."""
    command = ["sh", "-c", line, "sh", sys.executable, "-m", "armarium", *map(str, words)]
    return subprocess.run(command, capture_output=True, timeout=60)


def refused(done: "subprocess.CompletedProcess[bytes]", reason: bytes) -> None:
    assert done.returncode == 1, done.stderr
    assert done.stderr.startswith(b"armarium: ")
    assert reason in done.stderr
    assert len(done.stderr.splitlines()) == 1


# Streams ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words", ["ls", "ls --json", "index", "index --sort", "cat", "stats", "validate", "validate --json"]
)
def test_a_full_disk_under_standard_output_is_one_sentence(archive: Path, words: str) -> None:
    refused(in_a_shell('"$@" > /dev/full', "warc", *words.split(), archive), b"No space left on device")


@pytest.mark.parametrize("words", ["url surt http://example.org/", "--help", "warc ls --help", "--version"])
def test_a_full_disk_is_one_sentence_without_files_too(words: str) -> None:
    refused(in_a_shell('"$@" > /dev/full', *words.split()), b"No space left on device")


@pytest.mark.parametrize("words", ["warc ls", "warc stats", "warc validate --json"])
def test_a_closed_standard_output_is_one_sentence(archive: Path, words: str) -> None:
    refused(in_a_shell('"$@" >&-', *words.split(), archive), b"no standard output")


@pytest.mark.parametrize("words", ["warc ls -", "warc cat -", "url surt"])
def test_a_closed_standard_input_is_one_sentence(words: str) -> None:
    refused(in_a_shell('"$@" <&-', *words.split()), b"no standard input")


def test_nobody_need_listen_to_complaints(tmp_path: Path) -> None:
    for closed in ("2>&-", "2> /dev/full"):
        assert in_a_shell(f'"$@" {closed}', "warc", "ls", tmp_path / "missing").returncode == 1


def test_an_offset_beyond_all_files_is_wrong_usage(archive: Path) -> None:
    assert armarium("warc", "cat", "--offset", "9" * 23, archive).returncode == 2
    done = armarium("warc", "cat", "--offset", 2**63 - 1, archive)
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr


# cat --------------------------------------------------------------------------------------------------------

ODD = {
    "small letters": record().replace(b"WARC/1.0", b"warc/1.0", 1),
    "line feeds": record().replace(b"\r\nWARC-", b"\nWARC-").replace(b"WARC/1.0\r\n", b"WARC/1.0\n"),
    "one line end": record().removesuffix(b"\r\n"),
    "no line end": record().removesuffix(b"\r\n\r\n"),
    "short block": record()[:-40],
    "space": record().replace(b"WARC/1.0\r", b"WARC/1.0 \r", 1),
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD.keys())
@pytest.mark.parametrize("packed", [False, True])
def test_cat_writes_a_record_as_it_stands_in_the_file(tmp_path: Path, odd: bytes, packed: bool) -> None:
    pieces = [record(), odd]
    path = tmp_path / "odd.warc"
    path.write_bytes(b"".join(map(member, pieces) if packed else pieces))
    assert armarium("warc", "cat", path).stdout == record() + odd
    offset = len(member(record())) if packed else len(record())
    assert armarium("warc", "cat", "--offset", offset, path).stdout == odd


@pytest.mark.parametrize("command", ["ls", "index"])
def test_what_is_only_odd_is_told_once_and_is_no_failure(tmp_path: Path, command: str) -> None:
    head, _, block = record().partition(b"\r\n\r\n")
    odd = (head + b"\r\n\r\n").replace(b"\r\n", b"\r\r\n") + block
    path = tmp_path / "odd.warc"
    path.write_bytes(odd * 3)
    done = armarium("warc", command, path)
    assert (done.returncode, done.stdout.count(URL)) == (0, 3)
    assert done.stderr.count(b"CR CR LF") == 1


def test_cat_goes_on_rightly_behind_an_odd_record(tmp_path: Path) -> None:
    path = tmp_path / "odd.warc.gz"
    whole = [record(), ODD["small letters"], record(HEAD + b"x" * 300_000), ODD["line feeds"], record()]
    path.write_bytes(b"".join(map(member, whole)))
    assert armarium("warc", "cat", path).stdout == b"".join(whole)
    plain = path.with_suffix("")
    plain.write_bytes(b"".join(whole))
    assert armarium("warc", "cat", plain).stdout == b"".join(whole)


def test_cat_writes_records_that_share_a_member(tmp_path: Path) -> None:
    path = tmp_path / "shared.warc.gz"
    path.write_bytes(member(record() * 3))
    assert armarium("warc", "cat", path).stdout == record() * 3


@pytest.mark.parametrize("choice", [[], ["--url", URL.decode()]])
def test_cat_tells_that_a_payload_is_damaged(tmp_path: Path, choice: list[str]) -> None:
    path = tmp_path / "cut.warc.gz"
    path.write_bytes(member(record(HEAD + gzip.compress(BODY, mtime=0)[:-30])))
    done = armarium("warc", "cat", "--payload", *choice, path)
    assert done.stdout
    assert BODY.startswith(done.stdout)
    refused(done, b"ends early")


def test_cat_tells_that_a_chosen_record_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "cut.warc"
    path.write_bytes(record()[:-100])
    assert armarium("warc", "cat", "--offset", 0, path).returncode == 1


# validate ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 2])
def test_validate_as_json_has_an_answer_for_each_file_in_order(
    archive: Path, tmp_path: Path, jobs: int
) -> None:
    missing = tmp_path / "missing.warc"
    done = armarium("warc", "validate", "--json", "--jobs", jobs, missing, archive, tmp_path)
    answers = json.loads(done.stdout)
    assert [answer["file"] for answer in answers] == [str(missing), str(archive), str(tmp_path)]
    assert [answer["valid"] for answer in answers] == [False, True, False]
    assert "No such file" in answers[0]["refused"]
    assert done.returncode == 1


def test_validate_as_json_has_an_answer_for_a_single_file_that_cannot_be_read(tmp_path: Path) -> None:
    done = armarium("warc", "validate", "--json", tmp_path / os.fsdecode(b"caf\xe9"))
    answer = json.loads(done.stdout)
    assert (answer["valid"], done.returncode) == (False, 1)


def test_a_worker_that_is_killed_costs_only_its_own_file(archive: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.warc"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "armarium", "warc", "validate", "--json", "--jobs", "2"]
    with forked.Popen(
        [*command, str(archive), str(pipe), str(archive)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        kill_the_reader_of(pipe, process.pid)
        said, complaints = process.communicate(timeout=60)
    assert [answer["valid"] for answer in json.loads(said)] == [True, False, True]
    assert process.returncode == 1
    assert b"pipe.warc was not checked to its end" in complaints
    assert b"Traceback" not in complaints


def kill_the_reader_of(pipe: Path, parent: int) -> None:
    """Wait until a child of the process reads the named pipe, and kill it."""
    for _ in range(600):
        try:
            writing = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # nobody reads yet
            time.sleep(0.05)
            continue
        try:
            os.kill(_holder_of(pipe, parent), signal.SIGKILL)
        finally:
            os.close(writing)
        return
    os.kill(parent, signal.SIGKILL)
    raise AssertionError(f"nobody reads {pipe}")


def _holder_of(path: Path, parent: int) -> int:
    while True:
        for child in Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
            with suppress(OSError):
                if path in [file.readlink() for file in Path(f"/proc/{child}/fd").iterdir()]:
                    return int(child)


def test_want_of_memory_costs_only_the_file_that_needs_it(archive: Path, tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from armarium.cli import warc_validate\n"
        "from armarium.cli.main import app\n"
        "def validate(file, *, name, options, checked=warc_validate.validate):\n"
        "    if 'large' in name:\n"
        "        raise MemoryError\n"
        "    return checked(file, name=name, options=options)\n"
        "warc_validate.validate = validate\n"
        "app(sys.argv[1:])\n"
    )
    large = tmp_path / "large.warc.gz"
    large.hardlink_to(archive)
    for jobs in ("1", "2"):
        done = forked.run(
            [sys.executable, "-c", script, "warc", "validate", "--json", "--jobs", jobs, large, archive],
            capture_output=True,
            timeout=60,
        )
        assert [answer["valid"] for answer in json.loads(done.stdout)] == [False, True]
        assert b"not enough memory" in done.stderr
        assert b"Traceback" not in done.stderr

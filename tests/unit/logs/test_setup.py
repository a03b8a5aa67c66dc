"""Logging as a process has it: to a descriptor, to files, from libraries and threads."""

import json
import logging
import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from armarium.logs import configure, handlers
from armarium.logs.settings import LogSettings
from armarium.settings import Settings, load

log = structlog.get_logger("armarium.test")


@pytest.fixture(autouse=True)
def _undo() -> Iterator[None]:
    root = logging.getLogger()
    before, level, hook = list(root.handlers), root.level, threading.excepthook
    known = structlog.get_config()  # loggers that were used before keep to it
    yield
    for handler in list(root.handlers):
        root.removeHandler(handler)
    for handler in before:
        root.addHandler(handler)
    root.setLevel(level)
    threading.excepthook = hook
    logging.captureWarnings(False)
    structlog.configure(**known)


def settings(home: Path, **values: str) -> Settings:
    environ = {f"ARMARIUM_LOGS_{key.upper()}": value for key, value in values.items()}
    return load([LogSettings], home=home, environ=environ)


class Reader:
    """A pipe to log into, and what came out at the other end."""

    def __init__(self) -> None:
        self._end, self.descriptor = os.pipe()

    def text(self) -> str:
        os.set_blocking(self._end, False)
        return os.read(self._end, 1_000_000).decode()

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text().splitlines()]

    def close(self) -> None:
        os.close(self._end)


def test_an_event_carries_time_process_and_the_ids_of_the_work_in_hand(tmp_path: Path) -> None:
    reader = Reader()
    configure(settings(tmp_path), process="worker-1", descriptor=reader.descriptor)

    with structlog.contextvars.bound_contextvars(task=17):
        log.info("task done", pages=3)

    (line,) = reader.lines()
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "level": "info",
        "process": "worker-1",
        "pid": os.getpid(),
        "logger": "armarium.test",
        "event": "task done",
        "task": 17,
        "pages": 3,
    }


@pytest.mark.parametrize(
    "name", ["uvicorn.error", "sqlalchemy.pool", "procrastinate.worker", "alembic.runtime"]
)
def test_libraries_speak_through_the_same_processors(tmp_path: Path, name: str) -> None:
    reader = Reader()
    configure(settings(tmp_path), process="web", descriptor=reader.descriptor)

    with structlog.contextvars.bound_contextvars(request="r1"):
        logging.getLogger(name).warning("lost %s", "postgresql://ada:hunter2@db/x")

    (line,) = reader.lines()
    assert line["event"] == "lost postgresql://ada:***@db/x"
    assert (line["logger"], line["request"], line["process"]) == (name, "r1", "web")


def test_an_exception_is_written_with_its_traceback_and_without_its_secrets(tmp_path: Path) -> None:
    reader = Reader()
    configure(settings(tmp_path), process="web", descriptor=reader.descriptor)

    try:
        int("postgresql://ada:hunter2@db/x")
    except ValueError:
        log.exception("request failed")

    (line,) = reader.lines()
    assert "Traceback" in line["exception"]
    assert line["exception"].endswith("'postgresql://ada:***@db/x'")
    assert "hunter2" not in json.dumps(line)


def test_a_thread_that_dies_says_so_in_the_log(tmp_path: Path) -> None:
    reader = Reader()
    configure(settings(tmp_path), process="web", descriptor=reader.descriptor)

    thread = threading.Thread(target=lambda: 1 / 0, name="doomed")
    thread.start()
    thread.join()

    (line,) = reader.lines()
    assert line["thread"] == "doomed"
    assert "ZeroDivisionError" in line["exception"]


def test_lines_below_the_level_are_not_written(tmp_path: Path) -> None:
    reader = Reader()
    configure(settings(tmp_path, level="warning"), process="web", descriptor=reader.descriptor)

    log.info("quiet")
    log.warning("loud")

    assert [line["event"] for line in reader.lines()] == ["loud"]


def test_a_pipe_gets_json_by_default_and_a_terminal_words_for_people(tmp_path: Path) -> None:
    far, terminal = os.openpty()
    configure(settings(tmp_path), process="web", descriptor=terminal)

    log.info("hello")

    assert b"hello" in (written := os.read(far, 4096))
    assert b'"event"' not in written
    assert b"\x1b[32minfo" in written


def test_console_lines_can_be_chosen_for_a_pipe_and_have_no_colours_then(tmp_path: Path) -> None:
    reader = Reader()
    configure(settings(tmp_path, format="console"), process="web", descriptor=reader.descriptor)

    log.info("hello", name="ada")

    assert "hello name=ada (armarium.test)" in (text := reader.text())
    assert "\x1b" not in text


def test_a_reader_that_hung_up_does_not_disturb_the_process(tmp_path: Path) -> None:
    reader = Reader()
    configure(settings(tmp_path), process="web", descriptor=reader.descriptor)
    reader.close()

    log.info("nobody hears this")


def stalled_readers() -> list[tuple[str, int, int]]:
    pipe, terminal = os.pipe(), os.openpty()
    journal = [end.detach() for end in socket.socketpair()]
    return [("pipe", *pipe), ("terminal", *terminal), ("socket", journal[0], journal[1])]


@pytest.mark.parametrize(("far", "near"), [pytest.param(*ends, id=name) for name, *ends in stalled_readers()])
def test_a_reader_that_stalls_costs_lines_but_does_not_hold_up_the_process(
    tmp_path: Path, far: int, near: int
) -> None:
    configure(settings(tmp_path, format="json"), process="web", descriptor=near)
    writer = threading.Thread(target=fill, daemon=True)
    writer.start()
    writer.join(60)
    assert not writer.is_alive(), "logging waits for a reader that does not read"
    assert os.get_blocking(near), "others who share the descriptor must not feel it"

    os.set_blocking(far, False)
    drain(far)
    log.info("read again")
    *_, told, last = (json.loads(line) for line in drain(far).splitlines() if b'"web"' in line)
    assert "lines before this one are lost" in told["event"]
    assert last["event"] == "read again"


def fill() -> None:
    for number in range(700):
        log.info("filling", number=number, text="x" * (9000 if number % 10 == 0 else 100))


def drain(descriptor: int) -> bytes:
    """What lies there to be read; a terminal hands on what it holds back bit by bit."""
    found, silent = b"", 0
    while silent < 5:
        try:
            found, silent = found + os.read(descriptor, 65_536), 0
        except BlockingIOError:
            silent += 1
            time.sleep(0.02)
    return found


def test_a_pipe_that_cannot_be_opened_anew_is_looked_at_before_every_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever steps down to another user keeps his standard error, but may not open it."""
    reader = Reader()
    monkeypatch.setattr(handlers, "_opened_anew", lambda _: None)
    configure(settings(tmp_path), process="web", descriptor=reader.descriptor)
    writer = threading.Thread(target=fill, daemon=True)
    writer.start()
    writer.join(60)
    assert not writer.is_alive()


def test_a_full_disk_does_not_disturb_the_process(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "web.log").symlink_to("/dev/full")
    configure(settings(tmp_path, files="true"), process="web", descriptor=full)

    for _ in range(1000):
        log.info("no room for this", text="x" * 100)

    assert capfd.readouterr().err == ""


def test_a_log_folder_that_cannot_be_made_is_reported_and_the_process_goes_on(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file where the folder should be")
    reader = Reader()

    configure(settings(tmp_path, files="true"), process="web", descriptor=reader.descriptor)

    (line,) = reader.lines()
    assert line["event"] == "log file cannot be written; going on without"


def test_files_hold_json_lines_and_are_begun_anew_at_their_size(tmp_path: Path) -> None:
    reader = Reader()
    chosen = settings(tmp_path, files="true", file_megabytes="1", files_kept="2", format="console")
    configure(chosen, process="../worker 1", descriptor=os.open(os.devnull, os.O_WRONLY))

    for number in range(400):
        log.info("filling", number=number, text="x" * 9000)

    files = sorted(path.name for path in (tmp_path / "logs").iterdir())
    assert files == [".._worker_1.log", ".._worker_1.log.1", ".._worker_1.log.2"]
    assert all(path.stat().st_size <= 1_000_000 for path in (tmp_path / "logs").iterdir())
    last = (tmp_path / "logs" / ".._worker_1.log").read_text().splitlines()[-1]
    assert json.loads(last)["number"] == 399
    reader.close()


@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_files_are_for_their_owner_alone_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        chosen = settings(tmp_path / "home", files="true", file_megabytes="1")
        configure(chosen, process="web", descriptor=os.open(os.devnull, os.O_WRONLY))
        for _ in range(200):
            log.info("filling", text="x" * 9000)
    finally:
        os.umask(before)
    files = list((tmp_path / "home" / "logs").iterdir())
    assert len(files) > 1
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    assert (tmp_path / "home" / "logs").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "home").stat().st_mode & 0o066 == 0


def test_configuring_again_does_not_write_lines_twice(tmp_path: Path) -> None:
    reader = Reader()
    configure(settings(tmp_path), process="web", descriptor=reader.descriptor)
    log.info("first")
    configure(settings(tmp_path), process="worker", descriptor=reader.descriptor)
    log.info("second")

    assert [(line["process"], line["event"]) for line in reader.lines()] == [
        ("web", "first"),
        ("worker", "second"),
    ]

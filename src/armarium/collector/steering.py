"""Commands that came down with a heartbeat, and their answers, which go up with one of the next."""

import asyncio
import json
from collections.abc import Iterable
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

import structlog

from armarium.collector.child import paused_file
from armarium.collector.result import search
from armarium.core.collecting import Command, CommandAnswer
from armarium.core.errors import ArmariumError, Refused, Unavailable
from armarium.harvest.engine.control import LONGEST_LINE, short_name
from armarium.harvest.folder import CrawlFolder

# --- Asks the engine over its control socket, without ever holding up the collector.


async def ask(control_file: Path, verb: str, arguments: dict[str, Any], *, seconds: float) -> dict[str, Any]:
    """Raises `Unavailable` where nobody crawls or answers in time, `Refused` with what the crawl objects."""
    try:
        async with asyncio.timeout(seconds):
            line = await _asked(control_file, json.dumps({**arguments, "verb": verb}).encode() + b"\n")
        answer: dict[str, Any] = json.loads(line)
    except TimeoutError:
        raise Unavailable(f"The crawl did not answer within {seconds:.0f} seconds.") from None
    except (OSError, ValueError):
        raise Unavailable("The crawl does not answer: it starts just now, or has just ended.") from None
    if not answer.pop("ok"):
        raise Refused(str(answer.get("error")))
    return answer


async def _asked(control_file: Path, line: bytes) -> bytes:
    with short_name(control_file) as name:
        reader, writer = await asyncio.open_unix_connection(name, limit=LONGEST_LINE)
    try:
        writer.write(line)
        await writer.drain()
        return await reader.readline()
    finally:
        writer.close()


# --- Commands that came down with a heartbeat, and their answers, which go up with one of the next.


log = structlog.get_logger(__name__)

VERBS = frozenset(
    {"pause", "resume", "terminate", "checkpoint", "filter", "budget", "pace", "queues", "blocked", "traps"}
)
LOG = "log"
ANSWER_SECONDS = 60.0
STARTING_SECONDS = 20.0  # for which an engine that does not listen yet is asked again
STEP = 0.5
LONGEST_ANSWER = 300_000  # characters
LONGEST_BEAT = 2 * LONGEST_ANSWER
LINES = 100


class Commands:
    """Of one job. Each is carried out once, however often it is sent, and answered until that is known."""

    def __init__(self, folder: CrawlFolder) -> None:
        self._folder = folder
        self._begun: dict[int, asyncio.Task[CommandAnswer]] = {}
        self._delivered: set[int] = set()

    def take(self, commands: Iterable[Command]) -> None:
        for command in commands:
            self._delivered.discard(command.id)  # asked again: the answer was lost
            if command.id not in self._begun:
                self._begun[command.id] = asyncio.create_task(self._answered(command))

    def answers(self) -> tuple[CommandAnswer, ...]:
        """Those that the server has not yet; of many long ones, as many as a heartbeat can carry."""
        waiting = [task for number, task in self._begun.items() if number not in self._delivered]
        answers = [task.result() for task in waiting if task.done() and not task.cancelled()]
        sizes = accumulate(len(answer.model_dump_json()) for answer in answers)
        return tuple(answer for answer, size in zip(answers, sizes, strict=True) if size <= LONGEST_BEAT)

    def delivered(self, answers: Iterable[CommandAnswer]) -> None:
        self._delivered |= {answer.id for answer in answers}

    def close(self) -> None:
        for task in self._begun.values():
            task.cancel()

    async def _answered(self, command: Command) -> CommandAnswer:
        try:
            answer = await self._carried_out(command)
            if len(json.dumps(answer)) > LONGEST_ANSWER:
                raise Refused("The answer is too long to be sent. Ask for less.")
        except (ArmariumError, ValueError, TypeError, OSError) as error:
            log.info("command refused", command=command.id, verb=command.verb, reason=str(error))
            return CommandAnswer(id=command.id, accepted=False, answer={"error": str(error)})
        log.info("command carried out", command=command.id, verb=command.verb)
        return CommandAnswer(id=command.id, accepted=True, answer=answer)

    async def _carried_out(self, command: Command) -> dict[str, Any]:
        arguments = dict(command.arguments)
        if command.verb == LOG:
            pattern, most = str(arguments.get("pattern") or ""), int(arguments.get("most") or LINES)
            return await asyncio.to_thread(partial(search, self._folder.logs, pattern, most))
        if command.verb not in VERBS:
            raise Refused(f"A collector does not know the command {command.verb!r}.")
        until = asyncio.get_running_loop().time() + STARTING_SECONDS
        while not self._folder.control_file.exists():
            if asyncio.get_running_loop().time() >= until:
                raise Unavailable("The crawl does not run: it has ended, or could not be started yet.")
            await asyncio.sleep(STEP)
        answer = await ask(self._folder.control_file, command.verb, arguments, seconds=ANSWER_SECONDS)
        self._note_pause(command.verb)
        return answer

    def _note_pause(self, verb: str) -> None:
        """A crawl that people have paused stays so, also when it is started again."""
        if verb == "pause":
            paused_file(self._folder).touch()
        elif verb == "resume":
            paused_file(self._folder).unlink(missing_ok=True)

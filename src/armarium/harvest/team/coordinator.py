"""Starts the members of a team, watches them, and ends the crawl for all of them."""

import asyncio
import multiprocessing
from collections.abc import Iterable
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any

from armarium.core.crawl_order import CrawlOrder
from armarium.core.errors import ArmariumError, Unavailable
from armarium.harvest.engine.control import Caller, ControlServer, Verb
from armarium.harvest.engine.engine import End, reached
from armarium.harvest.engine.steering import ended_because, share_in, share_told
from armarium.harvest.folder import CrawlFolder
from armarium.harvest.frontier.budget import Budget
from armarium.harvest.team.member import run_member
from armarium.harvest.team.shared_limits import Allowances, SharedPurses, summed

LOOK = 0.25  # seconds
MOST_UNHEARD = 20  # looks in a row
START_SECONDS = 120.0
END_SECONDS = 120.0
BROADCAST = ("pause", "resume", "checkpoint", "filter", "pace", "queues", "blocked", "traps")


class Coordinator:
    """One for a crawl that several processes share. It crawls nothing itself."""

    def __init__(self, folder: CrawlFolder, order: CrawlOrder, count: int) -> None:
        self._folder = folder
        self._order = order
        self._count = count
        self._callers = [Caller(CrawlFolder(folder.root, number).control_file) for number in range(count)]
        self._processes: list[SpawnProcess] = []
        self._lifelines: list[Connection] = []
        self._control = ControlServer(folder.control_file, self._verbs())
        self._last: dict[str, Any] = {}
        self._quiet_round: tuple[object, ...] | None = None
        self._unheard = 0  # looks in a row at which a member did not answer
        self._allowances: dict[str, Allowances] = {}
        self._purses = SharedPurses()
        share = order.limits.share
        self._share = Budget(share.max_objects, share.max_bytes)
        self.end: End | None = None

    def report(self) -> dict[str, Any]:
        """What the team is doing, as of the last look."""
        return self._last

    def stop(self, reason: End) -> None:
        if self.end is None:
            self.end = reason

    async def start(self) -> None:
        """Start the members, and wait until all of them listen."""
        context = multiprocessing.get_context("spawn")
        for number in range(self._count):
            ours, theirs = context.Pipe()
            arguments = (self._folder.root, number, self._count, theirs)
            process = context.Process(target=run_member, args=arguments, name=f"crawl part {number}")
            process.start()
            theirs.close()
            self._processes.append(process)
            self._lifelines.append(ours)
        await self._until_all_listen()
        await self._control.start()

    async def run(self) -> End:
        """Watch until there is a reason to end, and end all members."""
        try:
            while self.end is None:
                await asyncio.sleep(LOOK)
                await self._look()
        finally:
            await self._control.close()
            await self._end_members(self.end or End.ABNORMAL)
        return self.end or End.ABNORMAL

    # Watching -------------------------------------------------------------------------------------------

    async def _look(self) -> None:
        if not all(process.is_alive() for process in self._processes):
            self.stop(End.INTERRUPTED)  # what the others have is safe, and the crawl can be resumed
            return
        try:
            reports = await self._ask_all("status")
            members = await self._ask_all("member")
        except Unavailable:
            # It has just ended, which the next look sees, or was too busy for an answer.
            self._unheard += 1
            if self._unheard > MOST_UNHEARD:
                raise
            return
        self._unheard = 0
        whole = summed(reports)
        spent = self._share.is_spent(whole["objects"], whole["bytes"]) and not whole["in_flight"]
        waits = spent and not all(member["idle"] for member in members)
        self._last = {**whole, **share_told(self._share, waits=waits)}
        reason = reached(
            self._order.limits,
            self._last["objects"],
            self._last["bytes"],
            self._last["seconds"],
            0.0 if waits else min(member["silent"] for member in members),
            0.0 if waits else min(member["inactive"] for member in members),
        )
        if reason is not None:
            self.stop(reason)
        elif await self._share_sources(members):
            self._quiet_round = None
        elif self._nothing_left(reports, members):
            self.stop(End.FINISHED)
        else:
            await self._share_allowance(reports, members)

    def _nothing_left(self, reports: list[dict[str, Any]], members: list[dict[str, Any]]) -> bool:
        """Whether all were idle in two looks in a row, and nothing was under way between them."""
        idle = all(member["idle"] and not member["unsent"] for member in members)
        now = tuple(
            (member["received"], report["finished"]) for member, report in zip(members, reports, strict=True)
        )
        before, self._quiet_round = self._quiet_round, now if idle else None
        return idle and before == now

    async def _share_sources(self, members: list[dict[str, Any]]) -> bool:
        """Divide what is left of the budgets of sources; whether there was anything."""
        tags = self._purses.wanted(members)
        if not tags:
            return False
        settled = await self._ask_all("settle_sources", tags=tags)
        shares = self._purses.shares(members, tags, settled)
        for caller, allowed in zip(self._callers, shares, strict=True):
            if allowed:
                await asyncio.to_thread(caller.ask, "allow_sources", allowed=allowed)
        return any(shares)

    async def _share_allowance(self, reports: list[dict[str, Any]], members: list[dict[str, Any]]) -> None:
        limits = (self._order.limits.max_objects, self._share.objects)
        most = min((limit for limit in limits if limit is not None), default=None)
        await self._divide("objects", most, reports, members)
        await self._divide("bytes", self._share.bytes, reports, members)

    async def _divide(
        self, what: str, most: int | None, reports: list[dict[str, Any]], members: list[dict[str, Any]]
    ) -> None:
        if most is None:
            return
        done = [int(report[what]) for report in reports]
        allowances = self._allowances.setdefault(what, Allowances(most, done))
        allowances.renew(most, done)
        for number, member in enumerate(members):
            if member["idle"] and allowances.given[number] > done[number]:
                allowances.give_back(number, await self._allow(number, what, done[number]))
        under_way = [report["in_flight"] if what == "objects" else 0 for report in reports]
        hungry = [
            number
            for number, member in enumerate(members)
            if not member["idle"] and done[number] + under_way[number] >= allowances.given[number]
        ]
        for number in allowances.share(hungry):
            await self._allow(number, what, allowances.given[number])

    async def _allow(self, number: int, what: str, most: int) -> int:
        """Tell a member how much it may capture; what it has, or is about to have."""
        answer = await asyncio.to_thread(self._callers[number].ask, "allow", **{what: most})
        return int(answer["used"])

    async def _ask_all(self, verb: str, **facts: object) -> list[dict[str, Any]]:
        asked = (asyncio.to_thread(caller.ask, verb, **facts) for caller in self._callers)
        return list(await asyncio.gather(*asked))

    # Beginning and end ----------------------------------------------------------------------------------

    async def _until_all_listen(self) -> None:
        until = asyncio.get_running_loop().time() + START_SECONDS
        while True:
            try:
                members = await self._ask_all("status")
            except Unavailable:
                if asyncio.get_running_loop().time() > until or self._any_died():
                    await self._end_members(End.ABNORMAL)
                    raise Unavailable(
                        "A process of the crawl did not start. Its messages are above."
                    ) from None
                await asyncio.sleep(0.1)
            else:
                self._last = summed(members)
                await self._share_allowance(members, [{"idle": False}] * len(members))
                return

    def _any_died(self) -> bool:
        return any(process.exitcode is not None for process in self._processes)

    async def _end_members(self, reason: End) -> None:
        for caller in self._callers:
            try:
                await asyncio.to_thread(caller.ask, "end", reason=str(reason))
            except ArmariumError:
                continue  # it is gone already, or will notice that its lifeline is
        for lifeline in self._lifelines:
            lifeline.close()
        for process in self._processes:
            await asyncio.to_thread(process.join, END_SECONDS)
            if process.is_alive():
                process.kill()
                await asyncio.to_thread(process.join)

    # Answers --------------------------------------------------------------------------------------------

    def _verbs(self) -> dict[str, Verb]:
        own = {"status": self._status, "terminate": self._terminate, "budget": self._budget}
        return own | dict.fromkeys(BROADCAST, self._broadcast)

    async def _status(self, _: dict[str, Any]) -> dict[str, Any]:
        return self._last

    async def _terminate(self, asked: dict[str, Any]) -> dict[str, Any]:
        self.stop(ended_because(asked))
        return {}

    async def _budget(self, asked: dict[str, Any]) -> dict[str, Any]:
        """That of the whole crawl is divided here."""
        if "share" not in asked:
            return await self._broadcast(asked)
        self._share = share_in(asked)
        return {}

    async def _broadcast(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Ask every member; one that refuses does so for all, unless another could."""
        verb = str(asked["verb"])
        self._purses.forget()
        facts = {name: value for name, value in asked.items() if name != "verb"}
        answers, refusals = [], []
        for caller in self._callers:
            try:
                answers.append(await asyncio.to_thread(caller.ask, verb, **facts))
            except ArmariumError as error:
                refusals.append(error)
        if not answers:
            raise refusals[0]
        return _merged(answers)


def _merged(answers: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Numbers are added, lists joined; of anything else the first counts."""
    whole: dict[str, Any] = {}
    for answer in answers:
        for name, value in answer.items():
            before = whole.get(name)
            if before is None:
                whole[name] = value
            elif isinstance(value, int | list) and not isinstance(value, bool):
                whole[name] = before + value
    return whole

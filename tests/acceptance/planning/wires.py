"""The line between a collector and the server, which a test can cut."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tests.sites.serving import Run, loop_in_a_thread


class Wire:
    """Passes everything on to a port of this machine, until it is cut."""

    def __init__(self, run: Run, target: int) -> None:
        self._run = run
        self._target = target
        self._whole = asyncio.Event()
        self._whole.set()
        self._refuses = False
        self._lines: set[asyncio.StreamWriter] = set()
        self.port = 0

    async def lay(self) -> None:
        server = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        self.port = int(server.sockets[0].getsockname()[1])

    def lead_to(self, target: int) -> None:
        """To another port, from now on."""
        self._target = target

    def cut(self, *, silently: bool) -> None:
        """Silently: nobody hears of it, and what was said meanwhile arrives when the wire is mended."""
        self._run(self._cut(silently))

    def mend(self) -> None:
        self._run(self._mend())

    async def _cut(self, silently: bool) -> None:
        self._refuses = not silently
        self._whole.clear()
        if not silently:
            for line in list(self._lines):
                line.transport.abort()

    async def _mend(self) -> None:
        self._refuses = False
        self._whole.set()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._refuses:
            writer.transport.abort()
            return
        try:
            await self._whole.wait()
            there, back = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:  # the server is down
            writer.transport.abort()
            return
        self._lines |= {writer, back}
        await asyncio.gather(self._pass(reader, back), self._pass(there, writer))
        self._lines -= {writer, back}

    async def _pass(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while piece := await source.read(65536):
                await self._whole.wait()
                target.write(piece)
                await target.drain()
        target.close()


@contextmanager
def wires(count: int, target: int) -> Iterator[list[Wire]]:
    with loop_in_a_thread() as run:
        laid = [Wire(run, target) for _ in range(count)]
        for wire in laid:
            run(wire.lay())
        yield laid

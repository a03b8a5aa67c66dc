"""`python -m armarium.demo.web --port N --folder F`: the small web as a process of its own."""

import argparse
import asyncio
import signal
from pathlib import Path

from armarium.demo.web.serving import READY_FILE, serve
from armarium.processes import lifeline


async def _until_told(port: int, folder: Path) -> None:
    ending = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ending.set)
    await serve(port, folder, ending)


def main() -> None:
    parser = argparse.ArgumentParser(description="The small web of the demonstration, on the loopback.")
    parser.add_argument("--port", type=int, default=0, help="0: any free one; it then stands in web.json.")
    parser.add_argument("--folder", type=Path, required=True, help="Where the edition and web.json lie.")
    parser.add_argument("--lifeline", type=int, help="A pipe; when its other end closes, the web ends.")
    chosen = parser.parse_args()
    if chosen.lifeline is not None:
        lifeline.hold(chosen.lifeline)
    chosen.folder.mkdir(parents=True, exist_ok=True)
    (chosen.folder / READY_FILE).unlink(missing_ok=True)
    asyncio.run(_until_told(chosen.port, chosen.folder))


if __name__ == "__main__":
    main()

"""What a child and its supervisor say to each other."""

import asyncio
import os
import sys

from armarium.server.child import Channel
from armarium.server.supervised import VARIABLE, Supervised, adopt, gift


def test_a_process_started_alone_has_no_supervisor_and_may_speak_all_the_same() -> None:
    supervised = adopt({})

    supervised.ready("http://127.0.0.1:1")

    assert supervised == Supervised(name=None, restarts=0, channel=None)


def test_a_child_learns_its_name_and_how_often_it_was_restarted_and_hides_it_from_grandchildren() -> None:
    lifeline, held = os.pipe()
    reader, channel = os.pipe()
    environ = {"PATH": "/bin", **gift(name="worker-1", restarts=3, lifeline=lifeline, channel=channel)}

    supervised = adopt(environ)

    assert (supervised.name, supervised.restarts) == ("worker-1", 3)
    assert VARIABLE not in environ
    assert not os.get_inheritable(channel)
    # The lifeline stays held: closing it would end this very process.
    assert held >= 0
    os.close(reader)
    supervised.ready()  # to a supervisor that is gone: nothing happens


def test_what_a_child_says_is_heard_in_pieces_and_rubbish_is_passed_over() -> None:
    async def listen() -> tuple[Channel, list[str]]:
        heard: list[str] = []
        channel = Channel(heard.append)
        for piece in (
            b"rubbish\n[1]\n",
            b'{"alive": ""}\n',
            b'{"rea',
            b'dy": "http://a"}\n',
            b'{"failed": "No\\nport."}\n',
        ):
            os.write(channel.writer, piece)
            await asyncio.sleep(0)
        channel.given()
        channel.close()
        channel.close()  # twice does no harm
        return channel, heard

    channel, heard = asyncio.run(listen())

    assert heard == ["http://a"]
    assert (channel.ready, channel.failed, channel.pulses) == ("http://a", "No\nport.", 1)


def test_a_child_that_babbles_is_not_listened_to_for_ever() -> None:
    async def listen() -> int:
        channel = Channel(lambda _address: None)
        babbler = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            f"import os\nwhile True: os.write({channel.writer}, b'x' * 4096)",
            pass_fds=(channel.writer,),
            stderr=asyncio.subprocess.DEVNULL,
        )
        channel.given()
        async with asyncio.timeout(30):
            return await babbler.wait()

    assert asyncio.run(listen()) != 0  # it ends by the broken pipe

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from armarium.core.errors import Misconfigured
from armarium.core.message import Message
from armarium.notify.channels import LogChannel, chosen, known_kinds, sections
from armarium.notify.mail import MailChannel
from armarium.settings import Settings, load

PLUGIN = """
from armarium.notify.model import ChannelKind
from armarium.settings import Section, key

class PagerSettings(Section, name="pager"):
    "A pager."
    number: int = key(1, "Whom to call.")

class Pager:
    def __init__(self, number): self.number = number
    def send(self, sent): pass

PAGER = ChannelKind(NAME, lambda settings, translate: Pager(settings[PagerSettings].number), (PagerSettings,))
"""


def english(message: Message, language: str) -> str:
    return str(message)


def settings(home: Path, **environ: str) -> Settings:
    return load(sections(known_kinds().values()), home=home, environ=environ)


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of installed packages with a plug-in in it."""
    site = tmp_path / "site"
    information = site / "pager-1.0.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: pager\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[armarium.notify]\npager = pager_plugin:PAGER\n")
    monkeypatch.syspath_prepend(str(site))
    yield site
    sys.modules.pop("pager_plugin", None)


def test_the_channels_of_the_settings_are_made(tmp_path: Path) -> None:
    recipients = {"ARMARIUM_NOTIFY_RECIPIENTS": '["anna@library.example"]'}
    both = settings(tmp_path, ARMARIUM_NOTIFY_CHANNELS='["log", "mail"]', **recipients)
    channels = chosen(known_kinds(), both, english)
    assert isinstance(channels["log"], LogChannel)
    assert isinstance(channels["mail"], MailChannel)


def test_an_unknown_channel_is_refused_with_the_known_names(tmp_path: Path) -> None:
    wrong = settings(tmp_path, ARMARIUM_NOTIFY_CHANNELS='["pigeon"]')
    with pytest.raises(Misconfigured, match=r"pigeon .*Known are: log, mail"):
        chosen(known_kinds(), wrong, english)


def test_an_installed_plug_in_is_found_with_its_settings(install: Path, tmp_path: Path) -> None:
    (install / "pager_plugin.py").write_text(PLUGIN.replace("NAME,", '"pager",'))
    found = settings(tmp_path, ARMARIUM_NOTIFY_CHANNELS='["pager"]', ARMARIUM_PAGER_NUMBER="112")
    pager = chosen(known_kinds(), found, english)["pager"]
    assert getattr(pager, "number", None) == 112


def test_a_plug_in_that_takes_a_name_of_ours_is_refused(install: Path) -> None:
    (install / "pager_plugin.py").write_text(PLUGIN.replace("NAME,", '"mail",'))
    with pytest.raises(Misconfigured, match="Two notification channels are named mail"):
        known_kinds()


def test_a_plug_in_that_is_something_else_is_refused(install: Path) -> None:
    (install / "pager_plugin.py").write_text("PAGER = 'ring ring'")
    with pytest.raises(Misconfigured, match="pager_plugin:PAGER"):
        known_kinds()

"""The history of the schema is one line."""

from alembic.config import Config
from alembic.script import ScriptDirectory

from armarium.db.migrate import known


def test_the_migrations_form_one_line_numbered_from_0001() -> None:
    config = Config()
    config.set_main_option("script_location", "armarium.db:migrations")
    history = list(ScriptDirectory.from_config(config).walk_revisions())[::-1]
    numbers = [f"{number:04}" for number in range(1, len(history) + 1)]
    assert [script.revision for script in history] == numbers == list(known())
    assert [script.down_revision for script in history] == [None, *numbers[:-1]]

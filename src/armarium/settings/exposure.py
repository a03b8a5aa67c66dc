"""Whether the settings file shows a secret to everybody on the machine."""

import stat

from armarium.settings.load import Settings
from armarium.settings.origin import InFile
from armarium.settings.section import keys_of


def exposed_secrets(settings: Settings) -> list[str]:
    """The secrets in a file that everybody may read, as `mail.password`; none if it is closed."""
    try:
        if settings.file is None or not settings.file.stat().st_mode & stat.S_IROTH:
            return []
    except OSError:  # taken away since it was read
        return []
    return [
        f"{key.section}.{key.name}"
        for section in settings.sections
        for key in keys_of(section)
        if key.secret and isinstance(settings.origin(section, key.name), InFile)
    ]


def warning(settings: Settings) -> str | None:
    """What to say about it."""
    if not (exposed := exposed_secrets(settings)):
        return None
    return (
        f"Everybody on this machine can read {settings.file}, which holds {', '.join(exposed)}. "
        f"Close it: chmod o-rwx {settings.file}"
    )

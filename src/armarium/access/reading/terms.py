"""The terms of use that a library lets its readers accept."""

from hashlib import sha256
from pathlib import Path

from armarium.access.settings import AccessSettings
from armarium.core.errors import Misconfigured
from armarium.core.message import message


class Terms:
    """Read once, at the start: what somebody accepted must be what others accept."""

    def __init__(self, settings: AccessSettings) -> None:
        self._texts = _texts(settings)

    @property
    def wanted(self) -> bool:
        return bool(self._texts)

    @property
    def mark(self) -> str:
        """Changes with the terms: new ones have to be accepted anew, in whatever language they were read."""
        return sha256(repr(sorted(self._texts.items())).encode()).hexdigest()[:16] if self._texts else ""

    def paragraphs(self, language: str) -> list[str]:
        text = self._texts.get(language) or self._texts.get("", "")
        return [part.strip() for part in text.replace("\r\n", "\n").split("\n\n") if part.strip()]


def _texts(settings: AccessSettings) -> dict[str, str]:
    """By language; empty: for all that have none of their own."""
    if settings.terms_file is None:
        return {"": settings.terms} if settings.terms.strip() else {}
    file = settings.terms_file
    others = file.parent.glob(f"{file.stem}.*{file.suffix}")
    return {"": _read(file)} | {each.stem.removeprefix(f"{file.stem}."): _read(each) for each in others}


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise Misconfigured(
            message(
                "The terms of use cannot be read from %(file)s: %(reason)s. Mend the file, or change "
                "access.terms_file.",
                file=str(file),
                reason=str(problem),
            )
        ) from problem

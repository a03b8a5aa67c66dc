"""What keeps the files of a job from being taken. It goes up with the heartbeats: an archive that stays empty
must not be the first that people hear of it."""

import time

FIRM_SECONDS = 10.0  # for which nothing was taken: a cut that is over sooner is nobody's business


class Trouble:
    """Of one job. Only what holds up files alone: a server that does not answer at all is another matter."""

    def __init__(self) -> None:
        self._reason = ""
        self._since = 0.0

    def met(self, reason: str) -> None:
        if not self._reason:
            self._since = time.monotonic()
        self._reason = reason

    def over(self) -> None:
        self._reason = ""

    def report(self) -> dict[str, str]:
        lasts = time.monotonic() - self._since >= FIRM_SECONDS
        return {"upload_trouble": self._reason} if self._reason and lasts else {}

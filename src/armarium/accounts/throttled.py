"""The refusal of those who failed too often."""

from datetime import timedelta

from armarium.core.errors import Refused
from armarium.core.message import message


class Throttled(Refused):
    """Too many failures: the attempt was not even looked at."""

    def __init__(self, wait: timedelta) -> None:
        self.seconds = max(1, round(wait.total_seconds()))
        super().__init__(
            message("Too many failed attempts. Try again in %(seconds)s seconds.", seconds=self.seconds)
            if self.seconds > 1
            else message("Too many failed attempts. Try again in a second.")
        )

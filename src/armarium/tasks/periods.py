"""When periodic tasks are due."""

from collections.abc import Iterator

from procrastinate.periodic import PeriodicRegistry, TaskAtTime

SET_BACK = 60.0  # seconds; a clock that is corrected by less catches up soon enough


class Periods:
    """Names for each period its last moment that has passed, once.

    Moments that were missed (the machine slept, nobody led) are made up for by that one, however long ago it
    was; a kind that never ran is due at once. Whether another scheduler has deferred a moment already, the
    database knows: it takes each one only once.
    """

    def __init__(self, registry: PeriodicRegistry) -> None:
        self._periods = registry.periodic_tasks
        self._named: dict[tuple[str, str], int] = {}  # by kind
        self._latest = 0.0

    def due(self, now: float) -> Iterator[TaskAtTime]:
        if now < self._latest - SET_BACK:
            self._named.clear()  # the clock was ahead, and what is remembered has yet to come
            self._latest = now
        self._latest = max(self._latest, now)
        for key, period in self._periods.items():
            period.croniter.set_current(start_time=now)
            moment = round(period.croniter.get_prev(ret_type=float))
            if moment > self._named.get(key, 0):
                self._named[key] = moment
                yield period, moment

"""The rows of an answer in the dialect of the Internet Archive."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice

from armarium.access.cdxserver import steps, writing
from armarium.access.cdxserver.lines import Patience, Told, TooMuch
from armarium.access.cdxserver.resuming import Mark
from armarium.access.cdxserver.wanted import Wanted
from armarium.access.view import View


@dataclass(frozen=True)
class Row:
    told: Told
    cells: list[str]


class Answer:
    """The rows of an answer, and where the next one goes on, if it is asked for and there is more."""

    def __init__(self, view: View, wanted: Wanted, *, resumable: bool) -> None:
        self._view = view
        self._wanted = wanted
        self._resumable = resumable and not (wanted.last or wanted.asked.closest)
        self._repetitions = steps.Repetitions()
        self._reached: Told | None = None  # the last capture that was read and may be known

    def rows(self) -> Iterator[Row | Mark]:
        wanted = self._wanted
        if wanted.last:
            yield from self._last()
            return
        results = islice(self._groups(self._captures()), wanted.offset, None)
        ended: Told | None = None
        following: steps.Group | None = None
        try:
            for group in islice(results, wanted.limit):
                ended = group.told
                yield self._row(group)
            if not self._resumable or (following := next(results, None)) is None:
                return
        except TooMuch:
            if not self._resumable or self._reached is None:
                raise
            ended = self._reached
        if ended is not None:
            yield Mark.behind(ended, following.told if following else None)

    def _last(self) -> Iterator[Row]:
        """From the end, if nothing depends on what comes before."""
        wanted = self._wanted
        if wanted.value is None and not wanted.counts and not wanted.offset and not wanted.asked.closest:
            question = replace(wanted.asked, reverse=not wanted.asked.reverse)
            found = self._groups(question.captures(self._view, Patience()))
            kept = list(islice(found, wanted.limit))[::-1]
        else:
            kept = list(deque(islice(self._groups(self._captures()), wanted.offset, None), wanted.limit))
        yield from map(self._row, kept)

    def _captures(self) -> Iterator[Told]:
        found = self._wanted.asked.captures(self._view, Patience())
        if self._wanted.page is not None:
            found = steps.page_of(found, self._wanted.page, self._wanted.blocks)
        return found

    def _groups(self, found: Iterator[Told]) -> Iterator[steps.Group]:
        wanted = self._wanted
        found = steps.with_bare_digests(self._noted(found))
        if wanted.counts:
            yield from self._counted(steps.groups(self._fresh(found), wanted.filters, wanted.value))
            return
        before, found = self._behind(found)
        found = steps.passing(found, wanted.filters)
        if wanted.value is not None:
            if before is not None and not steps.passes(before, wanted.filters):
                before = None
            found = steps.firsts(found, wanted.value, before)
        if wanted.originals:
            found = steps.with_originals(self._view, found)
        for told in found:
            yield steps.Group(told)

    def _counted(self, found: Iterator[steps.Group]) -> Iterator[steps.Group]:
        for group in found:
            if self._wanted.originals:
                group.told = next(steps.with_originals(self._view, [group.told]))
            yield group

    def _noted(self, found: Iterator[Told]) -> Iterator[Told]:
        for told in found:
            self._reached = told
            yield told

    def _fresh(self, found: Iterator[Told]) -> Iterator[Told]:
        return self._behind(found)[1]

    def _behind(self, found: Iterator[Told]) -> tuple[Told | None, Iterator[Told]]:
        """The last capture of an earlier answer, and those that it did not have."""
        mark, before = self._wanted.mark, None
        if mark is None:
            return None, found
        for told in found:
            if not mark.is_behind(told):
                return before, chain([told], found)
            before = told
        return before, iter(())

    def _row(self, group: steps.Group) -> Row:
        wanted = self._wanted
        told = group.told
        if not wanted.counts:
            return Row(told, writing.cells(told, wanted.fields))
        counted = {
            "dupecount": str(self._repetitions.of(told)) if "dupecount" in wanted.counts else "",
            "skipcount": str(group.skipped),
            "groupcount": str(group.skipped + 1),
            "uniqcount": str(len(group.digests)),
            "endtimestamp": group.last or told.timestamp,
        }
        cells = [
            counted[name] if name in counted else writing.cells(told, [name])[0]  #
            for name in wanted.fields
        ]
        return Row(told, cells)

"""The days of a month, and the years of an address, as they stand in a page.

They are written here and not in a template: each page has hundreds of them, and a template takes ten times as
long. Whatever comes from the index is escaped.
"""

from datetime import date

from markupsafe import Markup, escape

from armarium.access.search import dates, links
from armarium.access.search.calendar import Day, Month, Year
from armarium.access.search.question import Question
from armarium.languages import speech

FEW = 20  # years, of which all four digits have room


class DayTable:
    """For one answer: the addresses of all days differ only in their dates."""

    def __init__(self, collection: str, question: Question, year: int) -> None:
        self._collection = collection
        self._question = question.with_(resume="", date="")
        self._year = year
        self._chosen = question.period
        self._before = escape(f"/{links.in_name(collection)}/")
        self._behind = escape(f"/{links.in_path(question.url)}")

    def rows(self, month: Month) -> Markup:
        written = [f"<tr>{''.join([self._cell(month, day) for day in week])}</tr>" for week in month.weeks]
        return Markup("\n".join(written))  # noqa: S704

    def span_of(self, digits: str) -> str:
        """The address of the same answer, of this time only."""
        return self._question.with_(from_=digits, to=digits).href(self._collection)

    def _cell(self, month: Month, number: int) -> str:
        found = month.days.get(number) if number else None
        if found is None:
            return f"<td>{number or ''}</td>"
        digits = f"{self._year:04}{month.number:02}{number:02}"
        classes = f"day day-{month.level(found)}"
        if found.restricted == found.count:
            classes += " day-restricted"
        if self._chosen == digits:
            classes += " day-chosen"
        what = speech.gettext("captures: %(count)s") % {"count": speech.number(found.count)}
        text = (
            f'{number}<span class="unseen"> {escape(dates.month_name(month.number))}, {escape(what)}</span>'
        )
        if found.count == 1:
            return f'<td><a class="{classes}" href="{self._frame(found.times[0][0])}">{text}</a></td>'
        button = f'<button type="button" class="{classes}" popovertarget="d{digits}">{text}</button>'
        return f"<td>{button}{self._times(digits, found)}</td>"

    def _times(self, digits: str, found: Day) -> str:
        day = date(self._year, int(digits[4:6]), int(digits[6:]))
        rows = [
            f'<li><a href="{self._frame(at)}">{_time(at, allowed)}</a></li>' for at, allowed in found.times
        ]
        every = speech.ngettext("List %(num)s capture", "List %(num)s captures", found.count)
        return (
            f'<div popover class="times" id="d{digits}">'
            f"<p><strong>{escape(dates.whole_day(day))}</strong></p>"
            f"<ul>{''.join(rows)}</ul>"
            f'<p><a href="{escape(self.span_of(digits))}#list">'
            f"{escape(every % {'num': speech.number(found.count)})}</a></p></div>"
        )

    def _frame(self, timestamp: str) -> str:
        return f"{self._before}{escape(timestamp)}{self._behind}"


def _time(timestamp: str, allowed: bool) -> str:
    clock = ":".join((timestamp[8:10], timestamp[10:12], timestamp[12:14]))
    restricted = "" if allowed else f" ({speech.gettext('restricted')})"
    return str(escape(f"{clock} UTC{restricted}"))


class YearStrip:
    """A bar for each year; those with captures lead on."""

    def __init__(self, years: list[Year], chosen: int) -> None:
        self._years = years
        self._chosen = chosen
        self._few = len(years) <= FEW

    def items(self, hrefs: dict[int, str], *, labelled: bool = True) -> Markup:
        """`hrefs`: where a year leads."""
        said = speech.gettext("%(year)s, captures: %(count)s")
        return Markup("\n".join([self._item(year, hrefs, said, labelled) for year in self._years]))  # noqa: S704

    def _item(self, year: Year, hrefs: dict[int, str], said: str, labelled: bool) -> str:
        chosen = year.number == self._chosen
        digits = f"{year.number:04}"
        label = (
            f'<span class="years-label" aria-hidden="true">{digits if self._few else digits[2:]}</span>'
            if labelled
            else ""
        )
        bar = f'<rect x="1" width="8" y="{100 - year.height}" height="{year.height}"/>' if year.count else ""
        svg = (
            '<svg viewBox="0 0 10 100" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
            f"{bar}</svg>"
        )
        marked = ' class="years-chosen"' if chosen else ""
        if not year.count or year.number not in hrefs:
            return f'<li{marked}><span class="years-none">{svg}{label}</span></li>'
        text = escape(said % {"year": year.number, "count": speech.number(year.count)})
        current = ' aria-current="true"' if chosen else ""
        return (
            f'<li{marked}><a href="{escape(hrefs[year.number])}" title="{text}" aria-label="{text}"{current}>'
            f"{svg}{label}</a></li>"
        )

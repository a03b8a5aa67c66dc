"""The overview as a document, for the API and the command."""

from collections.abc import Mapping
from datetime import date, datetime

from pydantic import BaseModel

from armarium.core.message import Message
from armarium.languages.speech import say
from armarium.web.overview import MOST, Asked, Figure, Overview, Running, Step, Waiting, Wrong


class WaitingShown(BaseModel):
    title: str
    count: int
    more: bool  # there are more than that
    urgency: str  # now, soon, sometime
    hint: str
    href: str


class RunningShown(BaseModel):
    title: str
    about: str
    told: str
    done: int | None  # empty: nobody knows how far it is
    total: int
    href: str


class WrongShown(BaseModel):
    at: datetime
    title: str
    about: str
    times: int
    still: bool  # it is so at this moment; else it happened in the last week
    advice: str
    href: str


class SeriesShown(BaseModel):
    label: str
    values: Mapping[date, int]  # of the last 52 weeks, each named by its Monday


class FigureShown(BaseModel):
    id: str
    title: str
    in_bytes: bool
    series: list[SeriesShown]


class StepShown(BaseModel):
    title: str
    help: str
    done: bool
    href: str


class OverviewShown(BaseModel):
    waiting: list[WaitingShown]
    running: list[RunningShown]
    wrong: list[WrongShown]
    figures: list[FigureShown]
    steps: list[StepShown]
    missing: list[str]  # rooms that could not say all of it


def told(found: Overview, asked: Asked) -> OverviewShown:
    return OverviewShown(
        waiting=[_waiting(one) for one in found.waiting],
        running=[_running(one) for one in found.running],
        wrong=[_wrong(one) for one in found.wrong],
        figures=[_figure(one, asked) for one in found.figures],
        steps=[_step(one) for one in found.steps],
        missing=[say(room) for room in found.silent],
    )


def _waiting(one: Waiting) -> WaitingShown:
    return WaitingShown(
        title=say(one.title),
        count=min(one.count, MOST),
        more=one.count > MOST,
        urgency=one.urgency.name.lower(),
        hint=say(one.hint),
        href=one.href,
    )


def _running(one: Running) -> RunningShown:
    return RunningShown(
        title=say(one.title),
        about=one.about,
        told=_said(one.told),
        done=one.done,
        total=one.total,
        href=one.href,
    )


def _wrong(one: Wrong) -> WrongShown:
    return WrongShown(
        at=one.at,
        title=say(one.title),
        about=one.about,
        times=one.times,
        still=one.still,
        advice=say(one.advice),
        href=one.href,
    )


def _figure(one: Figure, asked: Asked) -> FigureShown:
    series = [
        SeriesShown(label=say(each.label), values={week: each.values.get(week, 0) for week in asked.weeks})
        for each in one.series
    ]
    return FigureShown(id=one.id, title=say(one.title), in_bytes=one.in_bytes, series=series)


def _step(one: Step) -> StepShown:
    return StepShown(title=say(one.title), help=say(one.help), done=one.done, href=one.href)


def _said(text: Message | None) -> str:
    return say(text) if text else ""

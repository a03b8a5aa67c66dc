"""What the index says on the overview: files that it could not read, and how far it is."""

from collections.abc import Iterator

from armarium.accounts.model import Permission
from armarium.core.message import Message, message
from armarium.index.chain.steps import SILENCE
from armarium.index.upkeep import queries
from armarium.index.upkeep.labels import STEPS
from armarium.languages.speech import number
from armarium.web.chapters import Chapter, Period, monthly, within
from armarium.web.overview import Asked, Contribution, Running, Urgency, Waiting, Wrong, counted, unmended

P = Permission
CHAIN = "/index/chain"
ENDS = {"finished": True, "failed": False}  # one that was stopped says nothing


def waits(asked: Asked) -> Iterator[Waiting]:
    if not asked.may(P.INDEX_MANAGE):
        return
    with asked.database.transaction() as connection:
        count, _ = asked.once(connection, queries.failed_files)
    yield Waiting(
        message("Files that could not be indexed"),
        count,
        CHAIN,
        message("Their content cannot be found. Read the errors, fix them, and try again."),
        Urgency.NOW,
    )


def runs(asked: Asked) -> Iterator[Running]:
    if not _is_theirs(asked):
        return
    with asked.database.transaction() as connection:
        if count := queries.waiting_files(connection):
            told = message("%(count)s to go", count=counted(count))
            yield Running(message("Indexing files"), CHAIN, told=told)
        for one in asked.once(connection, queries.latest_steps):
            if one.state == "running" and (one.heard_at or one.started_at) >= asked.now - SILENCE:
                told = message("%(done)s of %(total)s lines", done=number(one.done), total=number(one.total))
                done = min(one.done, one.total) if one.total else None
                yield Running(
                    _title(one.step), CHAIN, one.about, told if one.total else None, done, one.total
                )


def _is_theirs(asked: Asked) -> bool:
    """Whether they can do something about it, or answer for it: librarians only look things up."""
    return asked.may(P.INDEX_MANAGE) or asked.may(P.SYSTEM_VIEW)


def _title(step: str) -> Message:
    return STEPS.get(step) or Message(step)


def wrong(asked: Asked) -> Iterator[Wrong]:
    if not _is_theirs(asked):
        return
    with asked.database.transaction() as connection:
        count, last = asked.once(connection, queries.failed_files)
        if count and last and last >= asked.week:
            yield Wrong(
                message("Files could not be indexed"),
                message("Read their errors. They are tried again once a day, or when you say so."),
                last,
                CHAIN,
                times=count,
                still=True,
            )
        steps = [
            one
            for one in asked.once(connection, queries.latest_steps)
            if one.ended_at and one.ended_at >= asked.week
        ]
        for one, times in unmended(steps, lambda one: one.step, lambda one: ENDS.get(one.state)):
            yield Wrong(
                message("A step of the index failed: %(step)s", step=_title(one.step)),
                message("Everything indexed so far can still be found. The next step resumes the work."),
                one.ended_at,
                CHAIN,
                one.error or one.about,
                times,
            )


def report(asked: Asked, period: Period) -> Iterator[Chapter]:
    with asked.database.transaction() as connection:
        captures = queries.captures_by_month(connection, period.months[0])
    text = message(
        "Captures of this period that can be found: %(count)s.", count=number(within(captures, period))
    )
    title = message("Captures indexed each month")
    picture = monthly("captures", title, period, (message("Captures"), captures, "first"))
    yield Chapter("captures", message("Captures"), 15, [text], [picture])


OVERVIEW = Contribution(
    room=message("Index"),
    permission=P.INDEX_VIEW,
    topics=("index",),
    waits=waits,
    runs=runs,
    wrong=wrong,
    report=report,
)

"""The end of a job here: what becomes of its folder once the server has accepted how it ended.

Whoever is killed before the answer has come does not know whether that is so. The end is kept in the folder
for that, and told again: to the same words the server gives the same answer.
"""

import structlog

from armarium.collector.job_folder import Work
from armarium.collector.lease import LeaseLost
from armarium.collector.server import Denied, Server
from armarium.core.collecting import EndKind, Held, JobEnd

log = structlog.get_logger(__name__)


def settle(work: Work, job: int, end: JobEnd) -> None:
    """The folder goes, unless a person should see what is in it."""
    if end.kind is EndKind.DONE or not work.of(job).begun:
        work.delete(job)
    else:
        work.put_aside(job)


async def tell_again(server: Server, work: Work, held: Held) -> None:
    """Where an end was told, and nobody knows whether it was accepted."""
    folder = work.of(held.job)
    if (end := folder.end) is None:
        return
    try:
        ended = await server.end(held.job, end)
    except (LeaseLost, Denied) as error:
        log.info("end was not accepted; the job is asked for again", job=held.job, reason=str(error))
        folder.forget_end()
        return
    log.info("job had ended before", job=held.job, state=ended.state)
    settle(work, held.job, end)

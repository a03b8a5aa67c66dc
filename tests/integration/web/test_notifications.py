"""The page and the API of notifications: how far each delivery is."""

import sqlalchemy as sa

from armarium.core.message import message
from armarium.notify.model import Notification, Severity
from tests.site import RunningSite

ABOUT = Notification(Severity.WARNING, message("The attic is full"), message("Make room."), key="attic")


def set_status(site: RunningSite, *statuses: str) -> None:
    with site.house.database.transaction() as connection:
        for status in statuses:
            connection.execute(
                sa.text("UPDATE procrastinate_jobs SET status = CAST(:s AS procrastinate_job_status)"),
                {"s": status},
            )


def test_a_delivery_is_shown_with_its_state_and_without_a_link_once_its_task_is_cleared_away(
    site: RunningSite,
) -> None:
    client = site.signed_in()
    with site.house.database.transaction() as connection:
        site.house.notifier.notify(connection, ABOUT)
    [sent] = site.house.notifications.page(limit=9)[0]
    link = f'href="/administration/tasks/{sent.deliveries["log"]}"'

    page = client.get("/administration/notifications").text
    assert link in page
    assert "Waiting" in page

    set_status(site, "doing", "failed")
    page = client.get("/administration/notifications").text
    assert "Failed" in page
    [listed] = client.get("/api/notifications").json()["items"]
    assert listed["deliveries"] == {"log": {"task": sent.deliveries["log"], "state": "failed"}}

    with site.house.database.transaction() as connection:
        connection.execute(sa.text("DELETE FROM procrastinate_jobs"))
    page = client.get("/administration/notifications").text
    assert link not in page
    assert "The attic is full" in page
    [listed] = client.get("/api/notifications").json()["items"]
    assert listed["deliveries"]["log"]["state"] is None

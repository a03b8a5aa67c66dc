"""What administration puts on the site."""

from armarium.accounts.model import Permission
from armarium.administration import accounts, accounts_api, api_reference, audit, notifications, system, tasks
from armarium.administration.finding import FINDERS
from armarium.administration.overview import OVERVIEW
from armarium.core.message import message
from armarium.web.routes import joined
from armarium.web.sections import Entry, Place, Section

P = Permission


SECTION = Section(
    title=message("Administration"),
    place=Place.ADMINISTER,
    order=90,
    entries=(
        Entry(
            message("Report"),
            "/report",
            P.SYSTEM_VIEW,
            message("Growth, storage, coverage, work and use over a year, on one page to print."),
        ),
        Entry(
            message("System"),
            "/administration/system",
            P.SYSTEM_VIEW,
            message("Every process, its machine and its last heartbeat."),
            menu=P.TASKS_VIEW,
        ),
        Entry(
            message("Tasks"),
            "/administration/tasks",
            P.TASKS_VIEW,
            message("Work in the background, and how it went."),
        ),
        Entry(
            message("Notifications"),
            "/administration/notifications",
            P.SYSTEM_VIEW,
            message("What operators were notified of."),
            menu=P.TASKS_VIEW,
        ),
        Entry(
            message("Accounts"),
            "/administration/accounts",
            P.ACCOUNTS_VIEW,
            message("Who can sign in, and with which roles."),
        ),
        Entry(
            message("Roles"),
            "/administration/roles",
            P.ACCOUNTS_VIEW,
            message("What each role may do."),
        ),
        Entry(
            message("Audit log"),
            "/administration/audit",
            P.AUDIT_VIEW,
            message("Every change: who, what and when."),
        ),
        Entry(
            message("Settings"),
            "/administration/settings",
            P.SETTINGS_VIEW,
            message("The settings in force and where each comes from."),
        ),
        Entry(
            message("API"),
            "/administration/api",
            None,
            message("What programs can do in Armarium."),
            menu=P.SETTINGS_VIEW,
        ),
    ),
    overview=OVERVIEW,
    finders=FINDERS,
    pages=joined(
        system.pages,
        tasks.pages,
        notifications.pages,
        accounts.pages,
        accounts.roles_pages,
        audit.pages,
        system.settings_pages,
        api_reference.pages,
    ),
    api=joined(accounts_api.api, tasks.api, system.api, notifications.api, audit.api, system.settings_api),
    actions={
        "account.created": message("Account created"),
        "account.changed": message("Account changed"),
        "account.password_set": message("Password set"),
        "account.link_made": message("One-time link created"),
        "account.signed_in": message("Signed in"),
        "account.signed_out": message("Signed out"),
        "account.sessions_ended": message("Sessions ended"),
        "account.throttled": message("Sign-in throttled"),
        "account.refused": message("Sign-in by the directory rejected"),
        "account.handed_over": message("Sign-in method changed"),
        "token.created": message("API token created"),
        "token.revoked": message("API token revoked"),
        "notification.tested": message("Test notification sent"),
        "task.retried": message("Task retried"),
        "task.cancelled": message("Task cancelled"),
    },
    words={
        "account": message("Account"),
        "notification": message("Notification"),
        "task": message("Task"),
        "token": message("Token"),
        "active": message("Can sign in"),
        "display_name": message("Full name"),
        "groups": message("Groups"),
        "reason": message("Reason"),
        "source": message("Signs in by"),
        "ended": message("Sessions ended"),
        "language": message("Language"),
        "mail": message("Email"),
        "name": message("Name"),
        "owner": message("Owner"),
        "roles": message("Roles"),
        "scopes": message("Scopes"),
        "seconds": message("Seconds"),
        "state": message("State"),
    },
)

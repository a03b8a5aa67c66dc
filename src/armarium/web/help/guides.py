"""Which page of the documentation explains which page of the site."""

#: Path of the site: page of help. The longest that a page lies under counts.
GUIDES = {
    "/": "how-to/begin-the-day",
    "/account": "how-to/use-the-api",
    "/selection": "how-to/select-sites",
    "/selection/enter": "how-to/enter-addresses",
    "/selection/nominations": "how-to/take-nominations",
    "/selection/import": "how-to/import-and-export-records",
    "/selection/export": "how-to/import-and-export-records",
    "/selection/collections": "how-to/set-up-collections",
    "/selection/matrix": "how-to/set-up-collections",
    "/selection/transfer": "how-to/transfer-to-planning",
    "/selection/mapping": "how-to/transfer-to-planning",
    "/planning": "how-to/plan-harvests",
    "/harvesting": "how-to/check-a-harvest",
    "/harvesting/collectors": "how-to/add-a-collector",
    "/harvesting/channels": "how-to/add-a-collector",
    "/storage": "how-to/keep-the-files",
    "/index": "how-to/use-the-index",
    "/access": "how-to/decide-who-may-read",
    "/access/go": "how-to/read-the-archive",
    "/access/readers": "how-to/run-a-reading-room",
    "/access/use": "how-to/run-a-reading-room",
    "/access/viewings": "how-to/check-a-harvest",
    "/administration/system": "how-to/run-in-production",
    "/administration/tasks": "how-to/run-in-production",
    "/administration/notifications": "how-to/notifications-by-mail",
    "/administration/accounts": "how-to/recover-access",
    "/administration/roles": "reference/permissions",
    "/administration/settings": "reference/settings",
    "/administration/api": "how-to/use-the-api",
}


def guide(path: str) -> str:
    """The address of the help for this page; that of the start page where no other fits."""
    under = (known for known in GUIDES if path == known or (known != "/" and path.startswith(known + "/")))
    page = GUIDES.get(max(under, key=len, default=""), "")
    return f"/help/{page}"

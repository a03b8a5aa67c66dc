"""Views of records: pages, in-tray, API and commands, above the parts whose panels a page shows."""

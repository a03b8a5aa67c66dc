"""Views of records: pages, in-tray, API and commands. They stand above the parts whose panels a page shows."""

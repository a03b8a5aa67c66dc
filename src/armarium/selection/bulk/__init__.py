"""Bulk edit: many records changed at once, seen before it is done, and undone for thirty days."""

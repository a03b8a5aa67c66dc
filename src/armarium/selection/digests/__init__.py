"""Digests: by mail, what waits for somebody in selection, as often as they want to know."""

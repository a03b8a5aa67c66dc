"""Audits: is every copy there, and is every byte what it was when the file was registered."""

"""Armarium: the suite with which a library archives the web, from selection to preservation."""

__version__ = "0.1.0"

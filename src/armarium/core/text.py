"""Texts that come from elsewhere, made fit to be kept."""


def storable(text: str) -> str:
    """A text as PostgreSQL takes it: without NUL, nor the half surrogates of undecodable file names."""
    return text.replace("\0", "").encode(errors="backslashreplace").decode()

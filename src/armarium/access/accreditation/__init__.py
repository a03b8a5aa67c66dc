"""Accreditation: the readers whom the library knows, and for how long."""

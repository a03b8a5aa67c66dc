"""Nominations: sites that readers and partners propose, judged by librarians before they become records."""

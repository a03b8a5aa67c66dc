"""Findings: what a harvest or a person observed of a record's captures, and what is proposed to do."""

"""Repairs: a bad copy is moved aside, never destroyed, and made anew from a good one."""

"""Accounts: who may enter, in which roles, with which permissions.

Comes in: names, passwords, one-time links, API tokens.
Goes out: an `Identity`: the account and what it may do.
It must never keep a password, a session key or a token in a form that can be read back.
"""

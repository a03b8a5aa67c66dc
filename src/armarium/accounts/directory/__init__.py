"""Signing in by a directory (LDAP) or by a provider of OpenID Connect.

Comes in: a name and a password, or the answer of a provider to a browser.
Goes out: a `Person`: who that is by the directory's word; and the account that such a person has here.
It must never believe a word that it has not verified, take a local account over, or keep a password.
"""

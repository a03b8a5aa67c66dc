"""Access: the reading room of the web archive. Readers find a page by address and date, and see it as it was.

Comes in: captures from the index and records from storage, through the protocols of `protocols.py`.
Goes out: pages, records, lists of captures; addresses that were asked for and are missing, for planning.
It must never show a reader what the rules deny, let an archived page reach the live web, another site of the
house or another reader's session, or ask the index and storage past `View`.
"""

"""Memento (RFC 7089): the archive as other archives, aggregators and browsers' extensions ask for it.

Comes in: an address, and the moment that a client wants it from.
Goes out: the way to the capture nearest to it (TimeGate), the list of all captures (TimeMap), and the headers
by which an archived page says when it was captured and where its neighbours are.
It must never name a capture that the reader may not see.
"""

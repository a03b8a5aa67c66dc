"""The archive as an HTTP proxy: a browser that uses it sees the web of another day, under its own addresses.

Comes in: requests for whole addresses, and tunnels (CONNECT) that end here, where an authority of our own
vouches for the archived site. Goes out: captures as they were recorded, pages of ours, addresses that were
missing. It must never open a connection to anywhere, give away the authority's key, let a browser keep what
was archived beyond its visit, or show what the rules deny.
"""

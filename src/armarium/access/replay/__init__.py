"""Replay: the capture that comes nearest to what was asked for, answered as the server answered then.

Comes in: an address, a moment, a method, and who reads, as a `ReplayRequest`.
Goes out: a `Reply`, its body at once or in pieces; where there is nothing to show, a page of ours.
It must never answer past `View`, keep more of a body in memory than a fixed amount, or let an archived field
or script reach beyond the origin of the content.
"""

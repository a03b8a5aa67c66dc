"""One request of a reader, as everything behind the door knows it: the site, who asks, and what for.

Comes in: requests. Goes out: a `Visit` for whoever answers, and errors in words.
It must never answer by itself: that is for the packages above.
"""

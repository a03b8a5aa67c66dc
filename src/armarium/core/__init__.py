"""The shared language of the house: messages, errors, the clock, who acts.

Comes in: nothing; this is the bottom layer.
Goes out: values that every room may use and hand over.
It must never do I/O, read settings, or know of any room.
"""

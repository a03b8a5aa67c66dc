"""Notifications: tell people what they should know, through the channels chosen in the settings.

Comes in: a `Notification` from any room, inside the transaction of what it speaks of.
Goes out: one task for each channel (log, mail, plug-ins), and the history for a page.
It must never send the same thing again within the quiet time, send what was rolled back, or hold up the
room that notifies: sending is a task of its own, tried again when a server is away.
"""

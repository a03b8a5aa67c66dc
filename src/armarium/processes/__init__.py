"""The processes of Armarium on all machines: who runs where, since when, and who has fallen silent.

Comes in: introductions and heartbeats of the processes, each from its own machine.
Goes out: the list for the system page, those worth a notification, and for each process that is not
a web server a small monitoring endpoint of its own.
It must never start or stop a process (the supervisor does), nor die because the database is away.
"""

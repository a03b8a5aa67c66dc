"""The terminal: how commands of the rooms open the house and show what they found.

Comes in: what was typed; the services that the door assembles when a command asks for them.
Goes out: tables for people, JSON for programs, exit codes (0 fine, 1 no or problems, 2 wrong usage).
It must never hold a rule of a room: a command calls the same verbs as a page.
"""

"""Readers: who they are, how they come in and go, what they hold, and how much is read.

Comes in: cookies, tickets and forms of readers; what staff decide about accreditation.
Goes out: the `Reader` whom the rules ask about, locks, and figures of use that speak of nobody.
It must never let what opens one origin open another, or keep who read what.
"""

"""The transfer: validated, active records of active collections become what planning harvests.

Comes in: records, the administrators' mapping, what planning has. Goes out: seed lists, configurations and
members of harvests, through the `Planning` of `planning.py`.
It must never delete anything, and never undo what somebody changed in planning by hand.
"""

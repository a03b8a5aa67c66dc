"""Rules as staff enter them: who may see what, what is under embargo, what was taken down.

Comes in: forms, documents of the API, commands, and files of rules. Goes out: rows that `policy` decides by.
It must never delete a rule: one that no longer holds has ended, and says why.
"""

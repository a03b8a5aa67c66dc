"""Selection: the sites that the library wants to keep, chosen by librarians, judged by curators (BCWeb).

Comes in: addresses that people enter, import or nominate, checked live; what planning and quality learned of
them. Goes out: validated, active records, handed to planning by the transfer.
It must never harvest, never delete a record, and never let somebody change a collection that is not theirs.
"""

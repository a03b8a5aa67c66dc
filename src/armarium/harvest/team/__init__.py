"""One crawl shared by several processes of a machine.

Comes in: an order, and how many processes. Goes out: the same folder that one process would leave.
Each member has a part of the queues; addresses that belong to another are sent there, and count as sent only
when the other has them on disk. The coordinator watches, sums up, ends the crawl when nothing is left
anywhere, and puts logs and reports together. It must never let two processes
harvest the same server; only a robots.txt that moved there may be asked for by another.
"""

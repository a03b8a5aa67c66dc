"""The two origins in one process: that of the readers' pages, and that of archived content.

Comes in: requests. Goes out: answers of the packages below, or an error in words.
It must never answer archived content on the readers' origin, nor a page of ours on that of the content.
"""

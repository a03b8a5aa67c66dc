"""The door of the reading room: two origins in one process, and who comes in.

Comes in: requests. Goes out: answers of the areas behind it, or an error in words.
It must never answer archived content on the readers' origin, nor a page of ours on that of the content.
"""

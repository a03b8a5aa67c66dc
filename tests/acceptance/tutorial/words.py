"""What a page says, without what changes from one day, machine or run to the next."""

import re

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_SHORT = "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec"
_CHANGING = (
    (r"\S+\.warc\.gz\S*", "FILE"),
    (r"\b[0-9a-f]{40,}\b", "DIGEST"),
    (r"\bcrawler(-\d+)?\b", "CRAWLER"),  # whichever of the two was faster
    (r"\b(just now|in a moment|a moment ago|yesterday|tomorrow)\b", "AGO"),
    (r"\b(in )?\d+ (second|minute|hour|day|week|month|year)s?( ago)?\b", "AGO"),
    (rf"\b({_MONTHS}|{_SHORT})\b", "MONTH"),
    (r"\d+([.,:]\d+)*", "#"),
    (r"# (B|kB|MB|GB|TB)\b", "# B"),
    (r"#(\s+#)+", "#"),  # a calendar is as long as its year
    (r"(MONTH #\s*)+", "MONTH # "),
    ("Last lines of the log", ""),  # a job may be over before anybody asked for them
    (r"\s+", " "),
)


def lasting(text: str) -> str:
    """The words that must be on the picture too."""
    for pattern, instead in _CHANGING:
        text = re.sub(pattern, instead, text)
    return text.strip()

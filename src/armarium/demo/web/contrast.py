"""Colours of words that can be read on their ground (WCAG 2, contrast of at least 4.5 to 1)."""

from armarium.demo.web.drawing.shapes import channels, mixed

ENOUGH = 4.6


def readable(colour: str, ground: str, ink: str) -> str:
    """The colour, drawn towards the ink until it can be read."""
    for step in range(21):
        tried = mixed(colour, ink, step / 20)
        if contrast(tried, ground) >= ENOUGH:
            return tried
    return ink


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((_light(one), _light(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _light(colour: str) -> float:
    shares = [each / 255 for each in channels(colour)]
    linear = [share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

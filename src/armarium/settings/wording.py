"""Names and values inside sentences: short, on one line, and harmless to a terminal."""

from datetime import date, time

LONGEST = 60  # characters of a name or value that a sentence may carry


def shown(text: str, longest: int = LONGEST) -> str:
    """The text with control characters and broken encoding made visible, cut to a readable length."""
    cut = text if len(text) <= longest else text[: longest - 1] + "…"
    return "".join(character if character.isprintable() else _escaped(character) for character in cut)


def described(value: object, *, secret: bool = False) -> str:
    """What a TOML value is, for "… but is the text "8000""; of a secret only which sort of thing."""
    match value:
        case bool():
            return "true or false" if secret else str(value).lower()
        case str():
            return "a text" if secret else f'the text "{shown(value)}"' if value else "empty"
        case int() | float():
            return "a number" if secret else _number(value)
        case list():
            return "a list"
        case dict():
            return "a table"
        case date() | time():
            return "a date or time"
    return "nothing" if value is None else f"a {type(value).__name__}"


def _number(value: float) -> str:
    # Python refuses to print more than 4,300 digits, and TOML's hexadecimal notation can give such a number.
    return "a number beyond 64 bits" if isinstance(value, int) and abs(value) >= 2**64 else str(value)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")

"""What somebody types to call the demonstration again."""

import shutil

RUN = "./run"  # of a checkout, where nothing is installed for the whole machine


def called(*options: str) -> str:
    """`armarium demo --clean` where there is such a command; otherwise as it was called, by `./run`."""
    return " ".join(("armarium" if shutil.which("armarium") else RUN, "demo", *options))

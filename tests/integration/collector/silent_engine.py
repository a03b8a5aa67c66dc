"""An engine that answers once, and then hangs: `python silent_engine.py FOLDER PROCESSES`."""

import os
import socket
import sys
import time
from pathlib import Path

if __name__ == "__main__":
    state = Path(sys.argv[1]) / "state"
    state.mkdir(exist_ok=True)
    os.chdir(state)  # the name of a socket must be short
    Path("control.sock").unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as door:
        door.bind("control.sock")
        door.listen()
        visitor, _ = door.accept()
        visitor.recv(1000)
        visitor.sendall(b'{"ok": true, "state": "running", "objects": 5}\n')
        time.sleep(600)

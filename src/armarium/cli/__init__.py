"""The door for people with a shell: `armarium …`.

Comes in: what was typed.
Goes out: processes that run, answers on standard output, errors on standard error with an exit code.
It must never hold rules of a room: each room brings its own commands.
"""

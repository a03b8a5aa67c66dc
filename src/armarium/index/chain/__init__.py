"""The chain: from a stored file to lines that are found, step by step.

Comes in: a `StoredFile` for each file that storage has accepted, withdrawn or restored. Goes out: live runs
of the index and of rows for analysis, and the PATH index.
It must never answer from a file that was withdrawn, or lose or double a line, whenever it is killed:

    file  --index-->  run of a file  --daily merge-->  run of a day  --big merge-->  the big run
                      (lines)                          (lines, rows)                 (lines)

Each arrow makes a new object whose name is told by its content, announces it in the table before its bytes
are published, and makes it live in one transaction that retires what it replaces. `index_membership` says,
for each collection and kind, which live run holds a file: exactly one.
"""

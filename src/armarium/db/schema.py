"""The one schema to which every package's `tables.py` attaches its tables.

The naming convention gives every constraint a name that we chose, so that a migration can name it later.
"""

from sqlalchemy import MetaData

schema = MetaData(
    naming_convention={
        "pk": "%(table_name)s_pkey",
        "fk": "%(table_name)s_%(column_0_N_name)s_fkey",
        "uq": "%(table_name)s_%(column_0_N_name)s_key",
        "ck": "%(table_name)s_%(constraint_name)s_check",
        "ix": "%(table_name)s_%(column_0_N_name)s_index",
    }
)

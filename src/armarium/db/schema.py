"""The one schema to which every package's `tables.py` attaches its tables.

The naming convention gives every constraint a name that we chose, so that a migration can name it later.
"""

import sqlalchemy as sa
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


# --- Columns that many tables have.


def moment(name: str, *, nullable: bool = False) -> "sa.Column[object]":
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def number() -> "sa.Column[int]":
    return sa.Column("id", sa.BigInteger, sa.Identity(), primary_key=True)


def text(name: str, *, unique: bool = False) -> "sa.Column[str]":
    """A text that is always there; empty where nobody wrote one."""
    default = None if unique else sa.text("''")
    return sa.Column(name, sa.Text, nullable=False, unique=unique, server_default=default)


def flag(name: str, *, default: bool = True) -> "sa.Column[bool]":
    return sa.Column(name, sa.Boolean, nullable=False, server_default=sa.text("true" if default else "false"))


def count(name: str) -> "sa.Column[int]":
    return sa.Column(name, sa.BigInteger, nullable=False, server_default=sa.text("0"))


def limit(name: str) -> "sa.Column[int]":
    """Empty: no limit."""
    return sa.Column(name, sa.BigInteger)


def edition() -> "sa.Column[int]":
    """Counts the changes, so that two people who edit the same thing notice each other."""
    return sa.Column("edition", sa.Integer, nullable=False, server_default=sa.text("1"))


def reference(name: str, to: str, *, nullable: bool = False, index: bool = False) -> "sa.Column[int]":
    return sa.Column(name, sa.BigInteger, sa.ForeignKey(to), nullable=nullable, index=index)

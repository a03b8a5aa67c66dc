"""Settings of the database."""

from pydantic import SecretStr

from armarium.settings import Section, key


class DatabaseSettings(Section, name="database"):
    """Where Armarium keeps what it knows: PostgreSQL, its own or one that you run."""

    url: SecretStr | None = key(
        None,
        "Address of a PostgreSQL server (15 or newer), as postgresql://user:password@host/database. "
        "Empty: Armarium runs a PostgreSQL of its own in the data folder.",
    )
    environment: str = key(
        "production",
        "Which of several installations this is: production, rehearsal, test … The database remembers it and "
        "refuses processes of another one; pages of all but production show it.",
        min_length=1,
        max_length=30,
    )
    pool_size: int = key(
        5,
        "Connections that each process keeps open; under load it opens up to twice as many for a while.",
        ge=1,
        le=100,
    )

"""Of a picture, the captures that are seen in it. Those that do not say it are taken again."""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("DELETE FROM access_picture")
    op.add_column("access_picture", sa.Column("parts", sa.LargeBinary(), nullable=True))

"""The form of a replica: from what people type to how it is set up, and back. Keys only go in."""

from decimal import Decimal, InvalidOperation

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.storage.backends.opening import TRUE
from armarium.storage.model import Replica, ReplicaKind, ReplicaRole, ReplicaState
from armarium.storage.replicas.model import ReplicaDetails, Setup
from armarium.web.forms import Form, filled

MEGABYTE = 1_000_000
TEXTS = ("endpoint", "region", "path_style", "timeout", "conditional_copy")
ALLOW_HTTP = "allow_http"
KEYS = ("access_key", "secret_key")
HIGHEST = 10**12  # megabytes: more is a slip of the finger


def as_form(details: ReplicaDetails) -> Form:
    """What is set up, to be changed; keys are not among it."""
    replica = details.replica
    return filled(
        role=replica.role.value,
        location=replica.location,
        rate_bytes=written_rate(replica.rate_bytes),
        audit_days=details.audit_days,
        audit_rate_bytes=written_rate(details.audit_rate_bytes),
        seen=details.edition,
        allow_http=replica.options.get(ALLOW_HTTP, "") in TRUE,
        **{name: replica.options.get(name, "") for name in TEXTS},
    )


def setup_in(form: Form, kind: ReplicaKind, before: Replica | None = None) -> Setup:
    """How it shall be; of a known one only what differs, so that it is asked only if it has moved."""
    options = options_in(form, kind)
    location = form.get("location").strip()
    moved = before is None or (location, options) != (before.location, dict(before.options))
    return Setup(
        role=role_in(form, kind),
        location=location if moved else None,
        options=options if moved else None,
        secrets=secrets_in(form),
        rate_bytes=rate_in(form, "rate_bytes"),
        audit_days=days_in(form),
        audit_rate_bytes=rate_in(form, "audit_rate_bytes"),
    )


def replica_in(form: Form, kind: ReplicaKind, setup: Setup) -> Replica:
    """A new one, to be tried."""
    assert setup.role is not None
    return Replica(
        id=0,
        name=form.get("name").strip(),
        kind=kind,
        role=setup.role,
        state=ReplicaState.ACTIVE,
        location=setup.location or "",
        options=setup.options or {},
    )


def role_in(form: Form, kind: ReplicaKind) -> ReplicaRole:
    if kind is ReplicaKind.CHECKSUM:
        return ReplicaRole.WITNESS
    given = form.get("role")
    if given not in set(ReplicaRole):
        raise Refused(message("Choose a role."), field="role")
    return ReplicaRole(given)


def options_in(form: Form, kind: ReplicaKind) -> dict[str, str]:
    """Of a bucket; what is left empty is not set."""
    if kind is ReplicaKind.FOLDER:
        return {}
    options = {name: text for name in TEXTS if (text := form.get(name).strip())}
    return {**options, ALLOW_HTTP: "yes"} if form.ticked(ALLOW_HTTP) else options


def secrets_in(form: Form) -> dict[str, str] | None:
    """None: those that are kept; nothing in it: forget them."""
    given = {name: text for name in KEYS if (text := form.get(name).strip())}
    if form.ticked("forget_keys"):
        return {}
    if given and len(given) < len(KEYS):
        raise Refused(
            message("An access key and its secret key go together: enter both, or neither."),
            field=next(name for name in KEYS if name not in given),
        )
    return given or None


def rate_in(form: Form, name: str) -> int:
    """Megabytes a second, as people think of disks and lines; nothing: as fast as it goes."""
    text = form.get(name).strip().replace(",", ".")
    try:
        rate = Decimal(text or 0)
    except InvalidOperation:
        rate = Decimal(-1)
    if not rate.is_finite() or not 0 <= rate <= HIGHEST:
        raise Refused(message("Enter a number of megabytes a second, or leave this empty."), field=name)
    return int(rate * MEGABYTE)


def written_rate(rate: int) -> str:
    return f"{(Decimal(rate) / MEGABYTE).normalize():f}" if rate else ""


def days_in(form: Form) -> int:
    text = form.get("audit_days").strip()
    if not text.isdecimal() or len(text) > 6:
        raise Refused(message("Enter a whole number of days; 0 means only on request."), field="audit_days")
    return int(text)

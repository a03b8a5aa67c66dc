"""Values of the audit log in words."""

from armarium.planning.audit_history import VALUES
from armarium.web.history import readable


def test_what_programs_write_is_said_in_words() -> None:
    names = {"seed_lists": {"66": "default"}, "fields": {"3": "Owner"}}
    assert readable("fields", {}, names, VALUES) is None
    assert readable("fields", {"3": "Ada"}, names, VALUES) == "Owner: Ada"
    assert readable("seed_lists", [66], names, VALUES) == "default"
    assert readable("missed", "skip", {}, VALUES) == "Skip them"
    assert readable("max_bytes", 1_500_000_000, {}, VALUES) == "1.5\u00a0GB"
    assert readable("max_objects", 12345, {}, VALUES) == "12,345"
    assert "2026" in str(readable("next_at", "2026-12-31T03:00:00+00:00", {}, VALUES))
    assert "T03" not in str(readable("next_at", "2026-12-31T03:00:00+00:00", {}, VALUES))
    assert readable("overrides", {"scope": {"max_hops": 3}, "javascript": True}, {}, VALUES) == (
        "scope.max_hops: 3, javascript: yes"
    )
    assert readable("comments", "skip", {}, VALUES) == "skip"

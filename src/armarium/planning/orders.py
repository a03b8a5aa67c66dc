"""The order of a job as it was frozen, in packed parts: the first is the profile, the others add seeds.

Each is zstd-compressed JSON.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import zstandard

from armarium.core.crawl_order import merged


def seeds_of(parts: Iterable[bytes]) -> Iterator[tuple[str, str]]:
    """Each seed with the domain that it belongs to."""
    for part in parts:
        for url, domain in unpacked(part).get("seeds", ()):
            yield str(url), str(domain)


def for_job(first: bytes, old: int, new: int) -> bytes:
    """Part 0 of a copied order: the names of the new job's files must not be those of the old one's."""
    facts = unpacked(first)
    order = facts["order"]
    order["name"] = f"job-{new}"
    values = order.setdefault("recording", {}).setdefault("values", {})
    before, found, harvest = str(values.get("prefix", "")).rpartition(f"{old}-")
    values["prefix"] = f"{before}{new}-{harvest}" if found else f"{new}-{harvest}"
    return packed(facts)


def shown_order(parts: Iterable[bytes]) -> dict[str, Any]:
    """The whole order but its seeds, which have a list of their own."""
    kept = list(parts)
    order = assembled(kept) if kept else {}
    order.pop("seeds", None)
    shown: dict[str, Any] = without_secrets(order)
    return shown


MASKED = frozenset({"password", "fields", "secret"})


def without_secrets(value: Any, name: str = "") -> Any:
    """The same, with everything masked that could open a door."""
    if name in MASKED and value:
        return "**********"
    if name == "proxy" and isinstance(value, str) and "@" in value:
        scheme, there, rest = value.partition("://")
        return f"{scheme}{there}***@{rest.rpartition('@')[2]}"
    if isinstance(value, Mapping):
        return {key: without_secrets(each, key) for key, each in value.items()}
    if isinstance(value, list):
        return [without_secrets(each) for each in value]
    return value


def as_toml(facts: Mapping[str, Any], above: str = "") -> str:
    """The facts as TOML: plain values first, then a table for each group. Nothing is said in TOML by null."""
    plain = {
        key: value for key, value in facts.items() if value is not None and not isinstance(value, Mapping)
    }
    groups = {key: value for key, value in facts.items() if isinstance(value, Mapping) and value}
    lines = [f"{_key(key)} = {_value(value)}" for key, value in plain.items()]
    text = "\n".join(lines) + "\n" if lines else ""
    for key, group in groups.items():
        path = f"{above}.{_key(key)}" if above else _key(key)
        inner = as_toml(group, path)
        head = f"[{path}]\n" if any(not isinstance(each, Mapping) for each in group.values()) else ""
        text += ("\n" if text else "") + head + inner
    return text


def _key(name: str) -> str:
    bare = name and all(letter.isascii() and (letter.isalnum() or letter in "_-") for letter in name)
    return name if bare else _text(name)


def _value(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_value(each) for each in value if each is not None) + "]"
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(key)} = {_value(each)}" for key, each in value.items() if each is not None)
        return "{" + inner + "}"
    return _text(value) if isinstance(value, str) else json.dumps(value)


def _text(value: str) -> str:
    """Quoted as in JSON, but for the one character that TOML wants escaped besides (TOML 1.0, String)."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


LEVEL = 3


LARGEST_PART = 1 << 30  # bytes, unpacked: whatever claims more is damaged


def packed(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return zstandard.ZstdCompressor(level=LEVEL).compress(text.encode())


def unpacked(part: bytes) -> dict[str, Any]:
    found = json.loads(zstandard.ZstdDecompressor().decompress(part, max_output_size=LARGEST_PART))
    assert isinstance(found, dict)
    return found


def assembled(parts: Iterable[bytes]) -> dict[str, Any]:
    """The facts of the whole `CrawlOrder`, from its parts in their order."""
    first, *others = map(unpacked, parts)
    seeds: list[dict[str, str]] = []
    budgets: dict[str, dict[str, int | None]] = {}
    traps: dict[str, list[str]] = {}
    for part in others:
        seeds += [{"url": url, "tag": domain} for url, domain in part["seeds"]]
        for domain, (objects, size) in part["budgets"].items():
            budgets[domain] = {"max_objects": objects, "max_bytes": size}
        traps.update(part["traps"])
    return merged(first["order"], {"seeds": seeds, "limits": {"sources": budgets}, "scope": {"traps": traps}})

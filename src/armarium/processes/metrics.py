"""Figures that every process gives to Prometheus."""

from prometheus_client import CollectorRegistry, Info, ProcessCollector


def registry_for(*, kind: str, name: str, version: str) -> CollectorRegistry:
    """A registry of its own for this process, with what all processes tell.

    Not prometheus_client's global one: importing a module must not add to what a process says.
    """
    registry = CollectorRegistry()
    ProcessCollector(
        registry=registry
    )  # memory, start time, CPU, open files: the names Prometheus users expect
    info = Info("armarium_process", "Which process of Armarium this is, and its version.", registry=registry)
    info.info({"kind": kind, "name": name, "version": version})
    return registry

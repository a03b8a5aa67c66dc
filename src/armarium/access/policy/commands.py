"""The commands of the rules, for `armarium reading`."""

from armarium.access.policy.exchange_commands import rules_commands
from armarium.access.policy.networks_commands import networks_commands

__all__ = ["networks_commands", "rules_commands"]

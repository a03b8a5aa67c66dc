"""The commands of the rules, for `armarium reading`."""

from armarium.access.networks.commands import networks_commands
from armarium.access.rules.exchange_commands import rules_commands

__all__ = ["networks_commands", "rules_commands"]

"""Rules in words: on pages, and in the audit log."""

from armarium.access.model import Effect
from armarium.access.policy.matching import Misfit
from armarium.access.policy.model import AddressMatch, RuleEffect, State
from armarium.core.message import Message, message

ACTIONS: dict[str, Message] = {
    "access-rule.made": message("Access rule made"),
    "access-rule.taken-down": message("Taken down"),
    "access-rule.changed": message("Access rule changed"),
    "access-rule.ended": message("Access rule ended"),
    "access-network.made": message("Network made"),
    "access-network.changed": message("Network changed"),
    "access-network.removed": message("Network removed"),
}
WORDS: dict[str, Message] = {
    "access-rule": message("Access rule"),
    "access-network": message("Network"),
    "effect": message("Effect"),
    "take_down": message("Take-down"),
    "pattern": message("Address"),
    "match": message("How much"),
    "collection": message("Collection"),
    "captured_from": message("Captured from"),
    "captured_to": message("Captured to"),
    "accredited": message("Accredited readers"),
    "roles": message("Roles"),
    "accounts": message("Accounts"),
    "networks": message("Networks"),
    "embargo_years": message("Years of embargo"),
    "embargo_months": message("Months of embargo"),
    "embargo_days": message("Days of embargo"),
    "valid_from": message("Holds from"),
    "valid_until": message("Holds until"),
    "one_reader": message("One reader at a time"),
    "no_downloads": message("No downloads"),
    "public_message": message("Message to readers"),
    "reason": message("Reason"),
    "legal_basis": message("Legal basis"),
    "ended_why": message("Why it ended"),
    "ranges": message("Addresses"),
    "note": message("Note"),
}
EFFECTS: dict[RuleEffect, Message] = {
    RuleEffect.ALLOW: message("Allow"),
    RuleEffect.RESTRICT: message("Restrict"),
    RuleEffect.HIDE: message("Hide"),
    RuleEffect.EMBARGO: message("Embargo"),
}
EFFECT_HELP: dict[RuleEffect, Message] = {
    RuleEffect.ALLOW: message("Allow: readers see it"),
    RuleEffect.RESTRICT: message("Restrict: readers are told that it exists, and do not see it"),
    RuleEffect.HIDE: message("Hide: as if it were not in the archive"),
    RuleEffect.EMBARGO: message("Embargo: restricted until some time after the capture"),
}
TONES: dict[RuleEffect, str] = {
    RuleEffect.ALLOW: "good",
    RuleEffect.RESTRICT: "warning",
    RuleEffect.HIDE: "bad",
    RuleEffect.EMBARGO: "waiting",
}
MATCHES: dict[AddressMatch, Message] = {
    AddressMatch.EXACT: message("This page alone"),
    AddressMatch.PREFIX: message("All that begins so"),
    AddressMatch.HOST: message("The host"),
    AddressMatch.DOMAIN: message("The domain, with all hosts"),
    AddressMatch.EVERYTHING: message("Everything in the archive"),
}
STATES: dict[State, Message] = {
    State.IN_FORCE: message("holds"),
    State.PLANNED: message("to come"),
    State.EXPIRED: message("over"),
    State.ENDED: message("ended"),
}
STATE_TONES: dict[State, str] = {
    State.IN_FORCE: "good",
    State.PLANNED: "waiting",
    State.EXPIRED: "neutral",
    State.ENDED: "neutral",
}
OUTCOMES: dict[Effect, Message] = {
    Effect.ALLOWED: message("may be seen"),
    Effect.RESTRICTED: message("restricted"),
    Effect.HIDDEN: message("hidden"),
}
OUTCOME_TONES: dict[Effect, str] = {
    Effect.ALLOWED: "good",
    Effect.RESTRICTED: "warning",
    Effect.HIDDEN: "bad",
}
MISFITS: dict[Misfit, Message] = {
    Misfit.AUDIENCE: message("It is for other readers."),
    Misfit.NOT_YET: message("It does not hold yet."),
    Misfit.NO_LONGER: message("It no longer holds."),
    Misfit.CAPTURED: message("It is for captures of other dates."),
    Misfit.COLLECTION: message("It is for another collection."),
    Misfit.EMBARGO_OVER: message("Its embargo is over for this capture."),
}

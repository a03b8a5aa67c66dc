"""What entries about domains in the audit log say."""

from armarium.core.message import Message, message

ACTIONS: dict[str, Message] = {
    "domain.created": message("Domain made"),
    "domain.changed": message("Domain changed"),
    "domain.default_changed": message("Default configuration changed"),
    "domain.seed_list_added": message("Seed list added"),
    "domain.seed_list_changed": message("Seed list changed"),
    "domain.configuration_added": message("Configuration added"),
    "domain.configuration_changed": message("Configuration changed"),
    "domain.alias_set": message("Made an alias"),
    "domain.alias_renewed": message("Alias renewed"),
    "domain.alias_removed": message("Alias removed"),
    "domain.credential_added": message("Credential added"),
    "domain.credential_changed": message("Credential changed"),
    "domains.imported": message("Domains imported"),
}
WORDS: dict[str, Message] = {
    "domain": message("Domain"),
    "import": message("Import"),
    "comments": message("Comments"),
    "traps": message("Crawler traps"),
    "fields": message("Further fields"),
    "origin": message("Origin"),
    "seeds": message("Seeds"),
    "seed_lists": message("Seed lists"),
    "profile": message("Profile"),
    "max_objects": message("Objects at most"),
    "max_bytes": message("Bytes at most"),
    "overrides": message("Overrides"),
    "default_configuration": message("Default configuration"),
    "alias_of": message("Alias of"),
    "alias_since": message("Alias confirmed"),
    "realm": message("Realm"),
    "user_name": message("User name"),
    "login_url": message("Address of the form"),
    "kind": message("Kind"),
    "lines": message("Lines"),
    "created": message("Made"),
    "known": message("Known before"),
    "refused": message("Refused"),
}

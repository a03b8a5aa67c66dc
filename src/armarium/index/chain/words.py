"""What entries about the index in the audit log say."""

from armarium.core.message import Message, message

ACTIONS: dict[str, Message] = {
    "collection.added": message("Collection of the index added"),
    "collection.changed": message("Collection of the index changed"),
    "index.rebuilt": message("Index made anew from the files"),
}
WORDS: dict[str, Message] = {
    "accessions": message("Accessions"),
    "active": message("Active"),
    "collection": message("Collection"),
    "files": message("Files"),
    "harvests": message("Harvests"),
    "index": message("Index"),
    "title": message("Title"),
}

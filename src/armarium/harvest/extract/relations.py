"""What the relation of a link means for a crawler."""

from armarium.harvest.model import Hop

# What a browser loads with the page.
_EMBED_WORDS = (
    "stylesheet icon apple-touch-icon apple-touch-icon-precomposed apple-touch-startup-image mask-icon "
    "fluid-icon preload modulepreload manifest image_src import compression-dictionary"
)
_EMBEDS = frozenset(_EMBED_WORDS.split())
# Hints to open a connection, addresses that only take POST, and names that are no addresses.
_NOTHING_WORDS = (
    "dns-prefetch preconnect pingback webmention micropub edituri profile hub edit edit-media openid.server "
    "openid.delegate openid2.provider openid2.local_id authorization_endpoint token_endpoint "
    "service.post wlwmanifest expect"
)
_NOTHING = frozenset(_NOTHING_WORDS.split())


def hop_of_relation(relation: str) -> Hop | None:
    """Embed, link or nothing: by the strongest of the words in a `rel`."""
    words = relation.lower().split()
    if not _EMBEDS.isdisjoint(words):
        return Hop.EMBED
    if words and (words[0] in _NOTHING or words[0].startswith(("schema.", "dcterms."))):
        return None
    return Hop.LINK

"""What meta elements refer to."""

from armarium.harvest.model import Hop

_EMBED_WORDS = (
    "og:image og:image:url og:image:secure_url og:video og:video:url og:video:secure_url og:audio "
    "og:audio:url og:audio:secure_url twitter:image twitter:image:src twitter:image0 twitter:image1 "
    "twitter:image2 twitter:image3 twitter:player:stream msapplication-tileimage "
    "msapplication-square70x70logo msapplication-square150x150logo msapplication-square310x310logo "
    "msapplication-wide310x150logo msapplication-config thumbnail thumbnailurl sailthru.image.full "
    "sailthru.image.thumb parsely-image-url image contenturl logo image_src vk:image"
)
_EMBEDS = frozenset(_EMBED_WORDS.split())
_LINK_WORDS = (
    "og:url twitter:url twitter:player og:see_also embedurl url identifier-url parsely-link al:web:url "
    "msapplication-starturl article:publisher citation_pdf_url citation_fulltext_html_url "
    "citation_abstract_html_url bepress_citation_pdf_url"
)
_LINKS = frozenset(_LINK_WORDS.split())


def hop_of_meta(name: str) -> Hop | None:
    """What the content of a meta element of this name, property or itemprop is; None: no address."""
    name = name.lower()
    if name in _EMBEDS:
        return Hop.EMBED
    return Hop.LINK if name in _LINKS else None

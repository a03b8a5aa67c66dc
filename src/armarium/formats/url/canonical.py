"""The canonical form: two URLs with the same one lead to the same resource, by the standards, not by guess.

It decides whether a URL was already seen, so it must never make one of two pages. Only equivalences that hold
for every server are applied:

  what the URL parser does (URL Standard): small letters in scheme and host, international names in punycode,
    default port dropped, an empty path made `/`, dot segments resolved, also escaped ones, forbidden
    characters percent-encoded in the document's encoding;
  the fragment is dropped: it is never sent (RFC 9110, 7.1);
  percent-encoding is made uniform: capital letters (RFC 3986, 6.2.2.1), and unreserved characters decoded
    (RFC 3986, 6.2.2.2), unless that would make a new escape.

Not done, because some server answers differently: sorting or dropping query parameters, dropping an empty
query, an index page, a last slash, a doubled slash, `www`, a dot after the host, user and password, session
ids; changing the case of the path; decoding or encoding reserved characters; https for http.
"""

from armarium.formats.url.escapes import uniform
from armarium.formats.url.whatwg import normal


def canonical(url: str, *, keep_fragment: bool = False) -> str:
    """The form by which a URL is known as seen; raises `InvalidUrl`.

    `keep_fragment` is for pages whose scripts show another page at each fragment, when a browser harvests.
    """
    href = normal(url)
    if not keep_fragment:
        href = href.partition("#")[0]
    made_uniform = uniform(href)
    if made_uniform is not href and made_uniform.startswith("file:"):
        return normal(made_uniform)  # `%43|` has become a drive letter, and the parser writes that `C:`
    return made_uniform

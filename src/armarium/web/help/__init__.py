"""Help: the documentation of the version that runs, as pages of the site.

Comes in: the Markdown files of docs/ and of the top of the checkout, beside the source or in a wheel.
Goes out: pages with contents and links, their pictures, a search over all of them, and for each page of the
site the page of help that explains it.
It must never serve a file that `Library` does not list, nor pass on HTML that stands in a page.
"""

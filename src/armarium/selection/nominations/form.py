"""A record of a nomination, as a librarian fills it in."""

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.selection.model import Budget, Depth, Frequency
from armarium.selection.nominations.model import Nomination
from armarium.selection.records.model import Draft
from armarium.web.forms import Form
from armarium.web.paging import number_in


def draft_of(form: Form, nomination: Nomination, responsible: int) -> Draft:
    """Its address may be corrected; what the nominator wrote goes into the notes on the content."""
    collection, theme = number_in(form.get("collection")), number_in(form.get("theme"))
    if not collection:
        raise Refused(message("Choose a collection."), field="collection")
    if not theme:
        raise Refused(message("Choose a theme."), field="theme")
    for name, values in (("budget", Budget), ("frequency", Frequency), ("depth", Depth)):
        if form.get(name) not in set(values):
            raise Refused(message("Choose budget, frequency and depth."), field=name)
    return Draft(
        collection,
        form.get("address"),
        theme,
        Budget(form.get("budget")),
        Frequency(form.get("frequency")),
        Depth(form.get("depth")),
        title=form.get("title"),
        content_notes=nomination.reason,
        responsible=responsible,
    )

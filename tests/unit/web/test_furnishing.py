"""Templates say messages, and what people wrote inside them stays text."""

import pytest

from armarium.core.message import message
from armarium.web.furnishing import furnished


@pytest.mark.parametrize(
    "template", ["{{ said }}", "{{ said | say }}", "{{ _(said) }}", "{{ _('%(x)s', x=said) }}"]
)
def test_the_values_of_a_message_are_escaped_however_it_is_said(template: str) -> None:
    said = message("Not read: %(names)s.", names="<b>100% %(name)s</b>")
    shown = furnished(("armarium.web",)).from_string(template).render(said=said)
    assert shown == "Not read: &lt;b&gt;100% %(name)s&lt;/b&gt;."

"""Collections and the matrix in Chromium: by keyboard, at both widths, in both themes, without scripts."""

import pytest
from playwright.sync_api import Locator, Page, expect

from armarium.accounts.model import Role
from armarium.core.actor import SYSTEM
from armarium.selection.collections.model import Choices, Collection, MemberChange
from armarium.selection.model import Budget, Combination, Depth, Frequency
from armarium.selection.permissions import ITSELF
from armarium.selection.records.model import Draft
from armarium.selection.records.writing import Entered
from tests.browser.conftest import PHONE, NewPage
from tests.browser.soundness import EVERY_LOOK, assert_all_sound, assert_sound
from tests.browser.steps import enter, tab_to
from tests.site import RunningSite

USUAL = Combination(Budget.SMALL, Frequency.ANNUAL, Depth.HOST)


@pytest.fixture
def press(site: RunningSite) -> Collection:
    """A collection with a member and a record, in a library with the matrix that comes with Armarium."""
    site.account("adm", Role.ADMINISTRATOR)
    site.account("lia", Role.LIBRARIAN)
    collections = site.house.selection.collections
    made = collections.create(SYSTEM, Choices("Press", "Newspapers."), themes=["News", "Opinion"])
    collections.change_members(SYSTEM, made.id, MemberChange(add=("lia",), add_groups=("cn=Press",)))
    draft = Draft(
        made.id, "https://a.example/", made.themes[0].id, USUAL.budget, USUAL.frequency, USUAL.depth
    )
    site.house.selection.records.create(ITSELF, Entered(draft))
    return made


def parts(page: Page) -> tuple[Locator, Locator, Locator]:
    budget, frequency, depth = (
        page.locator(f"select[data-part={one}]") for one in ("budget", "frequency", "depth")
    )
    return budget, frequency, depth


@pytest.mark.timeout(600)
def test_pages_are_accessible_and_fit_their_width(
    new_page: NewPage, press: Collection, site: RunningSite
) -> None:
    page = new_page()
    own = f"/selection/collections/{press.id}"
    enter(page, site, "adm")
    assert_all_sound(page, ("/selection/collections/new", own))
    assert_all_sound(
        page,
        (
            own + path
            for path in ("/edit", "/themes", "/members", "?budget=small&frequency=daily&depth=domain")
        ),
    )
    page.goto("/selection/matrix")
    page.get_by_label("Small · Annual · Host", exact=True).uncheck()
    page.get_by_role("button", name="Review the changes").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Review the change")
    assert_sound(page, *EVERY_LOOK)


def test_a_librarian_sees_a_matrix_that_axe_likes(
    new_page: NewPage, press: Collection, site: RunningSite
) -> None:
    page = new_page(viewport=PHONE)
    enter(page, site, "lia")
    for path in ("/selection/matrix", f"/selection/collections/{press.id}"):
        page.goto(path)
        assert_sound(page)


def test_a_collection_is_made_by_keyboard(page: Page, press: Collection, site: RunningSite) -> None:
    enter(page, site, "adm")
    page.goto("/selection/collections")
    tab_to(page, page.get_by_role("link", name="New collection"))
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_label("Name", exact=True))
    page.keyboard.type("Radio")
    tab_to(page, page.get_by_label("Themes", exact=True))
    page.keyboard.type("Music\nTalk")
    tab_to(page, page.get_by_label("Default theme"))
    page.keyboard.type("Talk")
    tab_to(page, page.get_by_label("Large", exact=True))
    page.keyboard.press("Space")
    tab_to(page, page.get_by_label("Default frequency"))
    page.keyboard.type("Monthly")
    tab_to(page, page.get_by_role("button", name="Save"))
    page.keyboard.press("Enter")
    expect(page.get_by_text("The collection Radio is created.")).to_be_visible()
    tab_to(page, page.get_by_label("Add accounts, field 1"))
    page.keyboard.type("lia, adm")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The members of the collection Radio are saved.")).to_be_visible()
    collections = site.house.selection.collections
    made = collections.named("Radio")
    assert made.budgets == (Budget.SMALL, Budget.MEDIUM)
    assert made.default_frequency is Frequency.MONTHLY
    assert [name for _, name, _ in collections.members(made.id)] == ["adm", "lia"]


def test_the_matrix_is_set_by_keyboard(page: Page, press: Collection, site: RunningSite) -> None:
    enter(page, site, "adm")
    page.goto("/selection/matrix")
    page.get_by_label("Small · Twice a year · Domain", exact=True).focus()
    tab_to(page, page.get_by_label("Small · Annual · Host", exact=True))
    page.keyboard.press("Space")
    tab_to(page, page.get_by_label("Reason for the combinations you untick"))
    page.keyboard.type("We want more of a host.")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Review the change")
    expect(page.get_by_text("1 record has a combination that is no longer allowed.")).to_be_visible()
    expect(page.get_by_role("link", name="Press", exact=True)).to_be_visible()
    tab_to(page, page.get_by_role("button", name="Save"))
    page.keyboard.press("Enter")
    expect(page.get_by_text("The allowed combinations are saved.")).to_be_visible()
    assert site.house.selection.collections.matrix().reason(USUAL) == "We want more of a host."


def test_what_does_not_go_together_cannot_be_chosen_and_the_reason_is_there(
    page: Page, press: Collection, site: RunningSite
) -> None:
    enter(page, site, "lia")
    page.goto(f"/selection/collections/{press.id}")
    page.get_by_text("Try a combination").click()
    budget, frequency, depth = parts(page)
    domain = depth.locator("option[value=domain]")
    expect(domain).to_be_disabled()
    expect(domain).to_have_text("Domain (not possible)")
    expect(page.locator("#depth-why")).to_have_text(
        "Domain: A whole domain does not fit into a small budget."
    )
    expect(depth).to_have_accessible_description("Domain: A whole domain does not fit into a small budget.")
    budget.select_option("large")
    expect(domain).to_be_enabled()
    expect(page.get_by_role("status").filter(has_text="Not possible with this choice")).to_be_visible()
    depth.select_option("domain")
    expect(frequency.locator("option[value=daily]")).to_be_disabled()
    expect(budget.locator("option[value=small]")).to_be_disabled()
    expect(page.locator("#frequency-why")).to_contain_text("Daily, Weekly: Too much, too often")


def test_an_impossible_combination_is_not_sent_and_near_ones_are_offered(
    page: Page, press: Collection, site: RunningSite
) -> None:
    enter(page, site, "lia")
    page.goto(f"/selection/collections/{press.id}?budget=large&frequency=daily&depth=domain")
    expect(page.get_by_text("These do not go together: Too much, too often")).to_be_visible()
    asked = page.url
    page.get_by_role("button", name="Check").click()
    expect(parts(page)[0]).to_be_focused()
    assert page.url == asked, "the browser keeps an impossible choice back"
    page.get_by_role("button", name="Large · Monthly · Domain").click()
    assert [one.input_value() for one in parts(page)] == ["large", "monthly", "domain"]
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_text("Large · Monthly · Domain is allowed here.")).to_be_visible()


def test_another_collection_brings_its_own_themes_and_choices(
    page: Page, press: Collection, site: RunningSite
) -> None:
    radio = Choices("Radio", frequencies=(Frequency.WEEKLY,), default_frequency=Frequency.WEEKLY)
    site.house.selection.collections.create(SYSTEM, radio, themes=["Music", "Talk"], default_theme="Talk")
    enter(page, site, "adm")
    page.goto("/selection/records/new")
    page.get_by_label("Collection", exact=True).select_option("Press")
    _, frequency, _ = parts(page)
    expect(frequency).to_have_value("annual")
    page.get_by_label("Collection", exact=True).select_option("Radio")
    expect(frequency).to_have_value("weekly")
    expect(frequency.locator("option[value=annual]")).to_be_disabled()
    expect(page.locator("#frequency-why")).to_contain_text("Not offered in the collection Radio.")
    theme = page.get_by_label("Theme", exact=True)
    expect(theme.locator("option:checked")).to_have_text("Talk")
    expect(theme.locator("optgroup[label=Press]")).to_be_hidden()


def test_without_scripts_the_server_refuses_and_names_what_is_possible(
    new_page: NewPage, press: Collection, site: RunningSite
) -> None:
    collections = site.house.selection.collections
    collections.change(SYSTEM, press.id, Choices("Press", frequencies=(Frequency.DAILY, Frequency.ANNUAL)))
    page = new_page(scripts=False)
    enter(page, site, "lia")
    page.goto(f"/selection/collections/{press.id}")
    page.get_by_text("Try a combination").click()
    _, frequency, depth = parts(page)
    expect(frequency.locator("option[value=weekly]")).to_be_disabled()
    expect(frequency.locator("option[value=weekly]")).to_have_text("Weekly (not possible)")
    frequency.select_option("daily")
    depth.select_option("domain")
    page.get_by_role("button", name="Check").click()
    expect(page.locator("[data-refusal]")).to_contain_text("Possible instead:")
    expect(depth).to_have_value("domain")
    page.get_by_text("Combinations that are not allowed").click()
    expect(page.get_by_text("Medium, Large · any frequency · Page", exact=True)).to_be_visible()

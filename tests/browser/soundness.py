"""Whether a page is sound: no finding of axe, and no sideways scrolling, in every look that it can have."""

from typing import NamedTuple

from axe_playwright_python.base import AxeResults
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize

from tests.browser.conftest import DESKTOP, PHONE

AXE = Axe()
EVERYTHING = 'axe.run({resultTypes: ["violations"]})'
# In a second theme, of all texts that are painted alike, down from the root, the first speaks for the rest.
COLOURS = """() => {
    const PAINT = ["color", "backgroundColor", "backgroundImage", "opacity", "filter", "mixBlendMode",
        "fontSize", "fontWeight", "textShadow", "textDecorationLine", "borderBottom", "display", "visibility"]
    const LIFTED = ["absolute", "fixed", "sticky"]  // each counts: what lies behind is not what holds it
    const kinds = new Map(), spokenFor = new Set(), include = []
    const visit = (element, above) => {
        const style = getComputedStyle(element)
        const alone = LIFTED.includes(style.position) ? kinds.size : ""
        const paint = PAINT.map((one) => style[one])
        const key = [above, alone, element.localName, element.className, ...paint].join("|")
        if (!kinds.has(key)) kinds.set(key, kinds.size + 1)
        const kind = kinds.get(key)
        const isText = (node) => node.nodeType === Node.TEXT_NODE && node.data.trim()
        const speaks = [...element.childNodes].some(isText)
        if (speaks && !spokenFor.has(kind)) {
            spokenFor.add(kind)
            include.push(element)
        }
        for (const child of element.children) visit(child, kind)
    }
    visit(document.body, 0)
    const runOnly = ["color-contrast", "link-in-text-block"]
    return axe.run({include}, {resultTypes: ["violations"], runOnly})
}"""
# What fades from one colour to the other would be measured half-way.
END_TRANSITIONS = "document.getAnimations().forEach((one) => one instanceof CSSTransition && one.finish())"


class Look(NamedTuple):
    width: dict[str, int]
    dark: bool


DAY_AND_NIGHT = (Look(DESKTOP, dark=False), Look(PHONE, dark=True))
EVERY_LOOK = (*DAY_AND_NIGHT, Look(PHONE, dark=False), Look(DESKTOP, dark=True))


def assert_sound(page: Page, *looks: Look) -> None:
    """Now, or in each of these looks. The page is loaded once: its style follows the width and the theme.

    What is there, and its name, depends on the width alone: in a second theme only colours are looked at, and
    of each kind of text once.
    """
    seen = []
    for look in looks:
        page.set_viewport_size(ViewportSize(width=look.width["width"], height=look.width["height"]))
        page.emulate_media(color_scheme="dark" if look.dark else "light")
        page.evaluate(END_TRANSITIONS)
        _assert_sound(page, f"{page.url} in {look}", COLOURS if look.width in seen else EVERYTHING)
        seen.append(look.width)
    if not looks:
        _assert_sound(page, page.url, EVERYTHING)


def _assert_sound(page: Page, what: str, run: str) -> None:
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE.axe_script)
    found = AxeResults(page.evaluate(run))
    assert found.violations_count == 0, f"{what}\n{found.generate_report()}"
    too_wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert too_wide <= 0, f"{what} is {too_wide} pixels too wide"

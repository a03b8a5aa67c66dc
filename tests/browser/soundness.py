"""Whether a page is sound: no finding of axe, and no sideways scrolling, in every look that it can have."""

from itertools import cycle
from typing import Any, NamedTuple

from axe_playwright_python.base import AxeResults
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 740}
AXE = Axe()
# Each of these costs four times as much as all other rules together.
OF_COLOURS = ["color-contrast", "link-in-text-block"]
# What they find depends on what is shown, and so on the width. All others read what is there at any width.
OF_LAYOUT = [
    "scrollable-region-focusable",
    "aria-hidden-focus",
    "button-name",
    "empty-heading",
    "empty-table-header",
    "label",
    "landmark-one-main",
    "landmark-unique",
    "link-name",
    "page-has-heading-one",
    "select-name",
    "skip-link",
    "summary-name",
]
RULES = """async ([rules, without]) => {
    const off = Object.fromEntries(without.map((name) => [name, {enabled: false}]))
    return axe.run({resultTypes: ["violations"], rules: off, ...(rules.length && {runOnly: rules})})
}"""
# Of all texts that are painted alike, down from the root, the first speaks for the rest, on other pages too.
COLOURS = """async ([rules, known]) => {
    const PAINT = ["color", "backgroundColor", "backgroundImage", "opacity", "filter", "mixBlendMode",
        "fontSize", "fontWeight", "textShadow", "textDecorationLine", "borderBottom", "display", "visibility"]
    const LIFTED = ["absolute", "fixed", "sticky"]
    const OF_TEXT = "input:not([type=hidden]), select, textarea"
    const spokenFor = new Set(known), include = [], spoken = []
    let lifted = 0
    const digest = (text, above) => {  // two of 32 bits
        let [one, other] = above
        for (let at = 0; at < text.length; at++) {
            one = Math.imul(one ^ text.charCodeAt(at), 2654435761)
            other = Math.imul(other ^ text.charCodeAt(at), 1597334677)
        }
        return [one ^ (other >>> 15), other ^ (one >>> 13)]
    }
    const painted = (element, style, above) => {
        // What is moved lies before other things than what holds it: if they shine through, it counts alone.
        const {position, transform, margin, backgroundColor} = style
        const isMoved = LIFTED.includes(position) || transform !== "none" || margin.includes("-")
        const isAlone = isMoved && !backgroundColor.startsWith("rgb(")
        const alone = isAlone ? `${location} ${innerWidth} ${++lifted}` : ""
        const off = element.matches(":disabled, [aria-disabled=true]")
        const paint = PAINT.map((name) => style[name])
        return digest([alone, off, element.localName, element.className, ...paint].join("|"), above)
    }
    const visit = (element, above) => {
        const style = getComputedStyle(element)
        if (style.display === "none") return
        const kind = painted(element, style, above), name = kind.join()
        const isText = (node) => node.nodeType === Node.TEXT_NODE && node.data.trim()
        if (!spokenFor.has(name) && (element.matches(OF_TEXT) || [...element.childNodes].some(isText))) {
            spokenFor.add(name)
            spoken.push(name)
            include.push(element)
        }
        for (const child of element.children) visit(child, kind)
    }
    const root = document.documentElement
    visit(document.body, painted(root, getComputedStyle(root), [1, 2]))
    const found = include.length && await axe.run({include}, {resultTypes: ["violations"], runOnly: rules})
    return [found || null, spoken]
}"""
# What fades from one colour to the other would be measured half-way.
END_TRANSITIONS = "document.getAnimations().forEach((one) => one instanceof CSSTransition && one.finish())"
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


class Look(NamedTuple):
    width: dict[str, int]
    dark: bool


DAY_AND_NIGHT = (Look(DESKTOP, dark=False), Look(PHONE, dark=True))
OTHER_WAY_ROUND = (Look(PHONE, dark=False), Look(DESKTOP, dark=True))
EVERY_LOOK = (*DAY_AND_NIGHT, *OTHER_WAY_ROUND)

#: Of every look a page shows two in turn, and all of them with --all: what is painted alike looks alike.
every_look_of_each = False
_turns = cycle((DAY_AND_NIGHT, OTHER_WAY_ROUND))

#: Kinds of text whose colours this process has found sound.
_sound_kinds: set[str] = set()


def assert_sound(page: Page, *looks: Look) -> None:
    """Now, or in each of these looks. The page is loaded once: its style follows the width and the theme."""
    if looks == EVERY_LOOK and not every_look_of_each:
        looks = next(_turns)
    seen: list[dict[str, int]] = []
    for look in looks:
        _resize(page, look.width)
        page.emulate_media(color_scheme="dark" if look.dark else "light")
        _assert_sound(page, f"{page.url} in {look}", seen, look.width)
        seen.append(look.width)
    if not looks:
        _assert_sound(page, page.url, [], {})


def _assert_sound(page: Page, what: str, seen: list[dict[str, int]], width: dict[str, int]) -> None:
    """All rules at the first width, those of layout at another one, and colours always."""
    page.evaluate(END_TRANSITIONS)
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE.axe_script)
    if width not in seen:
        _refuse_findings(what, page.evaluate(RULES, [OF_LAYOUT if seen else [], OF_COLOURS]))
    colours, spoken = page.evaluate(COLOURS, [OF_COLOURS, list(_sound_kinds)])
    if colours is not None:
        _refuse_findings(what, colours)
    _sound_kinds.update(spoken)
    _refuse_sideways(page, what)


def assert_fits(page: Page, width: dict[str, int]) -> None:
    """Without scrolling sideways."""
    _resize(page, width)
    _refuse_sideways(page, f"{page.url} at {width}")


def _resize(page: Page, width: dict[str, int]) -> None:
    page.set_viewport_size(ViewportSize(width=width["width"], height=width["height"]))


def _refuse_sideways(page: Page, what: str) -> None:
    too_wide = page.evaluate(TOO_WIDE)
    assert too_wide <= 0, f"{what} is {too_wide} pixels too wide"


def _refuse_findings(what: str, found: dict[str, Any]) -> None:
    results = AxeResults(found)
    assert results.violations_count == 0, f"{what}\n{results.generate_report()}"

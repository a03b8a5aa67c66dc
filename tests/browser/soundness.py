"""Whether a page is sound: nothing that axe finds, nothing too wide, clipped, covered or too heavy."""

from collections.abc import Iterable
from itertools import cycle
from typing import Any, NamedTuple

from axe_playwright_python.base import AxeResults
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 740}
ENLARGED = {"width": 640, "height": 400}  # what is left of DESKTOP at 200 %
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
    "target-size",
]
RULES = """async ([rules, without]) => {
    const off = Object.fromEntries(without.map((name) => [name, {enabled: false}]))
    const chosen = {"target-size": {enabled: true}, ...off}  // axe leaves it out unless asked
    return axe.run({resultTypes: ["violations"], rules: chosen, ...(rules.length && {runOnly: rules})})
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
# Words of other languages are longer. What is cut off on purpose, an address in a row, is none of these.
CLIPPED = """() => [...document.querySelectorAll(
        "button, summary, label, legend, h1, h2, h3, th, nav a, .button")]
    .filter((one) => one.clientWidth && one.scrollWidth > one.clientWidth + 1 && one.innerText?.trim()
        && one.checkVisibility({visibilityProperty: true}) && !one.matches(".unseen, .clip")
        && getComputedStyle(one).clipPath !== "inset(50%)")  // for ears only
    .map((one) => `${one.outerHTML.slice(0, 200)}: ${one.scrollWidth} > ${one.clientWidth}`)"""
# WCAG 2.4.11, with Tab down the page and Shift+Tab up: what has the focus is not below what stays in place.
COVERED = """() => {
    const all = [...document.querySelectorAll("a[href], button, input, select, textarea, summary")].filter(
        (one) => one.tabIndex >= 0 && !one.disabled && one.checkVisibility({visibilityProperty: true}))
    const stays = (one) => ["fixed", "sticky"].includes(getComputedStyle(one).position)
    const lifted = (one) => one && (stays(one) ? one : lifted(one.parentElement))
    const found = new Set(), had = document.activeElement, opened = document.querySelectorAll("details[open]")
    for (const one of [...all, ...all.reverse()]) {
        one.focus()
        const boxes = [one, ...one.children].flatMap((part) => [...part.getClientRects()])
            .filter(({width, height}) => width > 1 && height > 1)
        if (document.activeElement !== one || !boxes.length) continue
        const places = (from, to) => [(from + to) / 2, from + 2, to - 2]
        const above = boxes.flatMap(({left, right, top, bottom}) => places(left, right).flatMap((x) =>
            places(top, bottom).map((y) => document.elementFromPoint(x, y))))
        const isFree = (other) => other && (other.contains(one) || one.contains(other)
            || !lifted(other) || lifted(other).contains(one))
        if (!above.some(isFree)) found.add(`${one.outerHTML.slice(0, 200)} at ${JSON.stringify(boxes[0])}`)
    }
    had === document.body ? document.activeElement.blur() : had.focus()
    for (const one of opened) one.open = true  // that close when the focus leaves them
    scrollTo(0, 0)
    return [...found]
}"""
HEAVIEST = 150_000  # bytes of a page with its styles and scripts, as they are before any compression
# Drawings in the page are pictures: they come from its HTML, and are taken off it.
WEIGHTS = """() => {
    const bytes = (texts) => texts.reduce((all, text) => all + new TextEncoder().encode(text).length, 0)
    const drawn = bytes([...document.querySelectorAll("main svg")].map((one) => one.outerHTML))
    return performance.getEntries()
        .filter((one) => one.entryType === "navigation"
            || one.entryType === "resource" && /[.](css|js)$/.test(new URL(one.name).pathname))
        .map((one) => [one.name, one.decodedBodySize - (one.entryType === "navigation" ? drawn : 0)])
}"""


class Look(NamedTuple):
    width: dict[str, int]
    dark: bool


DAY_AND_NIGHT = (Look(DESKTOP, dark=False), Look(PHONE, dark=True))
OTHER_WAY_ROUND = (Look(PHONE, dark=False), Look(DESKTOP, dark=True))
EVERY_LOOK = (*DAY_AND_NIGHT, *OTHER_WAY_ROUND)
#: That our pages are read in: of those that we speak, German has the longest words.
LANGUAGES = ("en", "de", "fr")

#: Of every look a page shows two in turn, and of the languages one. All of them with --all.
every_look_of_each = False
_turns = cycle((DAY_AND_NIGHT, OTHER_WAY_ROUND))
_tongues = cycle(LANGUAGES)

#: Kinds of text whose colours this process has found sound.
_sound_kinds: set[str] = set()


def assert_all_sound(page: Page, paths: Iterable[str], *looks: Look) -> None:
    """Each of these pages, in languages in turn."""
    for path in paths:
        for language in LANGUAGES if every_look_of_each else (next(_tongues),):
            speak(page, language)
            page.goto("about:blank")  # to a place of the page that is there nothing would be loaded
            page.goto(path)
            assert page.locator("html").get_attribute("lang") == language
            assert_sound(page, *(looks or EVERY_LOOK))
    speak(page, "en")


def speak(page: Page, language: str) -> None:
    """As somebody who has chosen it."""
    chosen = {"name": "armarium_language", "value": language, "domain": "localhost", "path": "/"}
    page.context.add_cookies([chosen])  # type: ignore[list-item]


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
    else:
        _assert_usable_enlarged(page)
        _resize(page, looks[-1].width)
    _refuse_weight(page)


def _assert_sound(page: Page, what: str, seen: list[dict[str, int]], width: dict[str, int]) -> None:
    """All rules at the first width, those of layout at another one, and colours always."""
    page.evaluate(END_TRANSITIONS)
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE.axe_script)
    if width not in seen:
        _refuse_findings(what, page.evaluate(RULES, [OF_LAYOUT if seen else [], OF_COLOURS]))
        _refuse_narrowness(page, what)
    colours, spoken = page.evaluate(COLOURS, [OF_COLOURS, list(_sound_kinds)])
    if colours is not None:
        _refuse_findings(what, colours)
    _sound_kinds.update(spoken)


def _assert_usable_enlarged(page: Page) -> None:
    """At 200 %, which is the same by zoom and by the size of text: all our measures follow both."""
    _resize(page, ENLARGED)
    what = f"{page.url} at 200 %"
    _refuse_narrowness(page, what)
    covered = page.evaluate(COVERED)
    assert not covered, f"{what} covers what has the focus: {covered}"


def assert_fits(page: Page, width: dict[str, int]) -> None:
    """Without scrolling sideways."""
    _resize(page, width)
    _refuse_narrowness(page, f"{page.url} at {width}")


def _resize(page: Page, width: dict[str, int]) -> None:
    page.set_viewport_size(ViewportSize(width=width["width"], height=width["height"]))


def _refuse_narrowness(page: Page, what: str) -> None:
    too_wide = page.evaluate(TOO_WIDE)
    assert too_wide <= 0, f"{what} is {too_wide} pixels too wide"
    clipped = page.evaluate(CLIPPED)
    assert not clipped, f"{what} has no room for words: {clipped}"


def _refuse_weight(page: Page) -> None:
    parts = page.evaluate(WEIGHTS)
    weight = sum(bytes_of_it for _, bytes_of_it in parts)
    heaviest = sorted(parts, key=lambda part: -part[1])[:9]
    assert weight <= HEAVIEST, f"{page.url} weighs {weight} bytes: {heaviest}"


def _refuse_findings(what: str, found: dict[str, Any]) -> None:
    results = AxeResults(found)
    assert results.violations_count == 0, f"{what}\n{results.generate_report()}"

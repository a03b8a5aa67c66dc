"""The plain markup in which the pages are written, turned into HTML.

Blocks are parted by an empty line. A block that begins with `1:` or `2:` stands in that edition only.
`##` heading, `*` list, `>` quotation, `|` table, `<` HTML as it is, `!` picture, `!!` picture in two sizes,
`%latest` the newest articles, `%year` and `%minutes` what is long; within a line [words](address),
**strong** and *stressed*.
"""

import re
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from html import escape

from armarium.demo.web.drawing.shapes import Dice
from armarium.demo.web.model import Edition, Page

# --- Pages whose authors could not stop: a year of readings, the whole minutes of an assembly.


SPEAKERS = ("La señora Ferrer", "El señor Oliu", "El señor Pons", "La presidenta", "Un diputado dormido")
SPEECHES = (
    "Pido la palabra.",
    "La palabra la tiene el viento.",
    "Eso ya se votó en 1974, y llovía.",
    "Que conste en acta que no conste en acta.",
    "La cabra no figura en el orden del día.",
    "Propongo un receso hasta que vuelva la luz.",
    "Con la venia: ¿de quién es este paraguas?",
    "Me adhiero a lo que diga mi isla, cuando lo diga.",
    "Nueve a favor, siete en contra, uno en el barco.",
    "Se ruega al señor Pons que ate a su testigo.",
    "El faro es de todos, pero la escalera es mía.",
    "Retiro lo dicho, y lo no dicho también.",
)
WEATHER = ("dry", "rain", "fog", "sun", "wind", "frost", "a rainbow, unrecorded")


def year() -> str:
    """The motion of a sofa on each day of a year."""
    dice = Dice("year")
    rows = []
    for number in range(365):
        day = date(2025, 10, 1) + timedelta(days=number)
        rows.append(
            f"<tr><td>{day.isoformat()}</td><td>{dice.between(0, 0.4):.3f}</td>"
            f"<td>{dice.between(8, 24):.1f}</td><td>{dice.pick(WEATHER)}</td></tr>"
        )
    head = "<tr><th>Day</th><th>Motion (mm)</th><th>Degrees indoors</th><th>Outside</th></tr>"
    return f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"


def minutes() -> str:
    """Two hundred and nine sessions of an assembly; the later ones have pages of their own."""
    dice = Dice("minutes")
    parts = []
    for session in range(1, 210):
        parts.append(f'<h2 id="s{session}">Sesión {session}</h2>')
        parts += [f"<p><strong>{dice.pick(SPEAKERS)}:</strong> {dice.pick(SPEECHES)}</p>" for _ in range(8)]
    return "\n".join(parts)


LONG = {"%year": year, "%minutes": minutes}


# --- The plain markup in which the pages are written, turned into HTML.


_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
_STRONG = re.compile(r"\*\*(.+?)\*\*")
_STRESSED = re.compile(r"\*(.+?)\*")
_MARKS = {"1:": Edition.FIRST, "2:": Edition.SECOND}
SIZES = (320, 640)


def html(text: str, edition: Edition, articles: Sequence[Page]) -> str:
    """The body of a page; `articles`: the dated pages of the site, newest first."""
    blocks = []
    for block in re.split(r"\n{2,}", text.strip("\n")):
        if _MARKS.get(block[:2], edition) is not edition:
            continue
        kept = block[2:].lstrip() if block[:2] in _MARKS else block
        blocks.append(_latest(articles) if kept == "%latest" else _block(kept))
    return "\n".join(blocks)


def _block(block: str) -> str:
    if block in LONG:
        return LONG[block]()
    if block.startswith("!"):
        line, _, below = block.partition("\n")
        picture = _sized_picture(line) if line.startswith("!!") else _picture(line)
        return f"{picture}\n{_block(below)}" if below else picture
    for mark, write in _BLOCKS:
        if block.startswith(mark):
            return write(block)
    return f"<p>{_inline(block)}</p>"


def _inline(text: str) -> str:
    linked = _LINK.sub(r'<a href="\2">\1</a>', escape(text, quote=False))
    return _STRESSED.sub(r"<em>\1</em>", _STRONG.sub(r"<strong>\1</strong>", linked))


def _heading(block: str) -> str:
    return f"<h2>{_inline(block[3:])}</h2>"


def _list(block: str) -> str:
    items = "".join(f"<li>{_inline(line[2:])}</li>" for line in block.splitlines())
    return f"<ul>{items}</ul>"


def _quotation(block: str) -> str:
    lines = "<br>".join(_inline(line[2:]) for line in block.splitlines())
    return f"<blockquote>{lines}</blockquote>"


def _table(block: str) -> str:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()]
    head = "".join(f"<th>{_inline(cell)}</th>" for cell in rows[0])
    body = "".join(
        "<tr>" + "".join(f"<td>{_inline(cell)}</td>" for cell in row) + "</tr>" for row in rows[1:]
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _picture(block: str) -> str:
    name, alternative, caption = _picture_words(block[2:])
    image = f'<img src="/pictures/{name}" alt="{alternative}" width="640" height="400">'
    return f"<figure>{image}{caption}</figure>"


def _sized_picture(block: str) -> str:
    name, alternative, caption = _picture_words(block[3:])
    sources = ", ".join(f"/pictures/{name}-{size}.png {size}w" for size in SIZES)
    image = (
        f'<img src="/pictures/{name}-640.png" srcset="{sources}" sizes="(max-width: 700px) 320px, 640px"'
        f' alt="{alternative}" width="640" height="400">'
    )
    return f"<figure>{image}{caption}</figure>"


def _picture_words(line: str) -> tuple[str, str, str]:
    name, _, words = line.partition(" ")
    alternative, _, caption = words.partition(" | ")
    return name, escape(alternative), f"<figcaption>{_inline(caption)}</figcaption>" if caption else ""


def _latest(articles: Sequence[Page]) -> str:
    items = "".join(
        f'<li><time datetime="{page.date}">{page.date}</time> '
        f'<a href="{page.path}">{escape(page.title)}</a></li>'
        for page in articles
    )
    return f'<ul class="latest">{items}</ul>'


_BLOCKS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("## ", _heading),
    ("* ", _list),
    ("> ", _quotation),
    ("|", _table),
    ("<", str),
)

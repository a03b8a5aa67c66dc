"""Pictures of the small web, drawn by code: the same words always give the same picture.

Comes in: the name of a picture, such as `hills-3-320.png`, the site and its colours. Goes out: PNG or SVG.
It must never use chance that is not made of the words.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache

from armarium.demo.web.drawing import landscapes, patterns, things
from armarium.demo.web.drawing.shapes import WIDTH, Dice, Shape, png, svg
from armarium.demo.web.model import Colours

Scene = Callable[[Dice, Colours], Iterator[Shape]]

SCENES: dict[str, Scene] = {
    "banner": patterns.banner,
    "bee": things.bee,
    "board": patterns.board,
    "books": things.books,
    "chart": patterns.chart,
    "clock": things.clock,
    "face": things.face,
    "fish": patterns.fish,
    "flower": things.flower,
    "forest": landscapes.forest,
    "hills": landscapes.hills,
    "lantern": things.lantern,
    "loaf": things.loaf,
    "map": patterns.chart_of_the_sea,
    "night": landscapes.night,
    "notes": patterns.notes,
    "peak": landscapes.peak,
    "pond": landscapes.pond,
    "quilt": patterns.quilt,
    "sea": landscapes.sea,
    "stamp": patterns.stamp,
    "town": landscapes.town,
    "umbrella": things.umbrella,
}
_NAME = re.compile(r"(?P<scene>[a-z]+)-(?P<number>\d+)(?:-(?P<width>\d+))?\.(?P<ending>png|svg)")


def shapes(scene: str, words: str, colours: Colours) -> list[Shape]:
    return list(SCENES[scene](Dice(words), colours))


@cache
def picture(name: str, words: str, colours: Colours) -> bytes:
    """`words`: of whom and when, so that two sites' hills differ."""
    found = _NAME.fullmatch(name)
    if found is None or found["scene"] not in SCENES:
        raise ValueError(f"{name} is no picture that can be drawn.")
    drawn = shapes(found["scene"], f"{words}/{found['scene']}-{found['number']}", colours)
    return svg(drawn) if found["ending"] == "svg" else png(drawn, int(found["width"] or WIDTH))

"""Shapes as SVG."""

from collections.abc import Sequence

from armarium.demo.web.drawing.shapes import HEIGHT, WIDTH, Disc, Shape


def svg(shapes: Sequence[Shape]) -> bytes:
    drawn = "\n".join(_element(shape) for shape in shapes)
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">'
    return f"{opening}\n{drawn}\n</svg>\n".encode()


def _element(shape: Shape) -> str:
    if isinstance(shape, Disc):
        return f'<circle cx="{shape.x:.1f}" cy="{shape.y:.1f}" r="{shape.radius:.1f}" fill="{shape.colour}"/>'
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in shape.points)
    return f'<polygon points="{points}" fill="{shape.colour}"/>'

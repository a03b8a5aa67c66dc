"""Pages whose authors could not stop: a year of readings, the whole minutes of an assembly."""

from datetime import date, timedelta

from armarium.demo.web.drawing.dice import Dice

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

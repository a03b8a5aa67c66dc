"""Which collections there are, in the form that pywb's clients read."""

from starlette.responses import JSONResponse, Response

from armarium.access.door.site import Visit


def collinfo(visit: Visit) -> Response:
    reading = visit.site.settings.reading
    told = [
        {
            "id": one.name,
            "name": one.title or one.name,
            "timegate": f"{reading}/{one.name}/",
            "timemap": f"{reading}/{one.name}/timemap/*/",
            "cdx-api": f"{reading}/{one.name}/cdx",
        }
        for one in visit.site.archive.collections()
    ]
    return JSONResponse(told)

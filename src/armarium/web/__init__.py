"""The page shell: sections, sign-in, forms, errors, live parts and the API around the rooms.

Comes in: HTTP requests; the sections that rooms declare; the services that the door assembled.
Goes out: pages in the reader's language, problem+json for programs, an `Identity` for each request.
It must never know a room, hold SQL, or serve archived content: that has a door and an origin of its own.
"""

"""Looking captures up: the page, the API, the command."""

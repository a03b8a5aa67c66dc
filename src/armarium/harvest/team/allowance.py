"""How many objects, or bytes, each member of a team may capture, so that all together keep the limit."""

from collections.abc import Sequence


class Allowances:
    """What was given out never adds up to more than the limit, however the members hurry.

    It only grows, but for members that are idle: they give back what they did not use, and say how much.
    """

    def __init__(self, most: int, done: Sequence[int]) -> None:
        self._most = most
        self.given = list(done)

    def renew(self, most: int, done: Sequence[int]) -> None:
        """The limit of now. What was given out stays, and what came beyond it, as bytes do, counts too."""
        self._most = most
        self.given = [max(pair) for pair in zip(self.given, done, strict=True)]

    def give_back(self, member: int, used: int) -> None:
        """An idle member confirmed that it will not capture more than this."""
        self.given[member] = used

    def share(self, hungry: Sequence[int]) -> list[int]:
        """Divide what is left among the members that could use it; those whose allowance grew."""
        left = self._most - sum(self.given)
        if left <= 0 or not hungry:
            return []
        portion, rest = divmod(left, len(hungry))
        grown = []
        for place, member in enumerate(hungry):
            more = portion + (1 if place < rest else 0)
            if more:
                self.given[member] += more
                grown.append(member)
        return grown

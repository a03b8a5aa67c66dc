"""How many objects a harvest of a domain will bring, from its limits and from what it brought before.

The formula is NetarchiveSuite's, in its whole numbers, with three corrections: without any limit a domain is
never expected to have less than was seen of it; the factor for guesses is the one in the settings; and a
domain that was harvested completely is expected to grow by a part of what it had, not of what its limit
leaves room for, which made 4,115 objects of 133.
"""

from dataclasses import dataclass
from typing import NamedTuple

from armarium.planning.settings import PlanningSettings


class Bounds(NamedTuple):
    """None: no limit."""

    objects: int | None = None
    bytes: int | None = None


class Known(NamedTuple):
    """The largest harvest of a configuration since, and including, its last complete one."""

    objects: int
    bytes: int
    complete: bool


class Expectation(NamedTuple):
    objects: int
    maximum: int  # objects that the limits leave room for
    object_bytes: int  # of one object, on average


UNBOUNDED = Bounds()
SMALLEST_AVERAGE = 1  # byte


@dataclass(frozen=True, slots=True)
class Estimator:
    average_object_bytes: int = 38_000
    trusted_objects: int = 50  # a smaller average is believed only from so many objects on
    unknown_domain_objects: int = 5000
    error_factor_previous: int = 10
    error_factor_guess: int = 2

    def expect(
        self, known: Known | None, configuration: Bounds = UNBOUNDED, harvest: Bounds = UNBOUNDED
    ) -> Expectation:
        average = self.average(known)
        own = room(configuration, average)
        # The limits of the harvest come first; those of the configuration are looked at again at the end.
        maximum = room(harvest, average)
        if maximum is None:
            maximum = own
        if maximum is None:
            maximum = self.unknown_domain_objects
            if known is not None and known.objects > maximum:
                maximum = known.objects
        if known is None:
            expected = self.unknown_domain_objects
            if configuration.objects is not None and configuration.objects < expected:
                expected = configuration.objects
        else:
            left = maximum - known.objects
            if known.complete:
                expected = known.objects + min(left, known.objects) // self.error_factor_previous
            else:
                expected = known.objects + left // self.error_factor_guess
        if own is not None and own < maximum:
            maximum = own
        return Expectation(min(expected, maximum), maximum, average)

    def average(self, known: Known | None) -> int:
        """Bytes of an object."""
        if known is None or not known.objects:
            return self.average_object_bytes
        average = max(SMALLEST_AVERAGE, known.bytes // known.objects)
        if average < self.average_object_bytes and known.objects < self.trusted_objects:
            return self.average_object_bytes  # a handful of small pages says little about the rest
        return average


def room(bounds: Bounds, average: int) -> int | None:
    """Objects that limits leave room for; None: they set none."""
    if bounds.bytes is None:
        return bounds.objects
    by_bytes = bounds.bytes // average
    return by_bytes if bounds.objects is None else min(bounds.objects, by_bytes)


def estimator_of(settings: PlanningSettings) -> Estimator:
    return Estimator(
        average_object_bytes=settings.average_object_bytes,
        trusted_objects=settings.trusted_objects,
        unknown_domain_objects=settings.unknown_domain_objects,
        error_factor_previous=settings.error_factor_previous,
        error_factor_guess=settings.error_factor_guess,
    )


@dataclass(frozen=True)
class Pace:
    """How fast jobs are, to say how long a plan would take."""

    objects_per_second: float  # of a whole job
    pause: float  # seconds between two objects of one domain

    def seconds(self, objects: int, largest: int, most: int | None = None) -> float:
        """A job ends with its slowest domain, or when all its objects are fetched, or when its time is up."""
        needed = max(objects / self.objects_per_second, largest * self.pause)
        return needed if most is None else min(needed, float(most))
